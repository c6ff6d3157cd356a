import { readFileSync } from 'node:fs'
import { LRUCache } from 'lru-cache'
import { hashOf, stemOf } from '../embed/words.ts'
import { linesIn } from '../word-lists.ts'

/** A word as the rules see it; `.` is the end of a sentence. */
export interface ModeratedWord {
  readonly plain: string
  /** The names that patterns use for it: its stem, `=` and itself, and `@` and the name of each list that contains it. */
  readonly keys: ReadonlySet<string>
}

/** Letters of other scripts, digits and signs, each before the letter that it replaces. */
const lookalikes = new Map(
  Array.from(
    'аaеeоoрpсcуyхxіiѕsкkмmтtвbнhαaεeοoιiκkνvρpτtυu0o1i3e4a5s7t@a$s!i|i'.matchAll(/(.)(.)/g),
    ([, sign = '', letter = '']) => [sign, letter],
  ),
)

const shortForms: ReadonlyMap<string, string> = new Map(
  linesIn('short-forms').map((line) => {
    const [form = '', ...words] = line.split(' ')
    return [form, words.join(' ')]
  }),
)

const endings: readonly (readonly [ending: RegExp, words: string])[] = [
  [/n't$/, ' not'],
  [/'m$/, ' am'],
  [/'ll$/, ' will'],
  [/'re$/, ' are'],
  [/'ve$/, ' have'],
  [/'d$/, ' would'],
  [/'s$/, ''],
]

const wordLengthMax = 40
/** `12 year old`, `15yo`: anybody under eighteen is a child. */
const minorAge =
  /(?<![\p{L}\p{N}])(?:[1-9]|1[0-7])[ -]?(?:years?|yrs?|y)[ -]?o(?:lds?)?(?![\p{L}\p{N}])/gu

/**
 * The words of a text, with disguises undone: signs for letters (`k1ll`), separated letters (`k i l l`), repeated letters
 * (`killlll`), marks without width, and accents. Takes time in proportion to the length of the text.
 */
export function moderatedWords(text: string): readonly ModeratedWord[] {
  const plain = text
    .normalize('NFKD')
    .replace(/[\p{M}\p{Cf}]/gu, '')
    .replace(/[‘’`´]/g, "'")
    .toLowerCase()
    .replace(minorAge, ' child ')
  const words: ModeratedWord[] = []
  for (const [found] of joinSpaced(plain).matchAll(/[\p{L}\p{N}@$|'!]+|[.?;\n]+/gu)) {
    const { word, ends } = trim(found)
    if (word !== '') words.push(...expand(word))
    if (ends) pushEnd(words)
  }
  pushEnd(words)
  return words
}

/** An exclamation mark within a word may replace a letter; at its end it ends the sentence. */
function trim(found: string): { readonly word: string; readonly ends: boolean } {
  const isEdge = (at: number): boolean => "'!.?;\n".includes(found[at] ?? '')
  let start = 0
  let end = found.length
  while (end > 0 && isEdge(end - 1)) end--
  while (start < end && isEdge(start)) start++
  return { word: found.slice(start, end), ends: /[^']/.test(found.slice(end)) }
}

function pushEnd(words: ModeratedWord[]): void {
  if (words.at(-1)?.plain !== '.') words.push(wordOf('.'))
}

/** Three or more single letters with the same gap between them are one word. */
function joinSpaced(text: string): string {
  return text.replace(spacedLetters, (run) => run.replace(/[ .*_-]/g, ''))
}

const spacedLetters =
  /(?<![\p{L}\p{N}])[\p{L}\p{N}]([ .*_-])[\p{L}\p{N}](?:\1[\p{L}\p{N}]){1,38}(?![\p{L}\p{N}])/gu

function expand(found: string): readonly ModeratedWord[] {
  const word = readable(found.slice(0, wordLengthMax))
  const [ending, words] = endings.find(([one]) => one.test(word)) ?? ['', '']
  return (shortForms.get(word) ?? word.replace(ending, words))
    .replaceAll("'", '')
    .split(' ')
    .filter((plain) => plain !== '')
    .map(wordOf)
}

/**
 * Plain word lists, which match any form of each word. Words of reporting are used by people who report, study, heal or tell
 * stories.
 */
const lists = readFileSync(new URL('./moderation-words.txt', import.meta.url), 'utf8')

/** Slurs, explicit words and swear words: FNV-1a hashes of their stems in base 36, so that nobody has to read them. */
const hashedLists = readFileSync(new URL('./hashed-words.txt', import.meta.url), 'utf8')

const plainTags = tagsByWord(lists, stemOf)
const hashedTags = tagsByWord(hashedLists, (hash) => hash)

/** The names of the lists that contain a stem, in the form of patterns: `@kill`. */
function tagsOf(stem: string): readonly string[] {
  const hash = (hashOf(stem) >>> 0).toString(36)
  return [...(plainTags.get(stem) ?? []), ...(hashedTags.get(hash) ?? [])]
}

const known = new LRUCache<string, ModeratedWord>({
  max: 20_000,
  memoMethod(plain) {
    const stem = stemOf(plain)
    return { plain, keys: new Set([`=${plain}`, stem, ...tagsOf(stem)]) }
  },
})

export function wordOf(plain: string): ModeratedWord {
  return known.memo(plain)
}

/** Numbers are unchanged; signs in a word are replaced by letters. */
function readable(word: string): string {
  if (/^[a-z']*$/.test(word)) return withoutRuns(word)
  if (!/\p{L}/u.test(word) || /^\d+(?:st|nd|rd|th|yo|am|pm|km|kg|mg|ml|gb|mb|x|s)?$/.test(word))
    return word
  return withoutRuns([...word].map((letter) => lookalikes.get(letter) ?? letter).join(''))
}

/** English doubles letters but never triples them. */
function withoutRuns(word: string): string {
  return word.replace(/(.)\1{2,}/g, (_, letter: string) =>
    'lsoet'.includes(letter) ? letter + letter : letter,
  )
}

function tagsByWord(source: string, keyOf: (word: string) => string) {
  const tags = new Map<string, string[]>()
  for (const [, name, words = ''] of source.matchAll(/(\w+):([^:]+)(?=\n\w+:|\n$)/g))
    for (const word of words.trim().split(/\s+/)) {
      const known = tags.get(keyOf(word)) ?? []
      tags.set(keyOf(word), [...known, `@${name}`])
    }
  return tags
}
