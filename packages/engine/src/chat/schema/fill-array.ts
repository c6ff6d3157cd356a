import { sentencesOf } from '../text/sentences.ts'
import { findClues, pairOf } from './clues.ts'
import { mentionedValues } from './fill-choice.ts'
import {
  deeper,
  depthMax,
  describeProperty,
  type FillContext,
  type Found,
  fillInside,
  guessed,
  invented,
  markUsed,
  type Property,
  stated,
} from './fill-context.ts'
import {
  asSchema,
  type JsonSchema,
  numberIn,
  plainSchema,
  resolveReferences,
  type SchemaObject,
  schemasIn,
  typesOf,
} from './json-schema.ts'
import { kinds } from './kinds.ts'

const itemsUsual = 50

/** A list for a property: everything in the text that is of the kind of its items. */
export function fillArray(schema: SchemaObject, property: Property, context: FillContext): Found {
  const prefix = schemasIn(schema['prefixItems'] ?? schema['items'])
  if (prefix.length > 0) return fillTuple(prefix, schema, property, context)
  const items = resolveReferences(asSchema(schema['items']), context.root)
  const found = context.depth > depthMax ? [] : listOf(items, property, context)
  const values = found.map(({ value }) => value).filter((value) => value !== undefined)
  const distinct =
    schema['uniqueItems'] === true
      ? [...new Map(values.map((value) => [JSON.stringify(value), value])).values()]
      : values
  const kept = distinct.slice(0, Math.max(0, numberIn(schema, 'maxItems') ?? itemsUsual))
  const isSaid = kept.length > 0 && found.every(({ sure }) => sure === 2)
  const sure = isSaid ? 2 : kept.length > 0 ? 1 : 0
  return { value: padded(kept, items, schema, { property, context }), sure }
}

function fillTuple(
  prefix: readonly JsonSchema[],
  schema: SchemaObject,
  property: Property,
  context: FillContext,
): Found {
  const found = prefix
    .slice(0, numberIn(schema, 'maxItems') ?? prefix.length)
    .map((item) => fillInside(item, property.name, context))
  const value = found.map((entry) => entry.value)
  return found.some((entry) => entry.sure === 0) ? invented(value) : guessed(value)
}

/** Adds values up to the minimum. For a list of unique values, repeated ones are varied. */
function padded(
  values: readonly unknown[],
  items: JsonSchema,
  schema: SchemaObject,
  { property, context }: { readonly property: Property; readonly context: FillContext },
): unknown[] {
  const all = [...values]
  const minItems = Math.min(numberIn(schema, 'minItems') ?? 0, 1000)
  for (let tries = 0; all.length < minItems && tries < 2 * minItems + 10; tries++) {
    const { value } = context.fillNode(items, { ...property, required: true }, deeper(context))
    if (value === undefined) break
    const isRepeated = all.some((other) => JSON.stringify(other) === JSON.stringify(value))
    all.push(
      schema['uniqueItems'] === true && isRepeated ? varied(value, all.length, items) : value,
    )
  }
  return all
}

function varied(value: unknown, count: number, items: JsonSchema): unknown {
  const choices = typeof items === 'object' ? items['enum'] : undefined
  if (Array.isArray(choices)) return choices[count] ?? value
  if (typeof value === 'number') return value + count
  return typeof value === 'string' ? `${value}${count + 1}` : value
}

function listOf(items: JsonSchema, property: Property, context: FillContext): Found[] {
  const { clues } = context
  const schema = plainSchema(items, context.root)
  if (Array.isArray(schema['enum']))
    return mentionedValues(schema['enum'], clues, property).map(stated)
  const [type = 'string'] = typesOf(schema)
  if (type === 'object') return objects(items, context)
  if (type === 'string') return texts(items, property, context)
  if (type !== 'number' && type !== 'integer') return []
  return clues.numbers
    .map(({ value }) => value)
    .filter((value) => (type === 'integer' ? Number.isInteger(value) : Number.isFinite(value)))
    .map(stated)
}

