import fc from 'fast-check'

/** The part of JSON Schema that the gateway's own schemas use. */
export interface Schema {
  readonly type?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly patternProperties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly minItems?: number
  readonly pattern?: string
  readonly contentMediaType?: string
}

/** Values for fields of certain names, used if random values from the schema alone would never be useful. */
export type Hints = Readonly<Record<string, fc.Arbitrary<unknown>>>

/** Values that break careless code, in any position. */
const junk: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    '',
    0,
    -1,
    0.5,
    1e308,
    -1e308,
    5e-324,
    2 ** 53,
    2 ** 31,
    {},
    [],
    [[]],
    [null],
    [{}],
    { length: 1e9 },
    { toString: 1, valueOf: 2 },
    JSON.parse('{"__proto__":{"polluted":true}}'),
    { constructor: { prototype: { polluted: true } } },
    '\u0000',
    '\ud800',
    '../../etc/passwd',
    'NaN',
    'a'.repeat(20_000),
    '('.repeat(5_000),
    '\u202e\u0301'.repeat(500),
    '😀'.repeat(2_000),
  ),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.double(),
  fc.maxSafeInteger(),
  fc.jsonValue({ maxDepth: 3 }),
)

/** A value that a schema allows; `name` is the field it is for. */
export function valueOf(schema: Schema, hints: Hints, name = ''): fc.Arbitrary<unknown> {
  const hint = hints[name]
  if (hint && schema.anyOf === undefined)
    return fc.oneof({ weight: 4, arbitrary: hint }, plainValueOf(schema, hints, name))
  return plainValueOf(schema, hints, name)
}

function plainValueOf(schema: Schema, hints: Hints, name: string): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((branch) => valueOf(branch, hints, name)))
  if (schema.allOf)
    return fc
      .tuple(...schema.allOf.map((part) => valueOf(part, hints, name)))
      .map((parts) => Object.assign({}, ...(parts as object[])) as unknown)
  switch (schema.type) {
    case 'null':
      return fc.constant(null)
    case 'boolean':
      return fc.boolean()
    case 'string':
      return textOf(schema)
    case 'integer':
      return fc.integer(boundsOf(schema))
    case 'number':
      return fc.double({ ...boundsOf(schema), noNaN: true })
    case 'array':
      return fc.array(schema.items ? valueOf(schema.items, hints, name) : fc.jsonValue(), {
        minLength: schema.minItems ?? 0,
        maxLength: (schema.minItems ?? 0) + 3,
      })
    case 'object':
      return objectOf(schema, hints)
    default:
      return fc.jsonValue({ maxDepth: 2 })
  }
}

function boundsOf({ minimum = -3, maximum = 5 }: Schema): { min: number; max: number } {
  return { min: minimum, max: Math.max(minimum, Math.min(maximum, minimum + 20)) }
}

function textOf({ pattern, minLength = 0 }: Schema): fc.Arbitrary<string> {
  return pattern === undefined
    ? fc.string({ unit: 'grapheme', minLength, maxLength: minLength + 12 })
    : fc.stringMatching(new RegExp(pattern))
}

/** Required fields are always present, the others sometimes. */
function objectOf(
  { properties, patternProperties, required = [] }: Schema,
  hints: Hints,
): fc.Arbitrary<unknown> {
  if (!properties) {
    const [items] = Object.values(patternProperties ?? {})
    const values = items ? valueOf(items, hints) : fc.jsonValue({ maxDepth: 2 })
    return fc.dictionary(fc.string({ maxLength: 6 }), values, { maxKeys: 3 })
  }
  const fields = Object.entries(properties).map(([name, schema]) => {
    const value = valueOf(schema, hints, name)
    const field: fc.Arbitrary<unknown> = required.includes(name)
      ? value
      : fc.oneof({ weight: 5, arbitrary: fc.constant(absent) }, { weight: 2, arbitrary: value })
    return field.map((content) => (content === absent ? {} : { [name]: content }))
  })
  return fc.tuple(...fields).map((parts) => Object.assign({}, ...parts) as unknown)
}

const absent = Symbol('absent')

/** A body with one to three random faults. */
export function broken(body: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const step = fc.record({ at: fc.nat(), how: fc.nat(6), value: junk })
  return fc
    .tuple(body, fc.array(step, { minLength: 1, maxLength: 3 }))
    .map(([whole, steps]) => steps.reduce<unknown>(mutated, whole))
}

interface Mutation {
  readonly at: number
  readonly how: number
  readonly value: unknown
}

function mutated(whole: unknown, { at, how, value }: Mutation): unknown {
  const copy = structuredClone(whole)
  const places = placesIn(copy)
  const place = places[at % Math.max(1, places.length)]
  if (!place) return value
  const { holder, key } = place
  const old = holder[key]
  if (how === 0) delete holder[key]
  else if (how === 1) holder[key] = [old]
  else if (how === 2) holder[key] = { [key]: old }
  else if (how === 3 && Array.isArray(old)) holder[key] = [...old, ...old, value]
  else if (how === 4 && typeof old === 'number') holder[key] = old * -1e9
  else if (how === 5 && typeof old === 'string') holder[key] = old.repeat(50)
  else holder[key] = value
  return copy
}

interface Place {
  readonly holder: Record<string, unknown>
  readonly key: string
}

function placesIn(value: unknown): readonly Place[] {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return []
  // For reading and writing, an array can be treated as a record of its items.
  const holder = value as Record<string, unknown>
  return Object.keys(holder).flatMap((key) => [{ holder, key }, ...placesIn(holder[key])])
}
