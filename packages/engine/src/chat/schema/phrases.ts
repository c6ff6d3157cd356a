import { trimEndOf } from '../text/trim.ts'
import { stopWords, wordsOf } from '../text/words.ts'
import type { Clues } from './clues.ts'

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
