import { pairKey } from './clues.ts'
import type { FillContext } from './fill-context.ts'
import { type Found, invented, said } from './found.ts'
import type { SchemaObject } from './json-schema.ts'
import type { Property } from './property.ts'

const negative =
  /^(?:no|not|without|never|disable|disabled|off|don|don't|don’t|exclude|excluding|skip|false|isn't|isn’t|omit|un)$/i

const fillers: ReadonlySet<string> = new Set(
  'is ha includ enabl us should with want need flag allow return show onli'.split(' '),
)

/** True or false by what the text says of the property: "with breakfast", "without breakfast". */
export function fillBoolean(
  schema: SchemaObject,
  property: Property,
  { clues }: FillContext,
): Found {
  const pair = clues.pairs.get(pairKey(property.name))?.toLowerCase()
  if (pair !== undefined && /^(?:true|yes|on|1|enabled)\b/.test(pair)) return said(true)
  if (pair !== undefined && /^(?:false|no|off|0|disabled)\b/.test(pair)) return said(false)
  const roots = [...property.roots].filter((root) => !fillers.has(root))
  const place = clues.words.findIndex((word) => roots.includes(word.root))
  if (place >= 0) {
    const around = [
      ...clues.words.slice(Math.max(0, place - 3), place),
      ...clues.words.slice(place + 1, place + 3).filter((word) => word.lower === 'off'),
    ]
    return said(!around.some((word) => negative.test(word.lower)))
  }
  const preset = schema['default']
  return invented(typeof preset === 'boolean' ? preset : false)
}
