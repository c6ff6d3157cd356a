import { countTokens } from '../../tokens.ts'
import { type Answer, type Ask, answerOf, type Skill } from '../ask/ask.ts'
import { operandOf } from '../ask/operand.ts'
import { itemsOf } from '../text/items.ts'
import { numbersOf } from '../text/numbers.ts'
import { sentencesOf } from '../text/sentences.ts'
import { quotedOf } from '../text/spans.ts'
import { plural, stopWords, wordsOf } from '../text/words.ts'

const opening = /\b(?:how many|count|number of|how often|how long is|length of)\b/i

/** Counts letters, words, sentences, lines, items, and how often one thing occurs in another. */
export const count: Skill = {
  name: 'count',
  answer: (ask) =>
    opening.test(ask.instruction)
      ? (occurrencePatterns
          .map((pattern) => occurrences(pattern.exec(ask.instruction), ask))
          .find((answer) => answer !== undefined) ?? totals(ask))
      : undefined,
}

const occurrencePatterns: readonly RegExp[] = [
  /\b(?:how many|count(?: the)?(?: number of)?|number of)(?: times)?(?: does| do| is| are| occurrences of| instances of| the| letters?| words?| characters?| of)* ["'“‘`]?([^"'”’`\s]{1,60}?)["'”’`]?(?:['’]?s)?(?: letters?| characters?)?(?: (?:are|is|there|appear|appears|occur|occurs|does|do|appeared|used|contained|found|come|comes|show|shows|up))* (?:in|within) (?:the (?:word|text|string|sentence|phrase|name|following)\b[^"'“:]{0,30}:? ?)?["'“‘`]?(.+?)["'”’`]?[?.]*$/is,
  /\b(?:how many times|how often) (?:does|do|is|are|did) (?:the (?:words?|letters?|characters?|phrase) )?["'“‘`]?([^"'”’`]{1,60}?)["'”’`]? (?:appear|occur|used|come up|show up|get used|mentioned|contained)(?: in)? ?(?:(?:the|this) (?:word|text|string|sentence|phrase|following|passage|paragraph|document)\b)?:? ?["'“‘`]?(.*?)["'”’`]?[?.]*$/is,
]
const countables =
  /^(?:words?|letters?|characters?|sentences?|lines?|items?|vowels?|consonants?|syllables?|paragraphs?|digits?|numbers?|tokens?|elements?|spaces|days?|hours?|minutes?|seconds?|weeks?|months?|years?)$/i
const reference =
  /^(?:it|this|that|the|above|following)?\s?(?:text|sentence|passage|paragraph|document|word|message|above|following|string)?$/i

function occurrences(match: RegExpExecArray | null, ask: Ask): Answer | undefined {
  const wanted = match?.[1]?.trim() ?? ''
  if (wanted === '' || countables.test(wanted)) return undefined
  const isLetter = [...wanted].length === 1
  const isQuoted = quotedOf(ask.instruction).some((span) => span.text === wanted)
  if (!isLetter && !isQuoted && stopWords.has(wanted.toLowerCase())) return undefined
  const written = match?.[2]?.trim() ?? ''
  const isWritten = !reference.test(written)
  const text = isWritten ? written : operandOf({ ...ask, instruction: '' }, /^(?=.)/)
  // "How many apples are in the basket?" asks about the world, not about letters.
  const isNamed =
    isQuoted ||
    (isLetter && isWritten) ||
    /\b(?:letter|word|character|times|occurrence|instance|often)s?\b/i.test(ask.instruction)
  if (text === undefined || !isNamed) return undefined
  const found = isLetter
    ? text.toLowerCase().split(wanted.toLowerCase()).length - 1
    : countPhrase(text, wanted)
  const times = `${found} ${plural(found, 'time')} in ${placeOf(text)}.`
  const what = isLetter ? `The letter "${wanted}"` : `"${wanted}"`
  const ways = [`${what} occurs ${times}`, `${what} appears ${times}`, String(found)]
  return answerOf('count', ways, String(found))
}

function placeOf(text: string): string {
  return text.length > 60 || text.includes('\n') ? 'the text' : `"${text}"`
}

function countPhrase(text: string, phrase: string): number {
  const wanted = wordsOf(phrase).map((word) => word.lower)
  const words = wordsOf(text).map((word) => word.lower)
  if (wanted.length === 0) return text.split(phrase).length - 1
  return words.filter((_, start) => wanted.every((word, at) => words[start + at] === word)).length
}

const counters: Readonly<Record<string, (text: string) => number>> = {
  word: (text) => wordsOf(text).length,
  letter: (text) => matching(text, /\p{L}/gu),
  character: (text) => [...text].length,
  sentence: (text) => sentencesOf(text).length,
  line: (text) => text.trim().split('\n').length,
  item: (text) => itemsOf(text).items.length,
  vowel: (text) => matching(text, /[aeiouáéíóúäöü]/gi),
  consonant: (text) => matching(text, /(?![aeiouáéíóúäöü])\p{L}/giu),
  paragraph: (text) => text.trim().split(/\n[ \t\r]{0,40}\n/).length,
  digit: (text) => matching(text, /\d/g),
  number: (text) => numbersOf(text).length,
  token: countTokens,
}

function matching(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0
}

const unitPattern =
  /\b(?:how many|count(?: up)?|number of|how long is|length of)\b(?: (?:the|all|different|total|number|of|me|in|individual|unique))*(?: (words?|letters?|characters?|sentences?|lines?|items?|elements?|vowels?|consonants?|paragraphs?|digits?|numbers?|tokens?))?\b(?: (?:are|is|there|does|do|it|have|has|contained|contain|appear|in|of|within|the|this|following|text|sentence|word|phrase|passage|string|list|paragraph|document|word|message))*:?/i

function totals(ask: Ask): Answer | undefined {
  const match = unitPattern.exec(ask.instruction)
  const isLength =
    /\b(?:how long is|length of)\b/i.test(ask.instruction) && quotedOf(ask.instruction).length > 0
  const unit = match?.[1]?.toLowerCase().replace(/s$/, '').replace('element', 'item')
  const known = unit ?? (isLength ? 'character' : '')
  const counter = Object.hasOwn(counters, known) ? counters[known] : undefined
  const text = counter === undefined ? undefined : operandOf(ask, unitPattern)
  if (counter === undefined || text === undefined) return undefined
  const total = counter(text.replace(/ (?:contain|have|has|there)$/i, ''))
  const things = `${total} ${plural(total, known)}`
  const sentence = `There ${total === 1 ? 'is' : 'are'} ${things} in ${placeOf(text)}.`
  return answerOf('count', [sentence, `${things}.`, String(total)], String(total))
}
