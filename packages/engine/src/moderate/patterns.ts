import { stemOf } from '../embed/words.ts'
import type { ModeratedWord } from './words.ts'

/**
 * A sequence of words, written as text: `a|b` is either word in any of its forms, `@tag` a word of a word list, `~3` up to
 * three other words of the same sentence, `=word` this exact form, `<` the beginning of a sentence.
 */
export type Pattern = readonly (readonly string[])[]

/** Reads patterns separated by lines and `;`. */
export function parsePatterns(source: string): readonly Pattern[] {
  return source
    .split(/[;\n]/)
    .filter((pattern) => pattern.trim() !== '')
    .map((pattern) => pattern.trim().split(' ').map(choicesOf))
}

function choicesOf(element: string): readonly string[] {
  return element.split('|').map((choice) => (/^[@=~<]/.test(choice) ? choice : stemOf(choice)))
}

/** Returns a function that finds the patterns that may begin with a word, each with its value. */
export function indexPatterns<Value>(all: readonly (readonly [Pattern, Value])[]) {
  const byKey = new Map<string, (readonly [Pattern, Value])[]>()
  for (const entry of all)
    for (const key of entry[0].find(([choice = '']) => !/^[~<]/.test(choice)) ?? [])
      byKey.set(key, [...(byKey.get(key) ?? []), entry])
  return ({ keys }: ModeratedWord) => [...keys].flatMap((key) => byKey.get(key) ?? [])
}

/** The end (exclusive) of the pattern's match that begins at `at`, or -1. The pattern's gaps limit the work. */
export function matchPattern(
  pattern: Pattern,
  words: readonly ModeratedWord[],
  at: number,
  index = 0,
): number {
  const choices = pattern[index]
  if (choices === undefined) return at
  const [first = ''] = choices
  const { keys } = words[at] ?? {}
  if (first === '<')
    return at === 0 || words[at - 1]?.plain === '.'
      ? matchPattern(pattern, words, at, index + 1)
      : -1
  if (!first.startsWith('~'))
    return choices.some((key) => keys?.has(key))
      ? matchPattern(pattern, words, at + 1, index + 1)
      : -1
  const last = at + Number(first.slice(1))
  for (let next = at; next <= last; next++) {
    const end = matchPattern(pattern, words, next, index + 1)
    const word = words[next]
    if (end >= 0 || word === undefined || word.plain === '.') return end
  }
  return -1
}