function texts(items: JsonSchema, property: Property, context: FillContext): Found[] {
  const { clues } = context
  const pair = pairOf(clues, property)
  const at = pair === undefined ? -1 : clues.text.indexOf(pair)
  // "tags: a, b and c": the pair itself ends at the first comma.
  const listed = at < 0 ? [] : itemsOf(/^[^\n.;]*/.exec(clues.text.slice(at))?.[0] ?? '')
  const lists = kinds.filter((kind) => kind.many)
  const kind =
    lists.find(({ label }) => label.test(property.label)) ??
    lists.find(({ label }) => label.test(property.description.toLowerCase()))
  const named = (kind?.find(clues, property) ?? []).filter((text) => text !== undefined)
  const row = rowIn(clues.text)
  const quoted = clues.quoted.map((span) => span.text)
  const ways: readonly (readonly [readonly string[], 1 | 2])[] = [
    [listed, 2],
    [named, 2],
    [row.length > 1 ? row : [], property.required ? 2 : 1],
    [quoted, 1],
  ]
  const [found, sure] = ways.find(([texts]) => texts.length > 0) ?? [[], 1]
  return found.slice(0, itemsUsual).map((text) => {
    markUsed(context, text)
    const quoted = [{ text, start: 0, end: text.length }]
    const own = { ...findClues(text, { now: clues.now }), quoted }
    return { value: context.fillNode(items, itemProperty, deeper(context, own)).value, sure }
  })
}

/** A property of a kind that takes the given text unchanged. */
const itemProperty = describeProperty('content', true, true)

/** "eggs, milk and bread" within a sentence, after a colon, or as lines. */
function rowIn(text: string): readonly string[] {
  const inside = /:\s*([^\n]{3,500})$/.exec(text.trim())?.[1]
  if (inside !== undefined && /,| and /.test(inside)) return itemsOf(inside)
  const lines = text.split('\n').filter((line) => /^\s*(?:[-*•]|\d{1,3}[.)])\s/.test(line))
  if (lines.length > 1) return itemsOf(lines.join('\n'))
  return itemsOf(row.exec(text)?.[0] ?? '')
}

const word = String.raw`(?:(?:a|an|the|some|\d+) )?[\p{L}][\p{L}'’-]{1,30}(?: [\p{L}][\p{L}'’-]{1,30})?`
const row = new RegExp(
  `(?<![\\p{L}])[\\p{L}'’-]{1,30}(?:, ${word}){1,20},? and ${word}|(?<![\\p{L}])[\\p{L}'’-]{2,30} and [\\p{L}'’-]{2,30}(?![\\p{L}])`,
  'u',
)

/** One object per line, sentence or clause with a value. */
function objects(items: JsonSchema, context: FillContext): Found[] {
  const { now, text } = context.clues
  if (context.ancestors.includes(items)) return []
  return unitsIn(text)
    .map((unit) => {
      if (context.budget.nodes <= 0) return invented(undefined)
      const unsaid = new Set<string>()
      const own = { ...deeper(context, findClues(unit, { now })), unsaid }
      const found = context.fillNode(items, describeProperty('', items, true), own)
      // An object for which the text does not give all values is not added to the list.
      return unsaid.size > 0 ? invented(undefined) : found
    })
    .filter(({ sure }) => sure === 2)
}

const unitsMax = 50

/** "3 x Widget at $4.50, 1 x Gear". */
const goods = /(?<![\w-])\d{1,6} ?[x×] ?\p{L}[^,;\n]{0,80}?(?=,|;|\n|\.(?:\s|$)|$| and \d)/gu

function unitsIn(text: string): string[] {
  const ways = [
    text.match(goods) ?? [],
    text.split('\n'),
    sentencesOf(text),
    text
      .replace(/^[^:]{1,80}:\s/, '')
      .split(
        /;|,? and (?=(?:a |an |the |one |two |three |four |five |\d|\p{Lu}))|, (?=(?:a |an |one |two |three |four |five |\d|\p{Lu}))/u,
      ),
  ].map((pieces) => pieces.map((piece) => piece.trim()).filter((piece) => piece !== ''))
  return (ways.find((pieces) => pieces.length > 1) ?? ways.at(-1) ?? []).slice(0, unitsMax)
}

/** What separates the items of one line. A comma before three digits is part of a number. */
const separators = /;|,(?!\d{3}(?!\d))(?:\s+(?:and|or|&)\s)?|\s(?:and|or|&)\s/i

/** The items of a list: lines, or what stands between commas, semicolons and "and". */
function itemsOf(text: string): readonly string[] {
  const lines = text.trim().split('\n')
  return (lines.length > 1 ? lines : text.split(separators))
    .map((item) =>
      item
        .trim()
        .replace(/^(?:[-*•+]|\d{1,4}[.)])\s+/, '')
        .replace(/^["'“‘]([^"'“”‘’]*)["'”’]$/u, '$1')
        .replace(/[.!?]$/, ''),
    )
    .filter((item) => item !== '')
}
