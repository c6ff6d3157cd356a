import { type ModeratedWord, stemOf } from './words.ts'

/**
 * A sequence of words, written as text: `a|b` is either word in any of its forms, `@tag` a word of a word list,
 * `~3` up to three other words of the same sentence, `=word` this very form, `<` the beginning of a sentence.
 */
export interface Pattern {
  readonly elements: readonly Element[]
}

export type Element =
  | { readonly kind: 'word'; readonly fits: (word: ModeratedWord) => boolean }
  | { readonly kind: 'gap'; readonly wordsMax: number }
  | { readonly kind: 'start' }

/** Word lists by tag: a function says whether a word is in the list. */
export type Tags = Readonly<Record<string, (word: ModeratedWord) => boolean>>

export function parsePattern(source: string, tags: Tags): Pattern {
  return { elements: source.split(' ').map((part) => parseElement(part, tags)) }
}

function parseElement(part: string, tags: Tags): Element {
  if (part === '<') return { kind: 'start' }
  if (part.startsWith('~')) return { kind: 'gap', wordsMax: Number(part.slice(1)) }
  const tests = part.split('|').map((choice): ((word: ModeratedWord) => boolean) => {
    if (choice.startsWith('@')) {
      const tag = tags[choice.slice(1)]
      if (tag === undefined) throw new Error(`No word list is called ${choice}`)
      return tag
    }
    if (choice.startsWith('=')) return ({ plain }) => plain === choice.slice(1)
    const stem = stemOf(choice)
    return (word) => word.stem === stem
  })
  const [only] = tests
  const fits =
    tests.length === 1 && only !== undefined
      ? only
      : (word: ModeratedWord) => tests.some((test) => test(word))
  return { kind: 'word', fits }
}

/** Finds the patterns that may begin with a word, remembering the answer for each word it has seen. */
export function indexPatterns<Indexed extends { readonly pattern: Pattern }>(
  all: readonly Indexed[],
) {
  const known = new Map<string, readonly Indexed[]>()
  return (word: ModeratedWord): readonly Indexed[] => {
    const found = known.get(word.plain)
    if (found !== undefined) return found
    const fitting = all.filter(({ pattern }) => {
      const first = pattern.elements.find((element) => element.kind === 'word')
      return first?.fits(word) === true
    })
    if (known.size >= knownMax) known.clear()
    known.set(word.plain, fitting)
    return fitting
  }
}

const knownMax = 20_000

/** The end (exclusive) of the pattern's match that begins at `start`, or -1. Work is bounded by the pattern's gaps. */
export function matchPattern(
  { elements }: Pattern,
  words: readonly ModeratedWord[],
  start: number,
): number {
  return matchFrom(elements, 0, words, start)
}

function matchFrom(
  elements: readonly Element[],
  index: number,
  words: readonly ModeratedWord[],
  at: number,
): number {
  const element = elements[index]
  if (element === undefined) return at
  if (element.kind === 'start') {
    const begins = at === 0 || words[at - 1]?.plain === '.'
    return begins ? matchFrom(elements, index + 1, words, at) : -1
  }
  if (element.kind === 'word') {
    const word = words[at]
    return word !== undefined && element.fits(word)
      ? matchFrom(elements, index + 1, words, at + 1)
      : -1
  }
  for (let skipped = 0; skipped <= element.wordsMax; skipped++) {
    const end = matchFrom(elements, index + 1, words, at + skipped)
    if (end >= 0) return end
    if (words[at + skipped]?.plain === '.' || words[at + skipped] === undefined) return -1
  }
  return -1
}
