import { isDeepStrictEqual } from 'node:util'
import { type Fields, isObject, listOf, objectOf } from '@sluice/contract'
import type { Change, Reports } from '../native-target.ts'
import { objectSchema } from '../tools/object-schema.ts'
import { closedSchema } from './closed-schema.ts'

// The schemas of a Messages request that a Claude model holds to, in the form that it takes. Their texts may be missing where a
// request is looked at, so that they are changed where they are whole; what is lost is the same.

type LeftOut = Pick<Reports, 'leftOut'>

const quiet: LeftOut = { leftOut: () => {} }

/** Where a request has the format of its answer: the second is the name of the first during its beta. */
const formats = [
  {
    field: 'output_config',
    path: 'output_config.format',
    formatIn: (config: unknown) => objectOf(config)['format'],
    withFormat: (config: unknown, format: Fields) => ({ ...objectOf(config), format }),
  },
  {
    field: 'output_format',
    path: 'output_format',
    formatIn: (format: unknown) => format,
    withFormat: (_: unknown, format: Fields) => format,
  },
] as const

/** Whether the format of the answer can be expressed; if it has free keys, it cannot. */
export function holdsFormats(request: unknown): boolean {
  return formats.every(({ field, formatIn }) => {
    const { schema } = objectOf(formatIn(objectOf(request)[field]))
    return !isObject(schema) || closedSchema(schema, '', quiet.leftOut) !== undefined
  })
}

/** The change of the format of the answer, if its schema is not written so. */
export function heldFormats(request: Fields, { leftOut }: LeftOut): readonly Change[] {
  return formats.flatMap(({ field, path, formatIn, withFormat }): readonly Change[] => {
    const { schema } = objectOf(formatIn(request[field]))
    if (!isObject(schema)) return []
    const closed = closedSchema(schema, `${path}.schema`, leftOut)
    if (closed === undefined || isDeepStrictEqual(closed, schema)) return []
    const change = (whole: unknown) => {
      const format = objectOf(formatIn(whole))
      const own = closedSchema(objectOf(format['schema']), '', quiet.leftOut)
      return withFormat(whole, { ...format, schema: own })
    }
    return [{ path: [field], change }]
  })
}

/** The change of the strict tools, if the schema of one is not written so. One that cannot be expressed is not strict. */
export function heldTools(request: Fields, reports: LeftOut): readonly Change[] {
  const tools = listOf(request['tools'])
  if (!tools.some(isStrict)) return []
  const held = tools.map((tool, index) => heldTool(tool, `tools[${index}]`, reports))
  if (held.every((tool, index) => tool === tools[index])) return []
  const change = (whole: unknown) => listOf(whole).map((tool) => heldTool(tool, '', quiet))
  return [{ path: ['tools'], change }]
}

function isStrict(tool: unknown): tool is Fields {
  return isObject(tool) && tool['strict'] === true && isObject(tool['input_schema'])
}

/** The same tool if it needs no change. */
function heldTool(tool: unknown, path: string, { leftOut }: LeftOut): unknown {
  if (!isStrict(tool)) return tool
  const { strict, ...rest } = tool
  const schema = objectSchema(objectOf(tool['input_schema']), path, quiet)
  const closed = closedSchema(schema, `${path}.input_schema`, leftOut)
  if (closed === undefined) {
    leftOut(`${path}.strict`, 'a schema of free keys cannot be strict here')
    return rest
  }
  return isDeepStrictEqual(closed, schema) ? tool : { ...rest, strict, input_schema: closed }
}
