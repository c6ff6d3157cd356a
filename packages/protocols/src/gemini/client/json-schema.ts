import { type Fields, isObject, listOf, objectOf } from '@sluice/contract'
import { camelCase } from '../letter-case.ts'
import { pick } from '../spelling.ts'

const counts: ReadonlySet<string> = new Set([
  'minItems',
  'maxItems',
  'minLength',
  'maxLength',
  'minProperties',
  'maxProperties',
])

/**
 * Translates Gemini's Schema (https://ai.google.dev/api/caching#Schema) into JSON Schema: lower-case types, `nullable` as a
 * second type, counts as numbers (protobuf writes them as text), and properties in the requested order. Accepts both spellings
 * of names.
 */
export function toJsonSchema(schema: unknown): Fields {
  if (!isObject(schema)) return {}
  const out: Record<string, unknown> = {}
  for (const [written, value] of Object.entries(schema)) {
    const name = camelCase(written)
    const converted = keyword(name, value)
    if (converted !== undefined) out[name === 'example' ? 'examples' : name] = converted
  }
  if (isObject(out['properties'])) out['properties'] = ordered(out['properties'], schema)
  return schema['nullable'] === true ? orNull(out) : out
}

function keyword(name: string, value: unknown): unknown {
  switch (name) {
    case 'nullable':
    case 'propertyOrdering':
      return undefined
    case 'type':
      return value === 'TYPE_UNSPECIFIED' ? undefined : String(value).toLowerCase()
    case 'format':
      return value === 'enum' ? undefined : value
    case 'example':
      return [value]
    case 'items':
      return toJsonSchema(value)
    case 'anyOf':
      return listOf(value).map(toJsonSchema)
    case 'properties':
      return Object.fromEntries(
        Object.entries(objectOf(value)).map(([key, property]) => [key, toJsonSchema(property)]),
      )
    default:
      return counts.has(name) && typeof value === 'string' ? Number(value) : value
  }
}

function ordered(properties: Fields, schema: Fields): Fields {
  const order = listOf(pick(schema, 'propertyOrdering'))
  const first = order.flatMap((name) =>
    typeof name === 'string' && name in properties ? [[name, properties[name]]] : [],
  )
  return { ...Object.fromEntries(first), ...properties }
}

function orNull(schema: Record<string, unknown>): Fields {
  if (Array.isArray(schema['anyOf']))
    return { ...schema, anyOf: [...schema['anyOf'], { type: 'null' }] }
  if (typeof schema['type'] !== 'string') return schema
  const values = schema['enum']
  return {
    ...schema,
    type: [schema['type'], 'null'],
    ...(Array.isArray(values) ? { enum: [...values, null] } : {}),
  }
}
