import { isDeep } from '../request-size.ts'
import { isBounded, isRecord, type JsonSchema, type SchemaObject } from '../schema/json-schema.ts'
import { parseJsonText } from '../text/json-facts.ts'
import { outermostBraces, type Range } from './braces.ts'
import { describesTypes, type Enumerations, schemaOfNotation } from './notation-schema.ts'
import { readNotation } from './read-notation.ts'

/** A schema of the response that stands in a text. */
export interface FoundSchema {
  readonly schema: JsonSchema
  /** `schema`: a JSON Schema. `types`: an object with types in place of values. `example`: an object with other values. */
  readonly kind: 'schema' | 'types' | 'example'
  /** The schema with everything that illustrates it: example schemas before it, and examples of instances. */
  readonly range: Range
  /** Where the schema itself begins. */
  readonly start: number
}

interface Candidate extends Range {
  readonly value: unknown
  readonly kind: FoundSchema['kind']
}

/** Prompts with more objects are data. */
const objectsMax = 200

/**
 * The schema in a text: the last JSON Schema, otherwise the last object with types, otherwise the last other object. Takes time
 * in proportion to the length.
 */
export function findSchema(text: string): FoundSchema | undefined {
  if (!text.includes('{')) return undefined
  const named = enumerationsIn(text)
  const candidates = outermostBraces(text)
    .slice(-objectsMax)
    .flatMap((range) => candidateAt(text, range, named))
  const kinds = ['schema', 'types', 'example'] as const
  const kind = kinds.find((wanted) => candidates.some((candidate) => candidate.kind === wanted))
  const chosen = candidates.findLast((candidate) => candidate.kind === kind)
  if (kind === undefined || chosen === undefined) return undefined
  const schema =
    kind === 'schema'
      ? (chosen.value as SchemaObject)
      : schemaOfNotation(chosen.value, named.values)
  if (!isBounded(schema)) return undefined
  const range = illustrated(text, chosen, { candidates, named })
  return { schema, kind, range, start: chosen.start }
}

function candidateAt(text: string, range: Range, named: Named): readonly Candidate[] {
  const written = text.slice(range.start, range.end)
  // Templates double their braces.
  const plain = written.startsWith('{{')
    ? written.replaceAll('{{', '{').replaceAll('}}', '}')
    : written
  const value = parseJsonText(plain) ?? readNotation(plain)
  if (!isRecord(value) || isDeep(value)) return []
  const schema = schemaIn(value)
  if (schema !== undefined) return [{ ...range, value: schema, kind: 'schema' }]
  const list = listAround(text, range)
  return [
    {
      ...(list ?? range),
      value: list === undefined ? value : [value],
      kind: describesTypes(value, named.values) ? 'types' : 'example',
    },
  ]
}

/** `[{…}]`: the list that has only this object. */
function listAround(text: string, { start, end }: Range): Range | undefined {
  const before = text.slice(Math.max(0, start - 40), start).trimEnd()
  const after = /^[\s,]{0,40}\]/.exec(text.slice(end, end + 41))
  if (!before.endsWith('[') || after === null) return undefined
  return { start: text.lastIndexOf('[', start), end: end + after[0].length }
}

const typeNames: ReadonlySet<unknown> = new Set(
  'object array string number integer boolean null'.split(' '),
)

/** The value if it is a JSON Schema, or the one in it in the forms that APIs have. */
function schemaIn(value: SchemaObject): SchemaObject | undefined {
  if (isSchema(value)) return value
  for (const name of ['schema', 'json_schema', 'jsonSchema']) {
    const inner = value[name]
    if (isRecord(inner)) return schemaIn(inner)
  }
  return undefined
}

function isSchema(value: SchemaObject): boolean {
  const {
    type,
    properties,
    items,
    $ref: reference,
    $defs: definitions,
    enum: values,
  } = value as {
    readonly [name: string]: unknown
  }
  const isTyped =
    typeNames.has(type) || (Array.isArray(type) && type.every((one) => typeNames.has(one)))
  if (properties !== undefined)
    return (
      isRecord(properties) &&
      Object.values(properties).every(isSchemaOrFlag) &&
      (isTyped || type === undefined)
    )
  if (isTyped && (isRecord(items) || Array.isArray(values))) return true
  if (typeof reference === 'string' && (isRecord(definitions) || isRecord(value['definitions'])))
    return true
  if (typeof value['$schema'] === 'string') return true
  return ['anyOf', 'oneOf', 'allOf'].some((name) => {
    const ways = value[name]
    return Array.isArray(ways) && ways.length > 0 && ways.every(isSchemaOrFlag)
  })
}

function isSchemaOrFlag(value: unknown): boolean {
  return isRecord(value) || typeof value === 'boolean'
}

interface Named {
  readonly values: Enumerations
  readonly ranges: readonly Range[]
}

/** A name, a rule, and items: how BAML writes an enumeration. */
const enumeration =
  /(?:^|\n)([A-Za-z_]\w{0,60})\n-{3,40}\n((?:[^\n]{0,300}\n)?)((?:- [^\n]{1,300}(?:\n|$)){1,200})/g

function enumerationsIn(text: string): Named {
  const found = text.includes('\n---') ? [...text.matchAll(enumeration)] : []
  return {
    values: new Map(
      found.map(([, name = '', , items = '']) => [
        name,
        items
          .trim()
          .split('\n')
          .map((item) => /^- ([^:]*)/.exec(item)?.[1]?.trim() ?? '')
          .filter((item) => item !== ''),
      ]),
    ),
    ranges: found.map(({ 0: whole, index }) => ({ start: index, end: index + whole.length })),
  }
}

const illustrates =
  /\b(?:examples?|e\.?g\d*|sample|such as|like this|instance|well-?formed|well-?formatted|outputs?)\b[^\n{}]{0,80}:?\s{0,20}$/i
/** An illustration further away belongs to something else. */
const distanceMax = 1_000

/** The range from the first schema, enumeration or example near the chosen one to the last. */
function illustrated(
  text: string,
  chosen: Candidate,
  { candidates, named }: { readonly candidates: readonly Candidate[]; readonly named: Named },
): Range {
  const others = candidates.filter(
    (candidate) =>
      candidate !== chosen &&
      (candidate.kind === 'schema' ||
        illustrates.test(text.slice(Math.max(0, candidate.start - 120), candidate.start))),
  )
  let { start, end } = chosen
  const illustrations = [...others, ...named.ranges].toSorted(
    (left, right) => left.start - right.start,
  )
  for (const other of illustrations.toReversed())
    if (other.end <= start && start - other.end <= distanceMax) start = other.start
  for (const other of illustrations)
    if (other.start >= end && other.start - end <= distanceMax) end = other.end
  return { start, end }
}
