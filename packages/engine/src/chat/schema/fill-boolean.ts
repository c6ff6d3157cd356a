import { pairOf } from './clues.ts'
import type { FillContext } from './fill-context.ts'
import { type Found, invented, said } from './found.ts'
import type { SchemaObject } from './json-schema.ts'
import type { Property } from './property.ts'

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
  if (yes !== undefined || no !== undefined) return said(yes !== undefined)
  const switched = switching.exec(clues.text)?.[1]?.toLowerCase()
  if (switched !== undefined && /\b(?:on|off|enabled?|active|power)\b/.test(property.label))
    return said((switched === 'on') !== /\boff\b/.test(property.label))
  const roots = [...property.roots].filter((root) => !fillers.has(root))
  const place = clues.words.findIndex((word) => roots.includes(word.root))
  const word = clues.words[place]
  if (word !== undefined) {
    const before = clues.words
      .slice(Math.max(0, place - 3), place)
      .filter(({ end }) => !/[,;.!?\n]/.test(clues.text.slice(end, word.start)))
    const isOff = clues.words.slice(place + 1, place + 3).some(({ lower }) => lower === 'off')
    return said(!isOff && !before.some(({ text }) => negative.test(text)))
  }
  return invented(schema['default'] === true)
}
