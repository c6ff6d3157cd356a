import { spelledOut } from '../text/json-facts.ts'
import { rootOf, stopWords, wordsOf } from '../text/words.ts'
import { type Clues, pairOf } from './clues.ts'
import {
  type FillContext,
  type Found,
  invented,
  markUsed,
  type Property,
  stated,
} from './fill-context.ts'
import type { SchemaObject } from './json-schema.ts'
import { isMentioned } from './phrases.ts'

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
    return stated(own)
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

function placeOf(value: unknown, clues: Clues, property: Property): number | undefined {
  if (typeof value === 'number')
    return property.required || isMentioned(clues, property)
      ? clues.numbers.find((number) => number.value === value)?.start
      : undefined
  if (typeof value !== 'string' || value === '') return undefined
  if (pairOf(clues, property)?.toLowerCase() === value.toLowerCase()) return 0
  const roots = wordsOf(spelledOut(value)).map((word) => rootOf(word.lower))
  const isSmall = value.length < 3 && stopWords.has(value.toLowerCase())
  if (roots.length === 0 || value.length === 1 || isSmall) return undefined
  return clues.words.find((_, index) =>
    roots.every((root, offset) => clues.words[index + offset]?.root === root),
  )?.start
}

const negative =
  /^(?:no|not|without|never|disabled?|off|don['’]?t|exclud(?:e|ing)|skip|false|isn['’]t|omit|un)$/i
const switching = /\b(?:turn|switch|power)(?:ed|s)?\b[^.!?\n]{0,60}?\b(on|off)\b/i
const fillers: ReadonlySet<string> = new Set(
  'is ha includ enabl us should with want need flag allow return show onli'.split(' '),
)

/** True or false by what the text says about the property: "with breakfast", "without breakfast", "turn it on". */
export function fillBoolean(
  schema: SchemaObject,
  property: Property,
  { clues }: FillContext,
): Found {
  const [, yes, no] =
    /^(?:(true|yes|on|1|enabled)|(false|no|off|0|disabled))\b/i.exec(
      pairOf(clues, property) ?? '',
    ) ?? []
  if (yes !== undefined || no !== undefined) return stated(yes !== undefined)
  const switched = switching.exec(clues.text)?.[1]?.toLowerCase()
  if (switched !== undefined && /\b(?:on|off|enabled?|active|power)\b/.test(property.label))
    return stated((switched === 'on') !== /\boff\b/.test(property.label))
  const roots = [...property.roots].filter((root) => !fillers.has(root))
  const place = clues.words.findIndex((word) => roots.includes(word.root))
  const word = clues.words[place]
  if (word !== undefined) {
    const before = clues.words
      .slice(Math.max(0, place - 3), place)
      .filter(({ end }) => !/[,;.!?\n]/.test(clues.text.slice(end, word.start)))
    const isOff = clues.words.slice(place + 1, place + 3).some(({ lower }) => lower === 'off')
    return stated(!isOff && !before.some(({ text }) => negative.test(text)))
  }
  return invented(schema['default'] === true)
}
