import { bestLabel } from '../text/labels.ts'
import { spelledOut } from '../text/json-facts.ts'
import { rootOf, stopWords, wordsOf } from '../text/words.ts'
import { pairKey } from './clues.ts'
import type { Clues } from './clues.ts'
import { type FillContext, markUsed } from './fill-context.ts'
import { type Found, guessed, invented, said } from './found.ts'
import type { SchemaObject } from './json-schema.ts'
import { isMentioned } from './labelled-value.ts'
import type { Property } from './property.ts'

/** One of the values of an enumeration: the one the text mentions, the one that suits it, the default, or the first. */
export function fillEnum(
  values: readonly unknown[],
  schema: SchemaObject,
  property: Property,
  context: FillContext,
): Found {
  const { clues } = context
  const mentioned = values.find((value) => isSaid(value, clues, property))
  if (mentioned !== undefined) {
    markUsed(context, mentioned)
    return said(mentioned)
  }
  const answered = clues.answer?.value?.toLowerCase()
  const byAnswer =
    answered === undefined
      ? undefined
      : values.find((value) => String(value).toLowerCase() === answered)
  if (byAnswer !== undefined) return said(byAnswer)
  const labels = values.filter((value) => typeof value === 'string')
  const suited = property.required && labels.length > 1 ? bestLabel(clues.text, labels) : undefined
  if (suited !== undefined) return guessed(suited)
  const earlier =
    clues.before === undefined || !property.required
      ? undefined
      : values.find((value) => clues.before !== undefined && isSaid(value, clues.before, property))
  if (earlier !== undefined) return guessed(earlier)
  const preset = schema['default']
  if (preset !== undefined && values.includes(preset)) return invented(preset)
  if (values.includes(null)) return invented(null)
  const neutral = values.find(
    (value) =>
      typeof value === 'string' &&
      /^(?:neutral|other|unknown|none|normal|medium|default|auto|any)$/i.test(value),
  )
  return invented(neutral ?? values[0])
}

/** All values of an enumeration that the text mentions, in the order of the text. */
export function mentionedValues(
  values: readonly unknown[],
  clues: Clues,
  property: Property,
): unknown[] {
  return values
    .map((value) => ({ value, at: placeOf(value, clues, property) }))
    .filter((entry) => entry.at !== undefined)
    .sort((left, right) => (left.at ?? 0) - (right.at ?? 0))
    .map((entry) => entry.value)
}

function isSaid(value: unknown, clues: Clues, property: Property): boolean {
  return placeOf(value, clues, property) !== undefined
}

function placeOf(value: unknown, clues: Clues, property: Property): number | undefined {
  if (typeof value === 'number') {
    const span = clues.numbers.find((number) => number.value === value)
    return span !== undefined && (property.required || isMentioned(clues, property))
      ? span.start
      : undefined
  }
  if (typeof value !== 'string' || value === '') return undefined
  const pair = clues.pairs.get(pairKey(property.name))
  if (pair?.toLowerCase() === value.toLowerCase()) return 0
  const roots = wordsOf(spelledOut(value)).map((word) => rootOf(word.lower))
  const [first] = roots
  if (
    first === undefined ||
    (roots.length === 1 && stopWords.has(value.toLowerCase()) && value.length < 3)
  )
    return undefined
  // A unit is also said by its letter: "in C".
  const initial = /^(?:c|celsius|f|fahrenheit|k|kelvin)$/i.test(value)
    ? new RegExp(
        `(?:\\d ?°?|°|\\bin |degrees )${value.charAt(0)}(?:elsius|ahrenheit|elvin)?\\b`,
        'i',
      ).exec(clues.text)?.index
    : undefined
  if (initial !== undefined) return initial
  if (value.length === 1) return undefined
  const at = clues.words.findIndex((_, index) =>
    roots.every((root, offset) => clues.words[index + offset]?.root === root),
  )
  return at < 0 ? undefined : clues.words[at]?.start
}
