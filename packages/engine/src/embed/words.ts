import { LRUCache } from 'lru-cache'
import { stemmer } from 'stemmer'
import { wordsIn } from '../word-lists.ts'

/** A word in the form in which it is compared: without case, accents and endings. */
export interface Word {
  /** In lower case, without accents. */
  readonly plain: string
  /** Porter's stem of an English word; other words are unchanged. */
  readonly stem: string
  /** Whether it says little by itself: the, of, is. */
  readonly stop: boolean
}

const stopWords = wordsIn('stop')

/** No word of any language is longer; anything longer is data. */
const wordLengthMax = 48

const wordPattern = /[\p{L}\p{N}\p{M}]+(?:['’][\p{L}]+)?/gu
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}]/u

/** The words of a text in order. For scripts without spaces, each pair of neighboring characters is a word. */
export function splitWords(text: string): readonly Word[] {
  const words: Word[] = []
  for (const [found] of text.normalize('NFKC').matchAll(wordPattern)) {
    if (!unspaced.test(found)) words.push(wordOf(found))
    // Not spread into `push`, whose number of arguments is limited by the stack.
    else for (const pair of pairs(found)) words.push(pair)
  }
  return words
}

function wordOf(found: string): Word {
  const bare = found.replace(/['’]\p{L}+$/u, '').toLowerCase()
  const plain = bare.normalize('NFD').replace(/\p{M}/gu, '').slice(0, wordLengthMax)
  return { plain, stem: stemOf(plain), stop: stopWords.has(plain) }
}

/** The texts of a busy gateway share their words. The limit keeps a hostile vocabulary from filling the memory. */
const stems = new LRUCache<string, string>({ max: 20_000, memoMethod: stemmer })

/** Porter's stem of a word in lower case without accents. Anything else is returned unchanged. */
export function stemOf(plain: string): string {
  return /^[a-z]{1,48}$/.test(plain) ? stems.memo(plain) : plain
}

function pairs(run: string): readonly Word[] {
  const characters = [...run.toLowerCase()]
  if (characters.length === 1) return [{ plain: run, stem: run, stop: false }]
  return characters.slice(1).map((character, i) => {
    const pair = (characters[i] ?? '') + character
    return { plain: pair, stem: pair, stop: false }
  })
}

/** FNV-1a over UTF-16 units, as a signed 32-bit number. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash
}
