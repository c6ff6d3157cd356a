import { trimEndOf, trimStartOf } from '../text/trim.ts'
import { stopWords, wordsOf } from '../text/words.ts'
import type { Clues } from './clues.ts'

const lead =
  /^(?:(?:please|can you|could you|would you|i want you to|i need you to|i'd like you to|i would like to|i want to|help me|hey|hi|hello|now|then|and|also|let's|go ahead and)[ ,]+)+/i
const searching =
  /\b(?:search(?: the web| online| the internet| google| the database| the docs| our \w+)?(?: for)?|look up|look for|find(?: me)?(?: out)?|google|query(?: for)?|browse(?: for)?|research|information (?:about|on)|articles? (?:about|on)|news (?:about|on)|about|regarding|concerning|on the topic of)\s+/i

/** What a search or a question is about. */
export function topicOf(clues: Clues): readonly (string | undefined)[] {
  const quoted = clues.quoted[0]?.text
  const request = clues.text.trim().split('\n')[0]?.replace(lead, '') ?? ''
  const match = searching.exec(request)
  const about = match === null ? undefined : request.slice(match.index + match[0].length)
  return [quoted, clean(about), clean(request)]
}

const saying =
  /\b(?:saying(?: that)?|that says|says|which says|with the (?:text|message|body|content|words)|the (?:message|text|body) (?:is|should be)|to say|reading|that reads|reminding (?:me|him|her|them) to|to remind (?:me|him|her|them) to|remind me to|telling (?:him|her|them|me)(?: that)?|note (?:that|to)|a note to)\s*:?\s*/i
const working =
  /^(?:translate|summari[sz]e|send|post|write|say|speak|print|echo|repeat|save|log|analy[sz]e|classify|run|execute|type|add|create|convert|encode)\b/i

/** The wording that a message, a note or a text to be worked on is to have. */
export function wordingOf(clues: Clues): readonly (string | undefined)[] {
  const quoted = clues.quoted[0]?.text
  const { text } = clues
  const match = saying.exec(text)
  const told = match === null ? undefined : clean(text.slice(match.index + match[0].length))
  const colon = /^[^\n:]{1,200}:\s+(.+)$/s.exec(text.trim())?.[1]
  const about = /\babout ([^.?!\n]{2,200})/i.exec(text)?.[1]
  const work = working.test(text.trim().replace(lead, ''))
    ? clean(text.trim().replace(lead, '').replace(working, ''))
    : undefined
  return [quoted, told, clean(colon), clean(about), strippedOfTarget(work), clean(text)]
}

/** "hello to French" → "hello". */
function strippedOfTarget(text: string | undefined): string | undefined {
  return text?.replace(
    / (?:in)?to (?:english|french|german|spanish|italian|portuguese|dutch|russian|chinese|japanese|korean|arabic|hindi|uppercase|lowercase)\b.*$/i,
    '',
  )
}

const quotes = '"\'“”'

function clean(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const bare = trimEndOf(trimStartOf(text.trim(), quotes), quotes)
  const cleaned = trimEndOf(bare, '?.!')
    .replace(/[ ,]{1,3}(?:please|thanks|thank you|for me)$/i, '')
    .trim()
  return cleaned === '' ? undefined : cleaned
}

/** Runs of words after an article: "a science fair" → "science fair". */
export function nounPhrases(text: string): string[] {
  const found: string[] = []
  const words = wordsOf(text)
  for (let index = 0; index < words.length; index++) {
    if (!/^(?:a|an|the|my|our|your|his|her|their|some|this|new)$/.test(words[index]?.lower ?? ''))
      continue
    const phrase: string[] = []
    let end = words[index]?.end ?? 0
    for (const word of words.slice(index + 1, index + 5)) {
      if (stopWords.has(word.lower) || text.slice(end, word.start).trim() !== '') break
      phrase.push(word.text)
      end = word.end
    }
    if (phrase.length > 0) found.push(phrase.join(' '))
  }
  return found
}
