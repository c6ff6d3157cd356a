import type { ChatRequest } from '@sluice/contract'
import { isDeep, messageText } from '../request-size.ts'
import { isBounded, isRecord, type JsonSchema, type SchemaObject } from '../schema/json-schema.ts'
import { parseJsonText } from '../text/json-facts.ts'
import { asksAboutSchema, withoutFormat, withoutFrame } from './format-words.ts'
import {
  describesTypes,
  type Enumerations,
  outermostBraces,
  type Range,
  readNotation,
  schemaOfNotation,
  typeOf,
} from './notation.ts'

/** A conversation's texts, and the schema in them that the response must match. */
interface Prompted {
  /** One text per message, without the schema and the sentences about the form of the response. */
  readonly texts: readonly string[]
  /** Undefined if the prompt has none. */
  readonly schema: JsonSchema | undefined
}

/**
 * Finds the schema that a prompt says the response must match, in any wording: in a system message, or in the messages of the
 * last user turn. The sentences next to it say how to respond, so no values may be taken from them.
 */
export function readPrompted(request: ChatRequest): Prompted {
  const { messages, response_format: format } = request
  const texts = messages.map(messageText)
  const lastUser = messages.findLastIndex(({ role }) => role === 'user')
  const firstUser =
    messages.findLastIndex(({ role }, index) => index < lastUser && role !== 'user') + 1
  const isRead = (index: number): boolean => {
    const role = messages[index]?.role
    return role === 'system' || role === 'developer' || (index >= firstUser && index <= lastUser)
  }
  const isDemanded = format != null && format.type !== 'text'
  const found = texts.map((text, index) =>
    isRead(index) ? promptedIn(text, index, { isDemanded, request }) : undefined,
  )
  const schema = found.findLast((one) => one !== undefined)?.schema
  if (schema === undefined) return { texts, schema }
  return {
    schema,
    texts: texts.map((text, index) => {
      if (!isRead(index)) return text
      const own = found[index]
      if (own !== undefined) return own.rest
      return messages[index]?.role === 'user' ? withoutFrame(text.replace(fieldHeading, '')) : text
    }),
  }
}

/** How DSPy heads the values that it sends. */
const fieldHeading = /^\[\[ ## \w{1,60} ## \]\]\n?/gm

interface PromptedText {
  readonly schema: JsonSchema
  readonly rest: string
}

/** Words before a schema that is not one of responses. */
const foreign =
  /\b(?:input|inputs|tool|tools|function|functions|arguments?|parameters?|params|request body|payload)\b/i
const own =
  /\b(?:respon\w*|outputs?|answer\w*|repl(?:y|ies)|return\w*|results?|json schema|conform\w*|match\w*)\b/i
const demand = /\bjson\b|\bschema\b|\bformat\b|\bstructure\b|\bfields\b|\btypes?\b|格式|结构/i

function promptedIn(
  text: string,
  index: number,
  { isDemanded, request }: { readonly isDemanded: boolean; readonly request: ChatRequest },
): PromptedText | undefined {
  const found = findSchema(text)
  if (found === undefined) return undefined
  const { text: rest, removed } = withoutFormat(text, found.range)
  const isSure = isDemanded && found.kind === 'schema' && !removed.some(asksAboutSchema)
  if (!isSure && !isWanted(found, text, removed)) return undefined
  const isAlone = rest === '' && removed.length === 0
  const isAsked = request.messages.some(
    (message, other) =>
      other !== index && message.role === 'user' && messageText(message).trim() !== '',
  )
  return isAlone && !isAsked && !isDemanded ? undefined : { schema: found.schema, rest }
}

function isWanted({ kind, range, start }: FoundSchema, text: string, removed: readonly string[]) {
  const lead = text.slice(Math.max(0, start - 200), start)
  const beside = `${lead} ${removed.join(' ')} ${text.slice(range.end, range.end + 100)}`
  if (removed.some(asksAboutSchema)) return false
  if (kind !== 'schema')
    return (
      (removed.length > 0 || range.start < start) &&
      demand.test(beside) &&
      (kind === 'types' || isForm.test(beside))
    )
  const line = lead.slice(lead.lastIndexOf('\n', lead.trimEnd().length - 1) + 1)
  return !foreign.test(line) || own.test(line)
}

/** An object with values is a form to fill only if the words beside it say so: otherwise it may be what the request is about. */
const isForm =
  /\b(?:(?:this|following|exact|below|the|specified|given) (?:json )?(?:format|structure|template|schema|form|shape)|in (?:this|the following) form|(?:json object|json) (?:with|like|of|in) (?:this|the following)|with the following (?:fields|keys))\b|格式/i

/** A schema of the response that stands in a text. */
interface FoundSchema {
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

/** How BAML asks for a value that is no object. */
const saidType =
  /(?:^|\n)Answer (?:as an? (?=int|float|bool)|with any of the categories:\n|with a JSON Array using this schema:\n)([A-Za-z_][\w[\]]{0,60})(?=\n|\s*$)/

/** Prompts with more objects are data. */
const objectsMax = 200

/**
 * The schema in a text: the last JSON Schema, otherwise the last object with types, otherwise the last other object. Takes time
 * in proportion to the length.
 */
export function findSchema(text: string): FoundSchema | undefined {
  const named = enumerationsIn(text)
  const said = saidType.exec(text)
  const type = typeOf(said?.[1] ?? '', named.values)
  if (said !== null && type !== undefined) {
    const start = said.index
    const chosen: Candidate = { start, end: start + said[0].length, value: type, kind: 'schema' }
    const range = illustrated(text, chosen, { candidates: [], named })
    return { schema: type, kind: 'schema', range, start }
  }
  if (!text.includes('{')) return undefined
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
  const kind = describesTypes(value, named.values) ? 'types' : 'example'
  const list = listAround(text, range)
  return [list === undefined ? { ...range, value, kind } : { ...list, value: [value], kind }]
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
  const { type, properties, items, $ref: reference, $defs: definitions, enum: values } = value
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
  const valuesIn = (items: string): readonly string[] =>
    [...items.matchAll(/^- ([^:\n]*[^:\s])/gm)].map(([, item = '']) => item)
  return {
    values: new Map(found.map(([, name = '', , items = '']) => [name, valuesIn(items)])),
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
