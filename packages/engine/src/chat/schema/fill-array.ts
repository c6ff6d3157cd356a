import { itemsOf } from '../text/items.ts'
import { sentencesOf } from '../text/sentences.ts'
import { coloursOf } from '../text/spans.ts'
import { type Clues, findClues, pairKey } from './clues.ts'
import { mentionedValues } from './fill-enum.ts'
import { depthMax, type FillContext, markUsed } from './fill-context.ts'
import { type Found, guessed, invented, said } from './found.ts'
import {
  asSchema,
  isRecord,
  type JsonSchema,
  merged,
  numberIn,
  resolveReferences,
  type SchemaObject,
  schemasIn,
  typesOf,
} from './json-schema.ts'
import { nounPhrases } from './phrases.ts'
import { placesOf } from './places.ts'
import { describeProperty, type Property } from './property.ts'

const itemsUsual = 50

/** A list for a property: everything in the text of the kind that its items are. */
export function fillArray(schema: SchemaObject, property: Property, context: FillContext): Found {
  const prefix =
    schemasIn(schema['prefixItems']).length > 0
      ? schemasIn(schema['prefixItems'])
      : schemasIn(schema['items'])
  if (prefix.length > 0) return fillTuple(prefix, schema, property, context)
  const items = resolveReferences(asSchema(schema['items']), context.root)
  const minItems = Math.min(numberIn(schema, 'minItems') ?? 0, 1000)
  const maxItems = numberIn(schema, 'maxItems') ?? itemsUsual
  const found = context.depth > depthMax ? invented([]) : listOf(items, property, context)
  const values = Array.isArray(found.value)
    ? found.value.filter((value) => value !== undefined)
    : []
  const distinct = schema['uniqueItems'] === true ? unique(values) : values
  const kept = distinct.slice(0, Math.max(0, maxItems))
  padTo(minItems, kept, { items, schema, property, context })
  return { value: kept, sure: kept.length === 0 ? 0 : found.sure }
}

function fillTuple(
  prefix: readonly JsonSchema[],
  schema: SchemaObject,
  property: Property,
  context: FillContext,
): Found {
  const maxItems = numberIn(schema, 'maxItems') ?? prefix.length
  const found = prefix
    .slice(0, maxItems)
    .map((item) =>
      context.fillNode(item, { ...describeProperty(property.name, item, true) }, deeper(context)),
    )
  const sure = found.length > 0 && found.every((entry) => entry.sure > 0) ? 1 : 0
  return { value: found.map((entry) => entry.value), sure }
}

function deeper(context: FillContext): FillContext {
  return { ...context, depth: context.depth + 1 }
}

interface Padding {
  readonly items: JsonSchema
  readonly schema: SchemaObject
  readonly property: Property
  readonly context: FillContext
}

function padTo(
  minItems: number,
  values: unknown[],
  { items, schema, property, context }: Padding,
): void {
  for (let tries = 0; values.length < minItems && tries < 2 * minItems + 10; tries++) {
    const { value } = context.fillNode(items, { ...property, required: true }, deeper(context))
    if (value === undefined) return
    const repeated = values.some((other) => JSON.stringify(other) === JSON.stringify(value))
    if (schema['uniqueItems'] !== true || !repeated) values.push(value)
    else values.push(varied(value, values.length, items))
  }
}

/** Another value of the same kind, where a list wants no two alike. */
function varied(value: unknown, count: number, items: JsonSchema): unknown {
  if (isRecord(items) && Array.isArray(items['enum'])) return items['enum'][count] ?? value
  if (typeof value === 'number') return value + count
  return typeof value === 'string' ? `${value}${count + 1}` : value
}

function unique(values: readonly unknown[]): unknown[] {
  const seen = new Set<string>()
  return values.filter((value) => {
    const key = JSON.stringify(value) ?? 'undefined'
    if (seen.has(key)) return false
    seen.add(key)
    return true
  })
}

