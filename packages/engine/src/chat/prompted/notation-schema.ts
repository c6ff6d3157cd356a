import { isRecord, type SchemaObject } from '../schema/json-schema.ts'
import { quotedIn, TypeText } from './read-notation.ts'

/** Named enumerations of a prompt: their values. */
export type Enumerations = ReadonlyMap<string, readonly string[]>

const types: Readonly<Record<string, SchemaObject>> = {
  string: { type: 'string' },
  str: { type: 'string' },
  text: { type: 'string' },
  int: { type: 'integer' },
  integer: { type: 'integer' },
  long: { type: 'integer' },
  number: { type: 'number' },
  float: { type: 'number' },
  double: { type: 'number' },
  decimal: { type: 'number' },
  bool: { type: 'boolean' },
  boolean: { type: 'boolean' },
  null: { type: 'null' },
  none: { type: 'null' },
  undefined: { type: 'null' },
  date: { type: 'string', format: 'date' },
  datetime: { type: 'string', format: 'date-time' },
  array: { type: 'array' },
  list: { type: 'array' },
  object: { type: 'object' },
  dict: { type: 'object' },
  any: {},
}

/** The schema of a value that describes others: an example, or an object whose values are types. */
export function schemaOfNotation(value: unknown, named: Enumerations): SchemaObject {
  if (value instanceof TypeText) return typeOf(value.text, named) ?? { type: 'string' }
  if (typeof value === 'string') return describedType(value, named)
  if (typeof value === 'number') return { type: 'number' }
  if (typeof value === 'boolean') return { type: 'boolean' }
  if (Array.isArray(value))
    return value.length === 0
      ? { type: 'array' }
      : { type: 'array', items: schemaOfNotation(value[0], named) }
  if (!isRecord(value)) return {}
  const properties = Object.entries(value).map(
    ([name, inner]) => [name, schemaOfNotation(inner, named)] as const,
  )
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    required: Object.keys(value),
    additionalProperties: false,
  }
}

/** Whether a value contains a type, so that it can only be a description of other values. */
export function describesTypes(value: unknown, named: Enumerations): boolean {
  if (value instanceof TypeText) return typeOf(value.text, named) !== undefined
  if (typeof value === 'string') return typeOf(value, new Map()) !== undefined
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.values(value).some((inner) => describesTypes(inner, named))
  )
}

/** A text in place of a value: `"string"`, `"positive | negative"`, `"{score}  # must be a single float value"`. */
function describedType(text: string, named: Enumerations): SchemaObject {
  const [, said] = /\bmust be (?:a|an) (?:single |valid )?(\w+)/i.exec(text) ?? []
  if (said !== undefined) return typeOf(said, named) ?? { type: 'string' }
  if (/\bmust be True or False\b/i.test(text)) return { type: 'boolean' }
  const choices = text.split('|').map((choice) => choice.trim())
  const areNames = choices.length > 1 && choices.every((choice) => /^[\w -]{1,40}$/.test(choice))
  const type = typeOf(text, named)
  return type ?? (areNames ? { type: 'string', enum: choices } : { type: 'string' })
}

const typeCharactersMax = 1_000
const listType = /^(?:array|list|sequence|set|vec)\s?(?:<|\[| of )\s?(.+?)[>\]]?$/i
const optionalType = /^(?:optional|nullable)\s?[<[](.+)[>\]]$/i
const mapType = /^(?:map|dict|record|object)\s?[<[]/i

/** The schema of a type in the notations of BAML, TypeScript, Python and Java; undefined if it is not a type. */
function typeOf(written: string, named: Enumerations, depth = 0): SchemaObject | undefined {
  if (depth > 8 || written.length > typeCharactersMax) return undefined
  const text = bare(written)
  const plain = text.toLowerCase()
  if (Object.hasOwn(types, plain)) return types[plain]
  const values = named.get(text)
  if (values !== undefined) return { type: 'string', enum: values }
  const ways = text.split(/\s*\|\s*|\s+or\s+/).map((way) => way.trim())
  if (ways.length > 1) return unionOf(ways, named, depth)
  const inner = (type: string) => typeOf(type, named, depth + 1)
  if (text.endsWith('[]')) return { type: 'array', items: inner(text.slice(0, -2)) ?? {} }
  const item = listType.exec(text)?.[1]
  if (item !== undefined)
    return { type: 'array', items: inner(item) ?? inner(item.replace(/s$/i, '')) ?? {} }
  const literals = /^literal\s?\[(.+)\]$/i.exec(text)?.[1]
  if (literals !== undefined) return unionOf(literals.split(/\s*,\s*/), named, depth)
  const optional = optionalType.exec(text)?.[1]
  if (optional !== undefined) return { anyOf: [inner(optional) ?? {}, { type: 'null' }] }
  return mapType.test(text) ? { type: 'object' } : undefined
}

/** Without brackets around it, and without what a type says of itself: `(type: string)`, `<string>`. */
function bare(written: string): string {
  const text = written.trim()
  const [, inner] = /^[(<](?:type: ?)?([^()<>]*)[)>]$/.exec(text) ?? []
  return (inner ?? text).trim()
}

function unionOf(
  ways: readonly string[],
  named: Enumerations,
  depth: number,
): SchemaObject | undefined {
  const literals = ways.map(quotedIn)
  const values = literals.filter((value) => value !== undefined)
  const rest = ways.filter((_, index) => literals[index] === undefined)
  const schemas = rest.map((way) => typeOf(way, named, depth + 1))
  if (schemas.includes(undefined)) return undefined
  const all = [
    ...(values.length > 0 ? [{ type: 'string', enum: values }] : []),
    ...schemas.filter((schema) => schema !== undefined),
  ]
  return all.length === 1 ? all[0] : { anyOf: all }
}
