import { type Fields, GatewayError, isObject, listOf, objectOf } from '@sluice/contract'

/**
 * Translates JSON Schema into the subset of OpenAPI that Gemini before 2.5 reads (https://ai.google.dev/api/caching#Schema):
 * no references, no `const`, `oneOf`, `allOf`, type lists or `additionalProperties`; upper-case types; `enum` of texts. What
 * has an equivalent is translated. A constraint without one is left out, since the schema still describes the same shape.
 * Throws `unsupported_value` with `param` for a schema that refers to itself or to another document.
 */
export function toGeminiSchema(schema: unknown, param: string): Fields {
  return convert(schema, {
    root: objectOf(schema),
    param,
    open: [],
    remaining: { nodes: nodesMax },
  })
}

/** References that are written out could grow without end. No real schema comes near this limit. */
const nodesMax = 5000

interface SchemaScope {
  readonly root: Fields
  readonly param: string
  /** The references being written out, outermost first. */
  readonly open: readonly string[]
  readonly remaining: { nodes: number }
}

function convert(schema: unknown, place: SchemaScope): Fields {
  place.remaining.nodes -= 1
  if (place.remaining.nodes < 0)
    throw refused('The schema is too large with its references', place.param)
  if (!isObject(schema)) return {}
  const reference = schema['$ref']
  if (typeof reference === 'string') return follow(schema, reference, place)
  const all = listOf(schema['allOf'])
  if (all.length > 0) {
    const references = all.map((part) => objectOf(part)['$ref']).filter(isText)
    const inside = { ...place, open: [...place.open, ...references] }
    return convert(mergeAll(schema, all, place), inside)
  }
  const variants = listOf(schema['anyOf'] ?? schema['oneOf'])
  if (variants.length > 0) return union(schema, variants, place)
  const types = listOf(schema['type'])
  if (types.length > 0) return severalTypes(schema, types, place)
  return single(schema, place)
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function follow(schema: Fields, reference: string, place: SchemaScope): Fields {
  return convert(dereference(schema, reference, place), {
    ...place,
    open: [...place.open, reference],
  })
}

function dereference(
  schema: Fields,
  reference: string,
  { root, param, open }: SchemaScope,
): Fields {
  if (open.includes(reference)) throw refused(`The schema refers to itself (${reference})`, param)
  if (!reference.startsWith('#'))
    throw refused(`The schema refers to another document (${reference})`, param)
  const target = reference
    .slice(1)
    .split('/')
    .filter((step) => step !== '')
    .map((step) => decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((node, step) => objectOf(node)[step], root)
  if (!isObject(target)) throw refused(`The schema refers to nothing (${reference})`, param)
  const { $ref: _, ...beside } = schema
  return { ...target, ...beside }
}

function mergeAll(schema: Fields, all: readonly unknown[], place: SchemaScope): Fields {
  const { allOf: _, ...own } = schema
  return [...all, own].reduce<Fields>((merged, part) => {
    const reference = objectOf(part)['$ref']
    const next = isText(reference) ? dereference(objectOf(part), reference, place) : objectOf(part)
    return {
      ...merged,
      ...next,
      ...(merged['properties'] === undefined && next['properties'] === undefined
        ? {}
        : { properties: { ...objectOf(merged['properties']), ...objectOf(next['properties']) } }),
      ...(merged['required'] === undefined && next['required'] === undefined
        ? {}
        : { required: [...new Set([...listOf(merged['required']), ...listOf(next['required'])])] }),
    }
  }, {})
}

/**
 * Nothing else may be set beside `anyOf` ("When using any_of, it must be the only field set": lambda-alpha-labs/Graphenium#37), so that
 * each alternative has what holds for all of them. Only a default is left out, which may fit one of them alone.
 */
function union(schema: Fields, variants: readonly unknown[], place: SchemaScope): Fields {
  const { anyOf: _, oneOf: __, ...own } = schema
  const real = variants.filter((variant) => objectOf(variant)['type'] !== 'null')
  const nullable = real.length < variants.length
  if (real.length === 0) return withNull(single(own, place), nullable)
  if (real.length === 1) return withNull(convert({ ...own, allOf: real }, place), nullable)
  const { default: ___, ...shared } = own
  return {
    anyOf: real.map((variant) => withNull(convert({ allOf: [shared, variant] }, place), nullable)),
  }
}

function severalTypes(schema: Fields, types: readonly unknown[], place: SchemaScope): Fields {
  const real = types.filter((type) => type !== 'null')
  const nullable = real.length < types.length
  const [only] = real
  if (real.length === 1) return withNull(single({ ...schema, type: only }, place), nullable)
  const { default: _, ...shared } = schema
  return { anyOf: real.map((type) => withNull(single({ ...shared, type }, place), nullable)) }
}

function withNull(schema: Fields, nullable: boolean): Fields {
  return nullable ? { ...schema, nullable: true } : schema
}

const kept = [
  'title',
  'description',
  'default',
  'nullable',
  'pattern',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
  'propertyOrdering',
] as const

const formats: ReadonlySet<unknown> = new Set([
  'date-time',
  'enum',
  'float',
  'double',
  'int32',
  'int64',
])

/** A schema of at most one type. */
function single(schema: Fields, place: SchemaScope): Fields {
  const out: Record<string, unknown> = {}
  for (const name of kept) if (schema[name] !== undefined) out[name] = schema[name]
  if (formats.has(schema['format'])) out['format'] = schema['format']
  const [example] = listOf(schema['examples'])
  if (example !== undefined) out['example'] = example
  const type = typeOf(schema)
  if (type !== undefined) out['type'] = type.toUpperCase()
  if (type === 'integer') boundIntegers(schema, out)
  if (schema['const'] !== undefined) setConstant(schema['const'], out)
  if (Array.isArray(schema['enum'])) setEnum(schema['enum'], out)
  if (isObject(schema['properties'])) setProperties(schema, schema['properties'], out, place)
  if (type === 'array') out['items'] = itemsOf(schema, place)
  return out
}

function typeOf(schema: Fields): string | undefined {
  const { type } = schema as { readonly type?: unknown }
  if (typeof type === 'string') return type.toLowerCase()
  if (isObject(schema['properties'])) return 'object'
  return schema['items'] === undefined && schema['prefixItems'] === undefined ? undefined : 'array'
}

function boundIntegers(schema: Fields, out: Record<string, unknown>): void {
  const { exclusiveMinimum: above, exclusiveMaximum: below } = schema as {
    readonly exclusiveMinimum?: unknown
    readonly exclusiveMaximum?: unknown
  }
  if (typeof above === 'number') out['minimum'] = Math.floor(above) + 1
  if (typeof below === 'number') out['maximum'] = Math.ceil(below) - 1
}

/**
 * A constant text becomes an enum with one value, a constant number a range with one value. For true and false only the type
 * is kept.
 */
function setConstant(value: unknown, out: Record<string, unknown>): void {
  if (typeof value === 'string') {
    out['type'] = 'STRING'
    out['enum'] = [value]
  } else if (typeof value === 'number') {
    out['type'] ??= Number.isInteger(value) ? 'INTEGER' : 'NUMBER'
    out['minimum'] = value
    out['maximum'] = value
  } else if (typeof value === 'boolean') out['type'] = 'BOOLEAN'
  else if (value === null) out['type'] = 'NULL'
}

function setEnum(values: readonly unknown[], out: Record<string, unknown>): void {
  const real = values.filter((value) => value !== null)
  if (real.length < values.length) out['nullable'] = true
  if (real.some((value) => typeof value === 'boolean')) {
    out['type'] = 'BOOLEAN'
    return
  }
  out['type'] = 'STRING'
  out['enum'] = real.map((value) => (typeof value === 'string' ? value : JSON.stringify(value)))
}

function setProperties(
  schema: Fields,
  properties: Fields,
  out: Record<string, unknown>,
  place: SchemaScope,
): void {
  const entries = Object.entries(properties)
  if (entries.length === 0) return
  out['properties'] = Object.fromEntries(
    entries.map(([name, property]) => [
      name,
      convert(property, { ...place, param: `${place.param}.properties.${name}` }),
    ]),
  )
  const required = listOf(schema['required']).filter(
    (name) => typeof name === 'string' && name in properties,
  )
  if (required.length > 0) out['required'] = required
}

/** Each position of a tuple may be anything that one of the tuple's schemas allows. */
function itemsOf(schema: Fields, place: SchemaScope): Fields {
  const { items, prefixItems } = schema as {
    readonly items?: unknown
    readonly prefixItems?: unknown
  }
  const inside = { ...place, param: `${place.param}.items` }
  const tuple = listOf(prefixItems ?? items)
  if (tuple.length === 0) return convert(items, inside)
  const [only] = tuple
  return tuple.length === 1 ? convert(only, inside) : union({}, tuple, inside)
}

function refused(message: string, param: string): GatewayError {
  return new GatewayError('unsupported_value', message, { param })
}