function listOf(items: JsonSchema, property: Property, context: FillContext): Found {
  const schema = isRecord(items) ? merged(items, context.root) : {}
  if (Array.isArray(schema['enum'])) {
    const values = mentionedValues(schema['enum'], context.clues, property)
    return values.length > 0 ? said(values) : invented([])
  }
  const [type] = typesOf(schema)
  if (type === 'object' || 'properties' in schema) return objects(items, property, context)
  if (type === 'number' || type === 'integer') return numbers(schema, context)
  if (type === 'string' || type === undefined) return texts(items, property, context)
  return invented([])
}

function numbers(schema: SchemaObject, { clues }: FillContext): Found {
  const whole = typesOf(schema)[0] === 'integer'
  const values = clues.numbers
    .map((span) => span.value)
    .filter((value) => Number.isFinite(value) && (!whole || Number.isInteger(value)))
  const own =
    values.length > 0 || clues.before === undefined
      ? values
      : clues.before.numbers.map((span) => span.value)
  return own.length > 0 ? said(own) : invented([])
}

const finders: readonly (readonly [RegExp, (clues: Clues) => readonly string[]])[] = [
  [/\be ?mails?\b|\brecipients?\b/, (clues) => clues.emails.map((span) => span.text)],
  [/\b(?:urls?|links?|websites?)\b/, (clues) => clues.urls.map((span) => span.text)],
  [/\bdates?\b|\bdays\b/, (clues) => clues.dates.map((span) => span.text)],
  [
    /\b(?:cities|locations?|places?|countries|destinations?|stops?)\b/,
    (clues) => placesOf(clues).map((span) => span.text),
  ],
  [
    /\b(?:people|persons?|names|participants?|attendees?|guests?|members?|authors?|characters?|users?|entities|friends|players|speakers)\b/,
    (clues) => clues.names.map((span) => span.text),
  ],
  [/\bcolou?rs?\b/, (clues) => coloursOf(clues.text).map((span) => span.text.toLowerCase())],
  [/\b(?:steps?|reasoning|evidence|explanations?)\b/, (clues) => clues.answer?.evidence ?? []],
]

function texts(items: JsonSchema, property: Property, context: FillContext): Found {
  const { clues } = context
  const pair = clues.pairs.get(pairKey(property.name))
  const at = pair === undefined ? -1 : clues.text.indexOf(pair)
  // "tags: a, b and c": the pair itself ends with the first comma.
  const listed =
    at < 0 ? undefined : itemsOf(/^[^\n.;]*/.exec(clues.text.slice(at))?.[0] ?? '').items
  if (listed !== undefined && listed.length > 0) return taken(listed, items, context, 2)
  const finder =
    finders.find(([label]) => label.test(property.label)) ??
    finders.find(([label]) => label.test(property.description.toLowerCase()))
  const found = finder?.[1](clues) ?? []
  if (found.length > 0) return taken(found, items, context, 2)
  const row = rowIn(clues.text)
  if (row.length > 1) return taken(row, items, context, property.required ? 2 : 1)
  const quoted = clues.quoted.map((span) => span.text)
  if (quoted.length > 0) return taken(quoted, items, context, 1)
  const rest =
    clues.names.length > 0 ? clues.names.map((span) => span.text) : nounPhrases(clues.text)
  return property.required && rest.length > 0
    ? taken(rest.slice(0, 5), items, context, 1)
    : invented([])
}

function taken(
  texts: readonly string[],
  items: JsonSchema,
  context: FillContext,
  sure: 1 | 2,
): Found {
  const values: unknown[] = []
  for (const text of texts.slice(0, itemsUsual)) {
    const found = context.fillNode(items, itemProperty, {
      ...deeper(context),
      clues: oneText(text, context.clues),
    })
    values.push(found.value)
    markUsed(context, text)
  }
  return sure === 2 ? said(values) : guessed(values)
}

