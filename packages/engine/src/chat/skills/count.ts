import type { Answer, Ask, Skill } from '../ask/ask.ts'
import { operandOf } from '../ask/operand.ts'
import { countTokens } from '../../tokens.ts'
import { itemsOf } from '../text/items.ts'
import { numbersOf } from '../text/numbers.ts'
import { sentencesOf } from '../text/sentences.ts'
import { quotedOf } from '../text/spans.ts'
import { plural, stopWords, wordsOf } from '../text/words.ts'

const opening = /\b(?:how many|count|number of|how often|how long is|length of)\b/i

/** Letters, words, sentences, lines, items, and how often one thing occurs in another. */
export const count: Skill = {
  name: 'count',
  answer: (ask) => (opening.test(ask.instruction) ? (occurrences(ask) ?? totals(ask)) : undefined),
}

const occurrencePatterns: readonly RegExp[] = [
  /\b(?:how many|count(?: the)?(?: number of)?|number of)(?: times)?(?: does| do| is| are| occurrences of| instances of| the| letters?| words?| characters?| of)* ["'“‘`]?([^"'”’`\s]{1,60}?)["'”’`]?(?:['’]?s)?(?: letters?| characters?)?(?: (?:are|is|there|appear|appears|occur|occurs|does|do|appeared|used|contained|found|come|comes|show|shows|up))* (?:in|within) (?:the (?:word|text|string|sentence|phrase|name|following)\b[^"'“:]{0,30}:? ?)?["'“‘`]?(.+?)["'”’`]?[?.]*$/is,
  /\b(?:how many times|how often) (?:does|do|is|are|did) (?:the (?:words?|letters?|characters?|phrase) )?["'“‘`]?([^"'”’`]{1,60}?)["'”’`]? (?:appear|occur|used|come up|show up|get used|mentioned|contained)(?: in)? ?(?:(?:the|this) (?:word|text|string|sentence|phrase|following|passage|paragraph|document)\b)?:? ?["'“‘`]?(.*?)["'”’`]?[?.]*$/is,
]

const countables =
  /^(?:words?|letters?|characters?|sentences?|lines?|items?|vowels?|consonants?|syllables?|paragraphs?|digits?|numbers?|tokens?|elements?|spaces|days?|hours?|minutes?|seconds?|weeks?|months?|years?)$/i

function occurrences(ask: Ask): Answer | undefined {
  for (const pattern of occurrencePatterns) {
    const match = pattern.exec(ask.instruction)
    const wanted = match?.[1]?.trim()
    if (match === null || wanted === undefined || wanted === '' || countables.test(wanted)) continue
    const letter = [...wanted].length === 1
    const quoted = quotedOf(ask.instruction).some((span) => span.text === wanted)
    if (!letter && !quoted && stopWords.has(wanted.toLowerCase())) continue
    const [text, explicit] = occurrenceText(ask, match[2] ?? '')
    if (text === undefined) continue
    const named =
      quoted ||
      /\b(?:letter|word|character|times|occurrence|instance|often)s?\b/i.test(ask.instruction)
    // "How many apples are in the basket?" asks about the world, not about letters.
    if (!named && !(letter && explicit)) continue
    const times = letter
      ? text.toLowerCase().split(wanted.toLowerCase()).length - 1
      : countPhrase(text, wanted)
    return timesAnswer(times, wanted, text.length > 60 ? 'the text' : `"${text}"`)
  }
  return undefined
}

function occurrenceText(ask: Ask, written: string): readonly [string | undefined, boolean] {
  const rest = written.trim()
  const reference =
    rest === '' ||
    /^(?:it|this|that|the|above|following)?\s?(?:text|sentence|passage|paragraph|document|word|message|above|following|string)?$/i.test(
      rest,
    )
  if (!reference) return [rest, true]
  return [operandOf({ ...ask, instruction: '' }, /^(?=.)/) ?? undefined, false]
}

function countPhrase(text: string, phrase: string): number {
  const wanted = wordsOf(phrase).map((word) => word.lower)
  const words = wordsOf(text).map((word) => word.lower)
  if (wanted.length === 0) return text.split(phrase).length - 1
  let times = 0
  for (let start = 0; start + wanted.length <= words.length; start++)
    if (wanted.every((word, offset) => words[start + offset] === word)) times += 1
  return times
}

function timesAnswer(times: number, wanted: string, where: string): Answer {
  const what = [...wanted].length === 1 ? `The letter "${wanted}"` : `"${wanted}"`
  return {
    skill: 'count',
    phrasings: [
      `${what} occurs ${times} ${plural(times, 'time')} in ${where}.`,
      `${what} appears ${times} ${plural(times, 'time')} in ${where}.`,
      String(times),
    ],
    value: String(times),
    evidence: [],
  }
}

const counters: Readonly<Record<string, (text: string) => number>> = {
  word: (text) => wordsOf(text).length,
  letter: (text) => countMatching(text, /\p{L}/u),
  character: (text) => [...text].length,
  sentence: (text) => sentencesOf(text).length,
  line: (text) => text.trim().split('\n').length,
  item: (text) => itemsOf(text).items.length,
  vowel: (text) => countMatching(text, /[aeiouáéíóúäöü]/i),
  consonant: (text) => countMatching(text, /(?![aeiouáéíóúäöü])\p{L}/iu),
  paragraph: (text) => text.trim().split(/\n[ \t\r]{0,40}\n/).length,
  digit: (text) => countMatching(text, /\d/),
  number: (text) => numbersOf(text).length,
  token: countTokens,
}

function countMatching(text: string, pattern: RegExp): number {
  let total = 0
  for (const character of text) if (pattern.test(character)) total += 1
  return total
}

const unitPattern =
  /\b(?:how many|count(?: up)?|number of|how long is|length of)\b(?: (?:the|all|different|total|number|of|me|in|individual|unique))*(?: (words?|letters?|characters?|sentences?|lines?|items?|elements?|vowels?|consonants?|paragraphs?|digits?|numbers?|tokens?))?\b(?: (?:are|is|there|does|do|it|have|has|contained|contain|appear|in|of|within|the|this|following|text|sentence|word|phrase|passage|string|list|paragraph|document|word|message))*:?/i

function totals(ask: Ask): Answer | undefined {
  const match = unitPattern.exec(ask.instruction)
  if (match === null) return undefined
  const unit = match[1]?.toLowerCase().replace(/s$/, '').replace('element', 'item')
  const isLength = /\b(?:how long is|length of)\b/i.test(ask.instruction)
  const known = unit ?? (isLength && quotedOf(ask.instruction).length > 0 ? 'character' : '')
  const count = Object.hasOwn(counters, known) ? counters[known] : undefined
  const text = count === undefined ? undefined : operandOf(ask, unitPattern)
  if (count === undefined || text === undefined) return undefined
  const total = count(text.replace(/ (?:contain|have|has|there)$/i, ''))
  const where = text.length > 60 || text.includes('\n') ? 'the text' : `"${text}"`
  return {
    skill: 'count',
    phrasings: [
      `There ${total === 1 ? 'is' : 'are'} ${total} ${plural(total, known)} in ${where}.`,
      `${total} ${plural(total, known)}.`,
      String(total),
    ],
    value: String(total),
    evidence: [],
  }
}
