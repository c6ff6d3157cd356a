import type { NumberSpan } from '../text/numbers.ts'
import type { Clues } from './clues.ts'
import { type FillContext, isUsed, markUsed } from './fill-context.ts'
import { type Found, guessed, invented, said } from './found.ts'
import { numberIn, type SchemaObject } from './json-schema.ts'
import { pairKey } from './clues.ts'
import type { Property } from './property.ts'

/** A number for a property: the one that stands by its name or its unit, else the next that nothing else has taken. */
export function fillNumber(schema: SchemaObject, property: Property, context: FillContext): Found {
  const whole =
    schema['type'] === 'integer' ||
    (Array.isArray(schema['type']) && schema['type'].includes('integer'))
  const found =
    spoken(property, context) ?? computed(property, context) ?? unclaimed(property, context)
  if (found !== undefined) {
    const fitted = fit(Number(found.value), schema, whole)
    if (fitted !== undefined) {
      markUsed(context, found.value)
      return { value: fitted, sure: found.sure }
    }
  }
  const preset = schema['default']
  if (typeof preset === 'number') return invented(preset)
  return invented(fit(usual(property), schema, whole) ?? nearest(schema, whole))
}

function spoken(property: Property, context: FillContext): Found | undefined {
  const { clues } = context
  const pair = clues.pairs.get(pairKey(property.name))
  const own = pair === undefined ? undefined : Number(pair.replace(/[$€£,%\s]/g, ''))
  if (own !== undefined && Number.isFinite(own)) return said(own)
  const pattern = special.find(([label]) => label.test(property.label))?.[1]
  const match = pattern?.exec(clues.text)
  const digits = match?.slice(1).find((group) => group !== undefined)
  if (digits !== undefined) return said(Number(digits.replaceAll(',', '')))
  const near = beside(clues, property, context)
  return near === undefined ? undefined : said(near.value)
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
  [/\b(?:lat|latitude)\b/, /(-?\d{1,2}\.\d+)/],
  [/\b(?:lon|lng|long|longitude)\b/, /-?\d{1,2}\.\d+[°\sNS]*,\s*(-?\d{1,3}\.\d+)/],
  [/\b(?:percent|percentage|rate|discount)\b/, /(\d+(?:\.\d+)?) ?(?:%|percent)/i],
]

/** How many words may lie between a number and the word it belongs to. */
const reach = 4

function beside(clues: Clues, property: Property, context: FillContext): NumberSpan | undefined {
  let best: { span: NumberSpan; distance: number } | undefined
  const own = clues.words.flatMap((word, index) => (property.roots.has(word.root) ? [index] : []))
  for (const span of clues.numbers) {
    const place = clues.words.findIndex((word) => word.end > span.start)
    for (const index of own) {
      // "3 nights" binds closer than "nights … 3".
      const distance = index >= place ? (index - place) * 1 : (place - index) * 1.5
      if (Math.abs(index - place) > reach || isUsed(context, span.value)) continue
      if (best === undefined || distance < best.distance) best = { span, distance }
    }
  }
  return best?.span
}

function computed({ label }: Property, { clues }: FillContext): Found | undefined {
  const { answer } = clues
  if (
    answer?.value === undefined ||
    !/\b(?:answer|result|total|sum|count|average|mean|value|output|solution|number|amount|product|difference|length)\b/.test(
      label,
    )
  )
    return undefined
  const value = Number(answer.value.replace(/[%,\s]/g, ''))
  return Number.isFinite(value) && answer.value.trim() !== '' ? said(value) : undefined
}

function unclaimed(property: Property, context: FillContext): Found | undefined {
  if (!property.required) return undefined
  const free = (clues: Clues): number | undefined =>
    clues.numbers.find((span) => !isUsed(context, span.value))?.value
  const value =
    free(context.clues) ??
    (context.clues.before === undefined ? undefined : free(context.clues.before))
  return value === undefined || !Number.isFinite(value) ? undefined : guessed(value)
}

function usual({ label }: Property): number {
  if (/\b(?:confidence|probability|score)\b/.test(label)) return 0.5
  return /\b(?:limit|page|quantity|size|top|per)\b/.test(label) ? 1 : 0
}

/** The value if the schema allows it, else the allowed one next to it. */
function fit(value: number, schema: SchemaObject, whole: boolean): number | undefined {
  if (!Number.isFinite(value)) return undefined
  const [low, high] = bounds(schema, whole)
  let fitted = whole ? Math.round(value) : value
  fitted = Math.min(Math.max(fitted, low), high)
  const step = numberIn(schema, 'multipleOf')
  if (step !== undefined && step > 0) {
    const steps = Math.round(fitted / step)
    const candidates = [steps, steps + 1, steps - 1].map((count) =>
      Number((count * step).toPrecision(15)),
    )
    return candidates.find((candidate) => candidate >= low && candidate <= high)
  }
  return low > high ? undefined : fitted
}

function nearest(schema: SchemaObject, whole: boolean): number {
  const [low, high] = bounds(schema, whole)
  if (Number.isFinite(low)) return low
  return Number.isFinite(high) ? high : 0
}

function bounds(schema: SchemaObject, whole: boolean): readonly [number, number] {
  const step = whole ? 1 : Number.EPSILON
  const nudge = (value: number, sign: 1 | -1): number =>
    value + sign * Math.max(step, Math.abs(value) * (whole ? 0 : 1e-9), whole ? 0 : 1e-6)
  const above = numberIn(schema, 'exclusiveMinimum')
  const below = numberIn(schema, 'exclusiveMaximum')
  const low = Math.max(
    numberIn(schema, 'minimum') ?? Number.NEGATIVE_INFINITY,
    above === undefined ? Number.NEGATIVE_INFINITY : nudge(above, 1),
  )
  const high = Math.min(
    numberIn(schema, 'maximum') ?? Number.POSITIVE_INFINITY,
    below === undefined ? Number.POSITIVE_INFINITY : nudge(below, -1),
  )
  return whole ? [Math.ceil(low), Math.floor(high)] : [low, high]
}
