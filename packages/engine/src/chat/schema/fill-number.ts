import type { NumberSpan } from '../text/numbers.ts'
import { type Clues, pairOf } from './clues.ts'
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
import { numberIn, type SchemaObject, typesOf } from './json-schema.ts'

/** A number for a property: the one next to its name or its unit, otherwise the next one not used yet. */
export function fillNumber(schema: SchemaObject, property: Property, context: FillContext): Found {
  const own = spoken(property, context) ?? computed(property, context)
  const value = own ?? unclaimed(schema, property, context)
  const fitted = value === undefined ? undefined : fit(value, schema)
  if (fitted !== undefined) {
    markUsed(context, value)
    return own === undefined ? guessed(fitted) : stated(fitted)
  }
  const preset = schema['default']
  if (typeof preset === 'number') return invented(preset)
  return invented(fit(0, schema) ?? bounds(schema).find(Number.isFinite) ?? 0)
}

function spoken(property: Property, context: FillContext): number | undefined {
  const { clues } = context
  const pair = numberOf(pairOf(clues, property))
  if (pair !== undefined) return pair
  const priced = /\b(?:price|cost|amount|fee|total)\b/.exec(property.label)?.[0]
  const named =
    priced === undefined
      ? undefined
      : new RegExp(`\\b${priced}\\b[^\\d.;\\n]{0,20}[$€£] ?(\\d[\\d,]*(?:\\.\\d+)?)`, 'i')
  const amount = numberOf(named?.exec(clues.text)?.[1])
  if (amount !== undefined) return amount
  const pattern = special.find(([label]) => label.test(property.label))?.[1]
  const digits = pattern?.exec(clues.text)?.slice(1)
  return (
    numberOf(digits?.find((group) => group !== undefined)) ??
    beside(clues, property, context)?.value
  )
}

function numberOf(text = ''): number | undefined {
  const digits = text.replace(/[$€£,%\s]/g, '')
  return digits !== '' && Number.isFinite(Number(digits)) ? Number(digits) : undefined
}

const special: readonly (readonly [RegExp, RegExp])[] = [
  [
    /\bage\b/,
    /(\d{1,3})[- ]years?[- ]old|\baged? (?:is |of )?(\d{1,3})|\b(?:is|am|turned) (\d{1,3})(?=[\s,.]|$)(?! ?(?:%|cm|m\b|kg))/i,
  ],
  [
    /\b(?:price|cost|budget|amount|fee|total|salary|payment)\b/,
    /[$€£] ?(\d[\d,]*(?:\.\d+)?)|(\d[\d,]*(?:\.\d+)?) ?(?:dollars|euros|pounds|usd|eur|gbp)\b/i,
  ],
  [/\byear\b/, /\b((?:1[5-9]|20|21)\d\d)\b/],
  [/\b(?:percent|percentage|rate|discount)\b/, /(\d+(?:\.\d+)?) ?(?:%|percent)/i],
]

/** Maximum words between a number and the word that it belongs to. */
const reach = 4

function beside(clues: Clues, property: Property, context: FillContext): NumberSpan | undefined {
  const own = clues.words.flatMap((word, index) => (property.roots.has(word.root) ? [index] : []))
  const near = clues.numbers.flatMap((span) => {
    const place = clues.words.findIndex((word) => word.end > span.start)
    return own
      .filter((index) => Math.abs(index - place) <= reach && !isUsed(context, span.value))
      .map((index) => {
        // "3 nights" is a stronger match than "nights … 3".
        const distance = index >= place ? index - place : (place - index) * 1.5
        return { span, distance }
      })
  })
  return near.sort((left, right) => left.distance - right.distance)[0]?.span
}

const results =
  /\b(?:answer|result|total|sum|count|average|mean|value|output|solution|number|amount|product|difference|length)\b/

function computed({ label }: Property, { clues }: FillContext): number | undefined {
  return results.test(label) ? numberOf(clues.answer?.value) : undefined
}

function unclaimed(
  schema: SchemaObject,
  { required }: Property,
  context: FillContext,
): number | undefined {
  if (!required) return undefined
  return context.clues.numbers.find(
    ({ value }) =>
      !isUsed(context, value) &&
      Number.isFinite(value) &&
      (!isWhole(schema) || Number.isInteger(value)),
  )?.value
}

/** The value if the schema allows it, otherwise the nearest allowed one. */
function fit(value: number, schema: SchemaObject): number | undefined {
  if (!Number.isFinite(value)) return undefined
  const [low, high] = bounds(schema)
  const fitted = Math.min(Math.max(isWhole(schema) ? Math.round(value) : value, low), high)
  const step = numberIn(schema, 'multipleOf') ?? 0
  const steps = Math.round(fitted / step)
  const near = [steps, steps + 1, steps - 1].map((count) => Number((count * step).toPrecision(15)))
  return (step > 0 ? near : [fitted]).find((candidate) => candidate >= low && candidate <= high)
}

function isWhole(schema: SchemaObject): boolean {
  return typesOf(schema).includes('integer')
}

/** The least and the greatest number that a schema allows. */
function bounds(schema: SchemaObject): readonly [number, number] {
  const [low, high] = (['Minimum', 'Maximum'] as const).map((name) => {
    const sign = name === 'Minimum' ? 1 : -1
    const beyond = numberIn(schema, `exclusive${name}`)
    const step = isWhole(schema) ? 1 : Math.max(Math.abs(beyond ?? 0) * 1e-9, 1e-6)
    const limits = [
      numberIn(schema, name.toLowerCase()),
      beyond === undefined ? beyond : beyond + sign * step,
    ]
    const ends = limits.map((value) => (value === undefined ? -Infinity : sign * value))
    return sign * (isWhole(schema) ? Math.ceil(Math.max(...ends)) : Math.max(...ends))
  })
  return [low ?? -Infinity, high ?? Infinity]
}
