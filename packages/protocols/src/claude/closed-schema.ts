import { type Fields, isObject, type Tool } from '@sluice/contract'
import type { ClaudeModel } from '../families/claude.ts'
import type { CodecContext } from '../protocol.ts'

/** Keywords that `output_config.format` rejects (Claude docs, structured outputs: JSON Schema limitations). */
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

/** Keywords that contain further schemas: as a map, or as a list. (`items` contains a single one.) */
const schemaMaps: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions'])
const schemaLists: ReadonlySet<string> = new Set(['anyOf', 'allOf', 'oneOf', 'prefixItems'])

/**
 * A JSON Schema in the form that Anthropic's structured outputs accept: every object is closed. Bounds, which are not
 * enforced, are written into the description and reported with their paths. Returns undefined for schemas of objects with free
 * keys, which cannot be expressed.
 */
export function closedSchema(
  schema: Fields,
  path: string,
  leftOut: (param: string) => void,
): object | undefined {
  const closing: Closing = { isOpen: false, dropped: [] }
  const closed = close(schema, path, closing)
  if (closing.isOpen) return undefined
  for (const param of closing.dropped) leftOut(param)
  return closed
}

interface Closing {
  isOpen: boolean
  /** The paths of the keywords that were left out. */
  readonly dropped: string[]
}

function close(schema: Fields, path: string, closing: Closing): object {
  const out: Record<string, unknown> = {}
  const removed: string[] = []
  for (const [key, value] of Object.entries(asAnyOf(schema))) {
    if (bounds.has(key) || (key === 'minItems' && Number(value) > 1))
      removed.push(`${key}: ${JSON.stringify(value)}`)
    else out[key] = closeInner(value, { key, path: `${path}.${key}`, closing })
    if (!(key in out)) closing.dropped.push(`${path}.${key}`)
  }
  if (removed.length > 0) {
    const description = typeof out['description'] === 'string' ? `${out['description']} ` : ''
    out['description'] = `${description}(${removed.join(', ')})`
  }
  if (schema['type'] === 'object' || isObject(schema['properties'])) closeObject(out, closing)
  return out
}

/** Of alternatives, only `anyOf` is among the keywords; for what is written, both say the same. */
function asAnyOf(schema: Fields): Fields {
  const { oneOf, ...rest } = schema
  if (!Array.isArray(oneOf)) return schema
  if (rest['anyOf'] === undefined) return { ...rest, anyOf: oneOf }
  const all = Array.isArray(rest['allOf']) ? rest['allOf'] : []
  return { ...rest, allOf: [...all, { anyOf: oneOf }] }
}

function closeObject(out: Record<string, unknown>, closing: Closing): void {
  const extra = out['additionalProperties']
  if (extra === false) return
  if (extra !== undefined || !isObject(out['properties'])) closing.isOpen = true
  out['additionalProperties'] = false
}

function closeInner(
  value: unknown,
  {
    key,
    path,
    closing,
  }: { readonly key: string; readonly path: string; readonly closing: Closing },
): unknown {
  if (schemaMaps.has(key) && isObject(value))
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [
        name,
        isObject(inner) ? close(inner, `${path}.${name}`, closing) : inner,
      ]),
    )
  if (schemaLists.has(key) && Array.isArray(value))
    return value.map((inner: unknown, index) =>
      isObject(inner) ? close(inner, `${path}[${index}]`, closing) : inner,
    )
  return key === 'items' && isObject(value) ? close(value, path, closing) : value
}

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
