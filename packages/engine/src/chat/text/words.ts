import { stemOf } from '../../embed/words.ts'

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

const stopList = `a an the this that these those i me my mine we us our ours you your yours he him his she her hers it its
they them their theirs who whom whose which what where when why how is am are was were be been being do does did doing
done have has had having will would shall should can could may might must and or but if then than so as of at by for
with about into onto from to in on off over under up down out again there here not no nor too very just only also any
some all both each few more most other such own same s t don now please tell let give get know say says said according
text document passage following above below much many exactly mentioned`

/** Words without a meaning of their own. */
export const stopWords: ReadonlySet<string> = new Set(stopList.split(/\s+/))

/** Irregular forms that Porter's rules do not unite, with the word that they are read as. */
const forms = new Map(
  `write=wrote|written build=built go=went|gone buy=bought sell=sold make=made found=founded|founder|founders
  birth=born|birthday death=died|die|dead come=came hold=held win=won|winner lead=led|leader
  begin=began|started|starts|start|begins color=colour|colours|colored favorite=favourite child=children
  person=people|persons teach=taught think=thought eat=ate pay=paid price=cost|costs location=located live=lives
  invent=invented|inventor tall=height|high meet=met leave=left spend=spent give=gave|given lose=lost get=got
  throw=threw|thrown break=broke|broken run=ran choose=chose take=took|taken grow=grew name=called|named|names`
    .split(/\s+/)
    .flatMap((line) => {
      const [root = '', others = ''] = line.split('=')
      return others.split('|').map((form) => [form, root] as const)
    }),
)

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

/** The word in singular or plural, depending on the count. */
export function plural(count: number | bigint, word: string): string {
  if (Number(count) === 1) return word
  if (/(?:s|x|z|ch|sh)$/.test(word)) return `${word}es`
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`
  return `${word}s`
}
