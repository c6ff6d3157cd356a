import { isObject, listOf } from '@sluice/contract'

/**
 * Whether OpenAI would accept the schema with `strict: true`: every object closed and every property required (OpenAI
 * structured outputs guide, supported schemas).
 */
export function isStrictSchema(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.every(isStrictSchema)
  if (!isObject(schema)) return true
  const { properties } = schema
  if (schema['type'] === 'object' || isObject(properties)) {
    const required = new Set(listOf(schema['required']))
    const names = isObject(properties) ? Object.keys(properties) : []
    if (schema['additionalProperties'] !== false) return false
    if (!names.every((name) => required.has(name))) return false
  }
  const inner = isObject(properties) ? Object.values(properties) : []
  return [...inner, ...Object.entries(schema).map(innerSchema)].every(isStrictSchema)
}

function innerSchema([key, value]: readonly [string, unknown]): unknown {
  if (key === '$defs' || key === 'definitions') return isObject(value) ? Object.values(value) : []
  return key === 'items' || key === 'anyOf' ? value : []
}