/** A label whose cue is the very text it is given. */
const itemProperty: Property = {
  name: 'content',
  label: 'content',
  description: '',
  required: true,
  roots: new Set(),
}

function oneText(text: string, clues: Clues): Clues {
  return { ...findClues(text, { now: clues.now }), quoted: [{ text, start: 0, end: text.length }] }
}

/** "eggs, milk and bread" within a sentence. */
function rowIn(text: string): readonly string[] {
  const inside = /:\s*([^\n]{3,500})$/.exec(text.trim())?.[1]
  if (inside !== undefined && /,| and /.test(inside)) return itemsOf(inside).items
  const lines = text
    .trim()
    .split('\n')
    .filter((line) => /^\s*(?:[-*•]|\d{1,3}[.)])\s/.test(line))
  if (lines.length > 1) return itemsOf(lines.join('\n')).items
  const word = String.raw`(?:(?:a|an|the|some|\d+) )?[\p{L}][\p{L}'’-]{1,30}(?: [\p{L}][\p{L}'’-]{1,30})?`
  const row = new RegExp(
    `(?<![\\p{L}])[\\p{L}'’-]{1,30}(?:, ${word}){1,20},? and ${word}|(?<![\\p{L}])[\\p{L}'’-]{2,30} and [\\p{L}'’-]{2,30}(?![\\p{L}])`,
    'u',
  ).exec(text)
  return row === null ? [] : itemsOf(row[0]).items
}

const unitsMax = 50

/** One object per line, sentence or clause that says something for it. */
function objects(items: JsonSchema, property: Property, context: FillContext): Found {
  const { clues } = context
  if (context.ancestors.includes(items)) return invented([])
  const steps = stepObjects(items, property, context)
  if (steps !== undefined) return steps
  const units = unitsIn(clues.text)
  const values: unknown[] = []
  for (const unit of units) {
    if (context.budget.nodes <= 0) break
    const own = findClues(unit, { now: clues.now })
    const found = context.fillNode(
      items,
      { ...describeProperty('', items, true) },
      { ...deeper(context), clues: own, used: new Set() },
    )
    if (found.sure === 2) values.push(found.value)
  }
  return values.length > 0 ? said(values) : invented([])
}

/** The steps that a skill took, for lists that ask for them. */
function stepObjects(
  items: JsonSchema,
  property: Property,
  context: FillContext,
): Found | undefined {
  const evidence = context.clues.answer?.evidence ?? []
  if (
    !/\bsteps?\b|\breasoning\b/.test(property.label) ||
    evidence.length === 0 ||
    context.clues.answer?.skill === 'none'
  )
    return undefined
  const values = evidence.slice(0, itemsUsual).map((step) => {
    const output = /(?:[.:] |^)([^.:]{1,80}[=≈][^.:]{1,80}(?:\.\d+)?)$/.exec(step)?.[1] ?? step
    const explanation = step === output ? step : step.slice(0, step.length - output.length).trim()
    const clues = findClues('', {
      now: context.clues.now,
      answer: { skill: 'step', phrasings: [output], value: output, evidence: [explanation] },
    })
    return context.fillNode(
      items,
      { ...describeProperty('', items, true) },
      { ...deeper(context), clues, used: new Set() },
    ).value
  })
  return said(values)
}

function unitsIn(text: string): string[] {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  if (lines.length > 1) return lines.slice(0, unitsMax)
  const sentences = sentencesOf(text)
  if (sentences.length > 1) return sentences.slice(0, unitsMax)
  return text
    .replace(/^[^:]{1,80}:\s/, '')
    .split(
      /;|,? and (?=(?:a |an |the |one |two |three |four |five |\d|\p{Lu}))|, (?=(?:a |an |one |two |three |four |five |\d|\p{Lu}))/u,
    )
    .map((piece) => piece.trim())
    .filter((piece) => piece !== '')
    .slice(0, unitsMax)
}
