import { trimEndOf } from '../text/spans.ts'
import { stopWords, wordsOf } from '../text/words.ts'
import { type Clues, pairOf, type RootedWord, typeName } from './clues.ts'
import type { Property } from './fill-context.ts'

const lead =
  /^(?:(?:please|can you|could you|would you|i want you to|i need you to|i'd like you to|i would like to|i want to|help me|hey|hi|hello|now|then|and|also|let's|go ahead and)[ ,]+)+/i
const searching =
  /\b(?:search(?: the web| online| the internet| google| the database| the docs| our \w+)?(?: for)?|look up|look for|find(?: me)?(?: out)?|google|query(?: for)?|browse(?: for)?|research|information (?:about|on)|articles? (?:about|on)|news (?:about|on)|about|regarding|concerning|on the topic of)\s+/i

/** The subject of a search or a question. */
export function topicOf({ text, quoted }: Clues): readonly (string | undefined)[] {
  const request = text.trim().split('\n')[0]?.replace(lead, '') ?? ''
  return [quoted[0]?.text, clean(behind(searching, request)), clean(request)]
}

const saying =
  /\b(?:saying(?: that)?|that says|says|which says|with the (?:text|message|body|content|words)|the (?:message|text|body) (?:is|should be)|to say|reading|that reads|reminding (?:me|him|her|them) to|to remind (?:me|him|her|them) to|remind me to|telling (?:him|her|them|me)(?: that)?|note (?:that|to)|a note to)\s*:?\s*/i
const working =
  /^(?:translate|summari[sz]e|send|post|write|say|speak|print|echo|repeat|save|log|analy[sz]e|classify|run|execute|type|add|create|convert|encode)\b/i
/** "hello to French". */
const target =
  / (?:in)?to (?:english|french|german|spanish|italian|portuguese|dutch|russian|chinese|japanese|korean|arabic|hindi|uppercase|lowercase)\b.*$/i

/** The text for a message or a note, or to be worked on. */
export function wordingOf({ text, quoted }: Clues): readonly (string | undefined)[] {
  const request = text.trim().replace(lead, '')
  return [
    quoted[0]?.text,
    clean(behind(saying, text)),
    clean(/^[^\n:]{1,200}:\s+(.+)$/s.exec(text.trim())?.[1]),
    clean(/\babout ([^.?!\n]{2,200})/i.exec(text)?.[1]),
    clean(behind(working, request))?.replace(target, ''),
    clean(text),
  ]
}

function behind(pattern: RegExp, text: string): string | undefined {
  const match = pattern.exec(text)
  return match === null ? undefined : text.slice(match.index + match[0].length)
}

function clean(text = ''): string | undefined {
  const bare = trimEndOf(text.trim().replace(/^["'“”]+/, ''), '"\'“”')
  const cleaned = trimEndOf(bare, '?.!')
    .replace(/[ ,]{1,3}(?:please|thanks|thank you|for me)$/i, '')
    .trim()
  return cleaned === '' ? undefined : cleaned
}

/** Sequences of words after an article: "a science fair" → "science fair". */
export function nounPhrases(text: string): string[] {
  const words = wordsOf(text)
  return words.flatMap(({ lower, end }, index) => {
    if (!/^(?:a|an|the|my|our|your|his|her|their|some|this|new)$/.test(lower)) return []
    const next = words.slice(index + 1, index + 5)
    const stop = next.findIndex(
      (word, place) =>
        stopWords.has(word.lower) ||
        text.slice(next[place - 1]?.end ?? end, word.start).trim() !== '',
    )
    const phrase = stop < 0 ? next : next.slice(0, stop)
    return phrase.length === 0 ? [] : [phrase.map((word) => word.text).join(' ')]
  })
}

const tokensMax = 200

/** The parts of a text that may have a form of their own: addresses, numbers, codes, words. */
export function tokensIn({ text, quoted, emails, urls, phones }: Clues): readonly string[] {
  const spans = [...quoted, ...emails, ...urls, ...phones].map((span) => span.text)
  const words = text.split(/[\s,;()"'“”]+/, tokensMax).map((word) => trimEndOf(word, '.?!:'))
  return [...spans, ...words].filter((token) => token !== '').slice(0, tokensMax)
}

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
