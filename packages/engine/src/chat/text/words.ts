import { stemOf } from '../../embed/words.ts'
import { headsIn, wordsIn } from '../../word-lists.ts'

/** A word and its place. `lower` is the word in lower case without a possessive `'s`. */
export interface Word {
  readonly text: string
  readonly lower: string
  readonly start: number
  readonly end: number
}

const wordPattern = /[\p{L}\p{M}\p{N}]+(?:['’][\p{L}]+)*/gu

/** The words of a text, with numbers and without punctuation. */
export function wordsOf(text: string): Word[] {
  return Array.from(text.matchAll(wordPattern), ({ 0: found, index: start }) => {
    const lower = found.toLowerCase().replace(/['’]s$/u, '')
    return { text: found, lower, start, end: start + found.length }
  })
}

/** Words without a meaning of their own. */
export const stopWords: ReadonlySet<string> = new Set(wordsIn('little'))

/** Irregular forms that Porter's rules do not unite, with the word that they are read as. */
const forms = headsIn('irregular')

/** The stem of a word, after irregular forms are replaced. */
export function rootOf(lower: string): string {
  return stemOf(forms.get(lower) ?? lower)
}

/** The stems of the words with a meaning, in order and with repetitions. */
export function contentStems(text: string): string[] {
  return wordsOf(text).flatMap(({ lower }) => (stopWords.has(lower) ? [] : rootOf(lower)))
}

/** With its first letter in upper case. */
function capitalised(text: string): string {
  const first = text.codePointAt(0)
  if (first === undefined) return text
  const letter = String.fromCodePoint(first)
  return letter.toUpperCase() + text.slice(letter.length)
}

/** With a full stop at the end, unless it already ends in punctuation. */
export function asSentence(text: string): string {
  const trimmed = capitalised(text.trim())
  return /[.!?:;…。！？"”')\]}]$/u.test(trimmed) ? trimmed : `${trimmed}.`
}

/** `a`, `a and b`, `a, b and c`. */
export function joined(items: readonly string[]): string {
  const last = items.at(-1)
  if (last === undefined) return ''
  return items.length === 1 ? last : `${items.slice(0, -1).join(', ')} and ${last}`
}
