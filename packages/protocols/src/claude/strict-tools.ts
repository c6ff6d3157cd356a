import type { Tool } from '@sluice/contract'
import type { ClaudeModel } from '../families/claude.ts'
import type { CodecContext } from '../protocol.ts'
import { closedSchema } from './closed-schema.ts'

type Declared = NonNullable<Tool['function']>

/**
 * A function declaration that Claude accepts. A strict function needs a closed schema without bounds; if the schema cannot be
 * expressed in this way, the function is sent as not strict. What was left out is reported.
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
