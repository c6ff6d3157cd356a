import { wordsIn } from '../../word-lists.ts'
import { datesOf, isoDay } from '../text/dates.ts'
import { trimEndOf } from '../text/spans.ts'
import { createCheck } from './check.ts'
import type { Clues } from './clues.ts'
import {
  type FillContext,
  type Found,
  guessed,
  invented,
  isUsed,
  markUsed,
  type Property,
  stated,
} from './fill-context.ts'
import { numberIn, type SchemaObject, textIn } from './json-schema.ts'
import { isoDates, kinds } from './kinds.ts'
import { matchesPattern, samplePattern } from './pattern.ts'
import { nounPhrases, tokensIn, valueAfterLabel } from './phrases.ts'

/** A text for a property: what the request gives for it, in the form that the schema requires. */
export function fillString(schema: SchemaObject, property: Property, context: FillContext): Found {
  let weak: Found | undefined
  // A value that another property already uses: less likely for this one, but better than nothing.
  let taken: string | undefined
  for (const candidate of candidates(schema, property, context)) {
    const value = fitted(String(candidate.value), schema, context)
    if (value === undefined) continue
    if (candidate.sure === 0) weak ??= invented(value)
    else if (isUsed(context, value)) taken ??= value
    else {
      markUsed(context, value)
      return { ...candidate, value }
    }
  }
  if (weak !== undefined && taken === undefined) return weak
  const preset = schema['default']
  if (typeof preset === 'string') return invented(preset)
  return invented(made(schema, property, context) ?? taken ?? sampleOf(schema, context))
}

function* candidates(
  schema: SchemaObject,
  property: Property,
  context: FillContext,
): Generator<Found> {
  const { clues } = context
  const format = textIn(schema, 'format')
  if (format !== undefined)
    for (const text of formatCandidates(format, clues, property)) yield stated(text)
  const labelled = valueAfterLabel(clues, property)
  if (labelled !== undefined) yield stated(labelled)
  if (textIn(schema, 'pattern') !== undefined)
    for (const text of [...tokensIn(clues), ...isoDates(clues, property)]) yield guessed(text)
  yield* ofKind(property, clues)
}

/** Finds the property's kind by its name, otherwise by its description. */
function* ofKind(property: Property, clues: Clues): Generator<Found> {
  const byName = kinds.find(({ label }) => label.test(property.label))
  const kind = byName ?? kinds.find(({ label }) => label.test(firstSentence(property.description)))
  const whole = trimEndOf(clues.text.trim().toLowerCase(), '.?!')
  for (const text of kind?.find(clues, property) ?? []) {
    if (text === undefined || text === '') continue
    const isWhole = text.toLowerCase() === whole
    const sure = isWhole ? 0 : byName === undefined ? 1 : 2
    yield { value: parted(text, property), sure }
  }
}

