import { trimEndOf } from '../text/trim.ts'
import { datesOf, isoDay } from '../text/dates.ts'
import type { Clues } from './clues.ts'
import { createCheck } from './check.ts'
import { cues, isoDates } from './cues.ts'
import { type FillContext, isUsed, markUsed } from './fill-context.ts'
import { formatCandidates, sampleFormat } from './formats.ts'
import { type Found, guessed, invented, said } from './found.ts'
import { numberIn, type SchemaObject, textIn } from './json-schema.ts'
import { valueAfterLabel } from './labelled-value.ts'
import { nounPhrases } from './phrases.ts'
import type { Property } from './property.ts'
import { matchesPattern } from './regex/match.ts'
import { samplePattern } from './regex/sample.ts'

/** A text for a property: what the request says for it, brought into the form that the schema wants. */
export function fillString(schema: SchemaObject, property: Property, context: FillContext): Found {
  const found = best(candidates(schema, property, context), schema, context)
  if (found.fresh !== undefined) {
    markUsed(context, found.fresh.value)
    return found.fresh
  }
  const preset = schema['default']
  if (typeof preset === 'string') return invented(preset)
  return invented(made(schema, property, context) ?? found.taken ?? sampleOf(schema, context))
}

function* candidates(
  schema: SchemaObject,
  property: Property,
  context: FillContext,
): Generator<Found> {
  const { clues } = context
  const format = textIn(schema, 'format')
  if (format !== undefined)
    for (const text of formatCandidates(format, clues, property)) yield said(text)
  const labelled = valueAfterLabel(clues, property)
  if (labelled !== undefined) yield said(labelled)
  if (textIn(schema, 'pattern') !== undefined)
    for (const text of tokensOf(clues)) yield guessed(text)
  yield* cued(property, clues)
  if (clues.before !== undefined && property.required) yield* cued(property, clues.before, 1)
}

/** By the property's name, or else by its description. */
function* cued(property: Property, clues: Clues, sureMax: 1 | 2 = 2): Generator<Found> {
  const byName = cues.find((cue) => cue.label.test(property.label))
  const byDescription =
    byName === undefined
      ? cues.find((cue) => cue.label.test(firstSentence(property.description)))
      : undefined
  const cue = byName ?? byDescription
  if (cue === undefined) return
  const whole = trimEndOf(clues.text.trim().toLowerCase(), '.?!')
  for (const text of cue.find(clues, property)) {
    if (text === undefined || text === '') continue
    const isWhole = text.toLowerCase() === whole
    const sure = isWhole ? 0 : byName === undefined || cue.sure === false ? 1 : sureMax
    for (const part of parted(text, property)) yield { value: part, sure }
  }
}

