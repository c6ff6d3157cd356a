import type { TSchema } from 'typebox'

/** A JSON Schema in the OpenAPI document. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** The encoding of a body: JSON cannot hold files, and forms cannot hold null. */
export type BodyForm = 'json' | 'form'

/** Converts a body schema for OpenAPI 3.1, whose dialect is JSON Schema 2020-12. */
export function toJsonSchema(schema: TSchema, form: BodyForm): JsonSchema {
  return convert(schema, form) ?? { not: {} }
}

/** Removes the named properties, which are sent in the path or the query. */
export function withoutProperties(schema: JsonSchema, names: readonly string[]): JsonSchema {
  const { required, ...rest } = schema
  const kept = asStrings(required).filter((name) => !names.includes(name))
  const properties = Object.entries(asObject(schema['properties'])).filter(
    ([name]) => !names.includes(name),
  )
  return {
    ...rest,
    properties: Object.fromEntries(properties),
    ...(kept.length > 0 && { required: kept }),
  }
}

/** Undefined if this encoding cannot express it. */
function convert(schema: object, form: BodyForm): JsonSchema | undefined {
  const node: JsonSchema = { ...schema }
  if (node['contentMediaType'] === 'application/octet-stream')
    return form === 'form' ? { type: 'string', format: 'binary' } : undefined
  if (form === 'form' && node['type'] === 'null') return undefined

  const converted: Record<string, unknown> = {}
  for (const [keyword, value] of Object.entries(node)) {
    // TypeBox stores its own annotations under names that begin with a tilde.
    if (keyword.startsWith('~')) continue
    converted[keyword] = convertKeyword(keyword, value, form)
    if (converted[keyword] === undefined) return undefined
  }
  return tidy(converted)
}

function convertKeyword(keyword: string, value: unknown, form: BodyForm): unknown {
  switch (keyword) {
    case 'properties':
    case 'patternProperties':
      return mapValues(asObject(value), form)
    case 'anyOf':
    case 'oneOf':
    case 'allOf': {
      const arms = asList(value)
        .map((arm) => convert(asObject(arm), form))
        .filter((arm) => arm !== undefined)
      return arms.length > 0 ? arms : undefined
    }
    case 'items':
    case 'additionalProperties':
    case 'not':
      return typeof value === 'object' && value !== null ? convert(value, form) : value
    default:
      return value
  }
}

function mapValues(schemas: JsonSchema, form: BodyForm): JsonSchema {
  const kept: Record<string, JsonSchema> = {}
  for (const [name, schema] of Object.entries(schemas)) {
    const converted = convert(asObject(schema), form)
    if (converted !== undefined) kept[name] = converted
  }
  return kept
}

/**
 * Simplifies a schema: replaces a union of one by its arm, writes maps as `additionalProperties`, and limits `required` to
 * existing properties.
 */
function tidy(schema: Record<string, unknown>): JsonSchema {
  const { anyOf, ...rest } = schema
  const arms = asList(anyOf)
  // An arm that accepts everything makes the others redundant.
  if (arms.some((arm) => Object.keys(asObject(arm)).length === 0)) return rest
  if (arms.length === 1) return { ...asObject(arms[0]), ...rest }
  const plain = asPlainUnion(arms, rest)
  if (plain) return plain
  const { patternProperties, ...map } = schema
  if (patternProperties !== undefined)
    return { ...map, additionalProperties: Object.values(asObject(patternProperties))[0] ?? true }
  if (schema['required'] !== undefined && schema['properties'] !== undefined) {
    const known = Object.keys(asObject(schema['properties']))
    const required = asStrings(schema['required']).filter((name) => known.includes(name))
    const { required: _required, ...others } = schema
    return required.length > 0 ? { ...others, required } : others
  }
  return schema
}

/** Writes `X or null` of a plain type as `type: [x, "null"]`, which API reference pages show better than a union. */
function asPlainUnion(arms: readonly unknown[], rest: JsonSchema): JsonSchema | undefined {
  const [first, second] = arms.map(asObject)
  if (arms.length !== 2 || second?.['type'] !== 'null' || first === undefined) return undefined
  const type = first['type']
  if (typeof type !== 'string' || first['const'] !== undefined) return undefined
  const values = first['enum']
  return {
    ...first,
    ...rest,
    type: [type, 'null'],
    ...(Array.isArray(values) && { enum: [...values, null] }),
  }
}

function asObject(value: unknown): JsonSchema {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function asStrings(value: unknown): readonly string[] {
  return asList(value).filter((item) => typeof item === 'string')
}
