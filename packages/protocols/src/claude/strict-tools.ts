import type { Tool } from '@sluice/contract'
import type { ClaudeModel } from '../families/claude.ts'
import type { CodecContext } from '../protocol.ts'
import { closedSchema } from './closed-schema.ts'

type Declared = NonNullable<Tool['function']>

/**
 * A function as Claude can be held to it. A strict one has a closed schema without bounds; where that cannot be said,
 * it is not strict. What was left out is named.
 */
export function heldTool(
  declared: Declared,
  {
    path,
    context,
    model,
  }: { readonly path: string; readonly context: CodecContext; readonly model: ClaudeModel },
): Declared {
  const { strict, parameters, ...rest } = declared
  if (strict !== true) return declared
  const schema = { type: 'object', ...(parameters ?? { properties: {} }) }
  const closed = model.structured
    ? closedSchema(schema, `${path}.function.parameters`, context.leftOut)
    : undefined
  if (closed !== undefined) return { ...rest, strict, parameters: { ...closed } }
  context.leftOut(
    `${path}.function.strict`,
    model.structured
      ? 'a schema of free keys cannot be strict here'
      : 'this model does not hold to a schema',
  )
  return { ...rest, ...(parameters === undefined ? {} : { parameters }) }
}
