import { spelledOut } from '../text/json-facts.ts'
import { rootOf, stopWords, wordsOf } from '../text/words.ts'
import { type Clues, pairOf } from './clues.ts'
import { type FillContext, markUsed } from './fill-context.ts'
import { type Found, invented, said } from './found.ts'
import type { SchemaObject } from './json-schema.ts'
import { isMentioned } from './labelled-value.ts'
import type { Property } from './property.ts'

const neutral = /^(?:neutral|other|unknown|none|normal|medium|default|auto|any)$/i

/** One of the values of an enumeration: the one that the text mentions, the default, or the most neutral one. */
export function fillEnum(
  values: readonly unknown[],
  schema: SchemaObject,
  property: Property,
  context: FillContext,
): Found {
  const { clues } = context
  const answered = clues.answer?.value?.toLowerCase()
  const own =
    values.find((value) => placeOf(value, clues, property) !== undefined) ??
    values.find((value) => String(value).toLowerCase() === answered)
  if (own !== undefined) {
    markUsed(context, own)
    return said(own)
  }
  const preset = schema['default']
  if (preset !== undefined && values.includes(preset)) return invented(preset)
  if (values.includes(null)) return invented(null)
  return invented(
    values.find((value) => typeof value === 'string' && neutral.test(value)) ?? values[0],
  )
}

/** All values of an enumeration that the text mentions, in the order of the text. */
export function mentionedValues(
  values: readonly unknown[],
  clues: Clues,
  property: Property,
): unknown[] {
  return values
    .flatMap((value) => {
      const at = placeOf(value, clues, property)
      return at === undefined ? [] : [{ value, at }]
    })
    .sort((left, right) => left.at - right.at)
    .map(({ value }) => value)
}

const scale = /^(?:c|celsius|f|fahrenheit|k|kelvin)$/i

function placeOf(value: unknown, clues: Clues, property: Property): number | undefined {
  if (typeof value === 'number')
    return property.required || isMentioned(clues, property)
      ? clues.numbers.find((number) => number.value === value)?.start
      : undefined
  if (typeof value !== 'string' || value === '') return undefined
  if (pairOf(clues, property)?.toLowerCase() === value.toLowerCase()) return 0
  // A unit may also be given by its letter: "in C".
  const initial = scale.test(value)
    ? new RegExp(
        `(?:\\d ?°?|°|\\bin |degrees )${value.charAt(0)}(?:elsius|ahrenheit|elvin)?\\b`,
        'i',
      ).exec(clues.text)?.index
    : undefined
  const roots = wordsOf(spelledOut(value)).map((word) => rootOf(word.lower))
  const isSmall = value.length < 3 && stopWords.has(value.toLowerCase())
  if (initial !== undefined || roots.length === 0 || value.length === 1 || isSmall) return initial
  return clues.words.find((_, index) =>
    roots.every((root, offset) => clues.words[index + offset]?.root === root),
  )?.start
}