function firstSentence(description: string): string {
  return (description.split(/[.;(]|, e\.g|e\.g/)[0] ?? '').toLowerCase()
}

/** "Paris, France" contains a city and a country. */
function parted(text: string, { label }: Property): string {
  const comma = text.indexOf(', ')
  if (comma >= 0 && /\b(?:city|town)\b/.test(label)) return text.slice(0, comma)
  return comma >= 0 && /\b(?:country|state|region)\b/.test(label) ? text.slice(comma + 2) : text
}

/** The value if the text gives none: another phrase of it, an example, or the whole text. */
function made(schema: SchemaObject, property: Property, context: FillContext): string | undefined {
  const { clues } = context
  const { answer, names, quoted } = clues
  const own = [
    ...quoted.map((span) => span.text),
    ...nounPhrases(clues.text),
    ...names.map((span) => span.text),
  ].filter((text) => !isUsed(context, text))
  const answered =
    answer === undefined || answer.skill === 'none' ? [] : [answer.value ?? answer.phrasings[0]]
  // A plain phrase never has a format or a pattern.
  const isFormal = textIn(schema, 'format') !== undefined || textIn(schema, 'pattern') !== undefined
  const isForeign = kinds.find(({ label }) => label.test(property.label))?.formal === true
  const whole = clues.text.trim().slice(0, 500)
  const offered = isFormal
    ? []
    : clues.isQuestion || isForeign
      ? [...answered, '']
      : [...own, ...answered, whole, '']
  for (const text of [...offered, schema['examples'], property.required ? [] : ''].flat()) {
    const value = typeof text === 'string' ? fitted(text, schema, context) : undefined
    if (value === undefined) continue
    markUsed(context, value)
    return value
  }
  return undefined
}

function sampleOf(schema: SchemaObject, { clues }: FillContext): string {
  const format = textIn(schema, 'format')
  const pattern = textIn(schema, 'pattern')
  const lengthMin = numberIn(schema, 'minLength') ?? 0
  const text =
    (pattern === undefined ? undefined : samplePattern(pattern, Math.min(lengthMin, 1000))) ??
    (format === undefined ? '' : sampleFormat(format, clues.now))
  return lengthened(text, lengthMin)
}

/** The text in a form that the schema allows; undefined if there is none. */
function fitted(text: string, schema: SchemaObject, { clues }: FillContext): string | undefined {
  const lengthMin = numberIn(schema, 'minLength') ?? 0
  const format = textIn(schema, 'format')
  const pattern = textIn(schema, 'pattern')
  const formed = format === undefined ? text : inFormat(text, format, clues)
  if (formed === undefined) return undefined
  const cut = [...formed].slice(0, Math.max(0, numberIn(schema, 'maxLength') ?? Infinity))
  const kept = cut.join('')
  if (pattern === undefined) return format === undefined ? lengthened(kept, lengthMin) : kept
  if (cut.length < lengthMin) return undefined
  return [
    kept,
    kept.toUpperCase(),
    kept.toLowerCase(),
    kept.replace(/\s+/g, '-').toLowerCase(),
    kept.replace(/\s+/g, '_').toLowerCase(),
  ].find((form) => matchesPattern(pattern, form) === true)
}

function inFormat(text: string, format: string, clues: Clues): string | undefined {
  if (format !== 'date') return isOfFormat(format, text) ? text : undefined
  const time = datesOf(text, clues.now)[0]?.time
  return time === undefined ? undefined : isoDay(time)
}

function lengthened(text: string, lengthMin: number): string {
  return text.padEnd(Math.min(lengthMin, 100_000), text.slice(-1) || 'x')
}

/** Whether a text has one of JSON Schema's string formats (draft 2020-12, Validation, section 7.3). */
function isOfFormat(format: string, text: string): boolean {
  return createCheck({ type: 'string', format })(text).length === 0
}

/** The parts of a text that have a format; none for unknown formats, which allow any text. */
function formatCandidates(format: string, clues: Clues, property: Property): readonly string[] {
  if (isOfFormat(format, ' ')) return []
  const days = isoDates(clues, property)
  const clock = clues.times[0]?.clock ?? '00:00'
  // Some formats allow plain words; a word that happens to fit is not meant as one.
  const tokens = isOfFormat(format, 'word')
    ? tokensIn(clues).filter((token) => /[.:/]/.test(token))
    : tokensIn(clues)
  return [
    ...tokens.flatMap((token) =>
      token.startsWith('www.') ? [`https://${token}`, token] : [token],
    ),
    ...days,
    ...days.map((day) => `${day}T${clock}:00Z`),
    ...clues.times.map((span) => `${span.clock}:00Z`),
  ].filter((text) => isOfFormat(format, text))
}

/** A text of a format that says as little as possible. */
function sampleFormat(format: string, now: number): string {
  const day = isoDay(now)
  return (
    ['', day, `${day}T00:00:00Z`, ...wordsIn('samples')].find((text) => isOfFormat(format, text)) ??
    ''
  )
}
