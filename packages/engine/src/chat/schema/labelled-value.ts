import { stopWords } from '../text/words.ts'
import { type Clues, pairOf, type RootedWord, typeName } from './clues.ts'
import type { Property } from './property.ts'

const linking = /^(?:is|are|was|to|of|as|be|should|must|will|equals?|=|:|at|set|level|the|a|an)$/i

/** The value that the text gives after the property's name: "set the mode to eco", "priority: high", but not "the capital of X". */
export function valueAfterLabel(clues: Clues, property: Property): string | undefined {
  const pair = pairOf(clues, property)
  if (pair !== undefined) return pair
  const place = mentionOf(clues, property)
  if (place === undefined || clues.isQuestion) return undefined
  const following = clues.words.slice(place + 1)
  const skip = following.findIndex((word) => !linking.test(word.text))
  const first = following[skip]
  const label = clues.words[place]
  if (first === undefined || label === undefined || typeName.test(first.text)) return undefined
  // "lamp kitchen" names a lamp, but only if a lamp is required: names of options are words of every sentence.
  if (skip === 0 && (!property.required || stopWords.has(first.lower))) return undefined
  const gap = clues.text.slice(label.end, first.start)
  const isOwned =
    /\bof\b/i.test(gap) && !/^an?$/.test(clues.words[place - property.roots.size]?.lower ?? '')
  if (/[.?!\n,;]/.test(gap) || (isOwned && !/\d/.test(first.text))) return undefined
  return phraseFrom(clues, first)
}

/** The phrase up to the end of the clause, at most six words. */
function phraseFrom(clues: Clues, first: RootedWord): string {
  const quoted = clues.quoted.find((span) => span.start <= first.start && span.end >= first.end)
  if (quoted !== undefined) return quoted.text
  const rest = clues.text.slice(first.start)
  const end =
    /[,;.?!\n](?:\s|$)| (?:and|with|for|in|on|at|by|but|then|to|from)(?= )/i.exec(rest)?.index ??
    rest.length
  return rest.slice(0, end).split(/\s+/).slice(0, 6).join(' ')
}

/** The index of the last word of the property's name, if all its words are next to each other in the text. */
function mentionOf(clues: Clues, property: Property): number | undefined {
  const roots = [...property.roots]
  const size = roots.length
  if (size === 0) return undefined
  for (let index = 0; index + size <= clues.words.length; index++)
    if (roots.every((root, offset) => clues.words[index + offset]?.root === root))
      return index + size - 1
  return undefined
}

/** Whether the text mentions any of the property's words. */
export function isMentioned(clues: Clues, property: Property): boolean {
  return clues.words.some((word) => property.roots.has(word.root))
}