function firstSentence(description: string): string {
  return (description.split(/[.;(]|, e\.g|e\.g/)[0] ?? '').toLowerCase()
}

/** "Paris, France" holds a city and a country. */
function parted(text: string, { label }: Property): string[] {
  const comma = text.indexOf(', ')
  if (comma < 0) return [text]
  if (/\b(?:city|town)\b/.test(label)) return [text.slice(0, comma)]
  return /\b(?:country|state|region)\b/.test(label) ? [text.slice(comma + 2)] : [text]
}

interface Best {
  readonly fresh?: Found
  /** What another property has taken already: no news for this one, but better than nothing. */
  readonly taken?: string
}

function best(found: Iterable<Found>, schema: SchemaObject, context: FillContext): Best {
  let taken: string | undefined
  let weak: Found | undefined
  for (const candidate of found) {
    const value = fitted(String(candidate.value), schema, context)
    if (value === undefined) continue
    const suited = { value, sure: candidate.sure }
    if (candidate.sure === 0) weak ??= suited
    else if (isUsed(context, value)) taken ??= value
    else return { fresh: suited }
  }
  if (weak !== undefined && taken === undefined) return { fresh: weak }
  return taken === undefined ? {} : { taken }
}

/** Where the text says nothing: another phrase of it, an example, or the whole of it. */
function made(schema: SchemaObject, property: Property, context: FillContext): string | undefined {
  const examples = Array.isArray(schema['examples']) ? schema['examples'] : []
  const { clues } = context
  const rest = [
    ...clues.quoted.map((span) => span.text),
    ...nounPhrases(clues.text),
    ...clues.names.map((span) => span.text),
  ].filter((text) => !isUsed(context, text))
  const answer =
    clues.answer?.skill === 'none' ? undefined : (clues.answer?.value ?? clues.answer?.phrasings[0])
  const optional = property.required ? [] : ['']
  const own = [...rest, answer, clues.text.trim().slice(0, 500), '']
  const offered = [...(isFormal(schema) ? [] : own), ...examples, ...optional]
  for (const text of offered) {
    const value = typeof text === 'string' ? fitted(text, schema, context) : undefined
    if (value === undefined) continue
    markUsed(context, value)
    return value
  }
  return undefined
}

/** Forms that no plain phrase has. */
function isFormal(schema: SchemaObject): boolean {
  return textIn(schema, 'format') !== undefined || textIn(schema, 'pattern') !== undefined
}

function sampleOf(schema: SchemaObject, { clues }: FillContext): string {
  const format = textIn(schema, 'format')
  const pattern = textIn(schema, 'pattern')
  const lengthMin = numberIn(schema, 'minLength') ?? 0
  const text =
    (pattern === undefined ? undefined : samplePattern(pattern, Math.min(lengthMin, 1000))) ??
    (format === undefined ? undefined : sampleFormat(format, clues.now)) ??
    ''
  return lengthened(text, lengthMin)
}

/** The text as the schema allows it; undefined where it cannot be made to fit. */
function fitted(text: string, schema: SchemaObject, { clues }: FillContext): string | undefined {
  const lengthMax = numberIn(schema, 'maxLength') ?? Number.POSITIVE_INFINITY
  const lengthMin = numberIn(schema, 'minLength') ?? 0
  const format = textIn(schema, 'format')
  const pattern = textIn(schema, 'pattern')
  const formed = format === undefined ? text : inFormat(text, format, clues)
  if (formed === undefined) return undefined
  const characters = [...formed]
  const cut =
    characters.length > lengthMax ? characters.slice(0, Math.max(0, lengthMax)).join('') : formed
  if (pattern === undefined)
    return [...cut].length < lengthMin && format === undefined ? lengthened(cut, lengthMin) : cut
  if ([...cut].length < lengthMin) return undefined
  return [
    cut,
    cut.toUpperCase(),
    cut.toLowerCase(),
    cut.replace(/\s+/g, '-').toLowerCase(),
    cut.replace(/\s+/g, '_').toLowerCase(),
  ].find((form) => matchesPattern(pattern, form) === true)
}

function inFormat(text: string, format: string, clues: Clues): string | undefined {
  if (format === 'date') {
    const date = datesOf(text, clues.now)[0]
    return date === undefined ? undefined : isoDay(date.time)
  }
  return createCheck({ type: 'string', format })(text).length === 0 ? text : undefined
}

function lengthened(text: string, lengthMin: number): string {
  const wanted = Math.min(lengthMin, 100_000)
  return text.length >= wanted ? text : text.padEnd(wanted, text === '' ? 'x' : `${text.slice(-1)}`)
}

const tokensMax = 200

function tokensOf(clues: Clues): string[] {
  const spans = [...clues.quoted, ...clues.emails, ...clues.urls, ...clues.phones].map(
    (span) => span.text,
  )
  const words = clues.text.split(/[\s,;()"'“”]+/).map((word) => trimEndOf(word, '.?!:'))
  return [
    ...spans,
    ...words,
    ...isoDates(clues, { name: '', label: '', description: '', required: true, roots: new Set() }),
  ]
    .filter((text) => text !== '')
    .slice(0, tokensMax)
}
