import { type Fields, isObject } from '@sluice/contract'

/** Bounds that `output_config.format` refuses (Claude docs, structured outputs: JSON Schema limitations). */
const bounds: ReadonlySet<string> = new Set([
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
])

/** Where further schemas stand: in a map, in a list, or alone. */
const schemaMaps: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions'])
const schemaLists: ReadonlySet<string> = new Set(['anyOf', 'allOf', 'oneOf', 'prefixItems'])

/**
 * A JSON Schema as Anthropic's structured outputs take it: every object closed, and bounds, which are not enforced,
 * said in the description. Undefined for schemas of objects with free keys, which cannot be expressed.
 */
export function closedSchema(schema: Fields): object | undefined {
  const open = { found: false }
  const closed = close(schema, open)
  return open.found ? undefined : closed
}

function close(schema: Fields, open: { found: boolean }): object {
  const out: Record<string, unknown> = {}
  const said: string[] = []
  for (const [key, value] of Object.entries(schema)) {
    if (bounds.has(key) || (key === 'minItems' && Number(value) > 1))
      said.push(`${key}: ${JSON.stringify(value)}`)
    else out[key] = closeInner(key, value, open)
  }
  if (said.length > 0) {
    const description = typeof out['description'] === 'string' ? `${out['description']} ` : ''
    out['description'] = `${description}(${said.join(', ')})`
  }
  if (schema['type'] === 'object' || isObject(schema['properties'])) closeObject(out, open)
  return out
}

function closeObject(out: Record<string, unknown>, open: { found: boolean }): void {
  const extra = out['additionalProperties']
  if (extra === false) return
  if (extra !== undefined || !isObject(out['properties'])) open.found = true
  out['additionalProperties'] = false
}

function closeInner(key: string, value: unknown, open: { found: boolean }): unknown {
  if (schemaMaps.has(key) && isObject(value))
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [
        name,
        isObject(inner) ? close(inner, open) : inner,
      ]),
    )
  if (schemaLists.has(key) && Array.isArray(value))
    return value.map((inner: unknown) => (isObject(inner) ? close(inner, open) : inner))
  return key === 'items' && isObject(value) ? close(value, open) : value
}
