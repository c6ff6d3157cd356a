import { stemmer } from 'stemmer'

/** A word in its place. `lower` is the word in lower case without a possessive `'s`. */
export interface Word {
  readonly text: string
  readonly lower: string
  readonly start: number
  readonly end: number
}

const wordPattern = /[\p{L}\p{M}\p{N}]+(?:['’][\p{L}]+)*/gu

/** The words of a text, digits included, punctuation not. */
export function wordsOf(text: string): Word[] {
  const found: Word[] = []
  for (const match of text.matchAll(wordPattern)) {
    const start = match.index
    found.push({
      text: match[0],
      lower: match[0].toLowerCase().replace(/['’]s$/u, ''),
      start,
      end: start + match[0].length,
    })
  }
  return found
}

const stopList = `a an the this that these those i me my mine we us our ours you your yours he him his she her hers it its
they them their theirs who whom whose which what where when why how is am are was were be been being do does did doing
done have has had having will would shall should can could may might must and or but if then than so as of at by for
with about into onto from to in on off over under up down out again there here not no nor too very just only also any
some all both each few more most other such own same s t don now please tell let give get know say says said according
text document passage following above below much many exactly mentioned`

/** Words that carry no subject of their own. */
export const stopWords: ReadonlySet<string> = new Set(stopList.split(/\s+/))

/** Stems by word, so that a long document stems each of its words once; bounded, since words come from callers. */
const stemMemory = new Map<string, string>()
const stemMemoryMax = 20_000
const stemmedCharactersMax = 40

/** Porter's stem of a lower-case word. */
function stem(lower: string): string {
  if (lower.length > stemmedCharactersMax) return lower
  const remembered = stemMemory.get(lower)
  if (remembered !== undefined) return remembered
  if (stemMemory.size >= stemMemoryMax) stemMemory.clear()
  const made = stemmer(lower)
  stemMemory.set(lower, made)
  return made
}

/** Irregular forms that Porter's rules leave apart, by the word that they are read as. */
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

/** The stem of a word, irregular forms brought together first. */
export function rootOf(lower: string): string {
  return stem(forms.get(lower) ?? lower)
}

/** The stems of the words that carry meaning, in order, with repetitions. */
export function contentStems(text: string): string[] {
  const stems: string[] = []
  for (const { lower } of wordsOf(text)) if (!stopWords.has(lower)) stems.push(rootOf(lower))
  return stems
}

/** With its first letter in upper case. */
export function capitalised(text: string): string {
  const first = text.codePointAt(0)
  if (first === undefined) return text
  const letter = String.fromCodePoint(first)
  return letter.toUpperCase() + text.slice(letter.length)
}

/** Ending in a full stop unless it ends in punctuation already. */
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

/** The word in the number that the count asks for. */
export function plural(count: number | bigint, word: string): string {
  if (Number(count) === 1) return word
  if (/(?:s|x|z|ch|sh)$/.test(word)) return `${word}es`
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`
  return `${word}s`
}
