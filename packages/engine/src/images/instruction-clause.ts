import { colorPattern, parseColor, type Rgb } from './colors.ts'
import type { EditOperation, Length, Place } from './edit-operations.ts'

/** Stands for the n-th quoted text; quotes are taken out before the rules see the instruction. */
export const quoteStart = 0xe000
const quotesMax = 64

export interface Quoted {
  /** In lower case, with one placeholder character for each quoted text. */
  readonly text: string
  /** The same text as it was written. */
  readonly written: string
  readonly quotes: readonly string[]
}

const quotePattern =
  /"([^"]{1,400})"|“([^”]{1,400})”|「([^」]{1,400})」|『([^』]{1,400})』|«([^»]{1,400})»|(?<![\p{L}\p{N}])['‘]([^'’]{1,400})['’](?!\p{L})/gu

/** Takes quoted texts out of an instruction and lowers the rest; each leaves one placeholder character. */
export function takeQuotes(instruction: string): Quoted {
  const quotes: string[] = []
  const text = instruction
    .replaceAll(/[\ue000-\uf8ff]/g, ' ')
    .replaceAll(quotePattern, (whole, ...groups) => {
      const words = groups.slice(0, 6).find((group): group is string => typeof group === 'string')
      if (words === undefined || words.trim() === '' || quotes.length >= quotesMax) return whole
      quotes.push(words.trim())
      return String.fromCharCode(quoteStart + quotes.length - 1)
    })
  const written = text.normalize('NFKC').replaceAll(/\s+/g, ' ').trim()
  return { text: written.toLowerCase(), written, quotes }
}

const amountPatterns: readonly { readonly pattern: RegExp; readonly amount: number }[] = [
  {
    pattern:
      /\b(?:slight(?:ly)?|a little|little|a bit|a touch|subtl[ey]|gentl[ey]|light(?:ly)?|faint(?:ly)?|mild(?:ly)?|soft(?:ly)?|somewhat|small)\b|稍微|轻微|略微|一点/,
    amount: 0.25,
  },
  {
    pattern:
      /\b(?:extreme(?:ly)?|maximum|max|complete(?:ly)?|total(?:ly)?|full(?:y)?|as (?:much|strong) as possible)\b|完全|极度/,
    amount: 1,
  },
  {
    pattern:
      /\b(?:very|strong(?:ly)?|heav(?:y|ily)|a lot|lots|much|dramatic(?:ally)?|intense(?:ly)?|significant(?:ly)?|greatly|really|hard)\b|大幅|强烈|非常|很/,
    amount: 0.8,
  },
]

/** The words around a match, to the ends of its clause: what qualifies the operation that was matched. */
export interface Clause {
  readonly before: string
  readonly after: string
  /** What was matched, as it was written. */
  readonly written: string
  readonly quotes: readonly string[]
}

/** One way to say something: where the pattern (flags g and u not set) matches, `make` gives the operations. */
export interface InstructionRule {
  readonly pattern: RegExp
  readonly make: (
    match: RegExpExecArray,
    clause: Clause,
  ) => EditOperation | readonly EditOperation[] | undefined
}

export const clauseBreaks = /[,.;!\n、，。；]|\b(?:and|then|also|plus|but|after)\b|然后|并且|并|再/

export function clauseAt(
  { text, written, quotes }: Quoted,
  { start, end }: { readonly start: number; readonly end: number },
): Clause {
  const before =
    text
      .slice(Math.max(0, start - 80), start)
      .split(clauseBreaks)
      .at(-1) ?? ''
  // A dot between digits belongs to a number.
  const closing = text.slice(end, end + 100).replaceAll(/(?<=\d)\.(?=\d)/g, '\u0002')
  const after = (closing.split(clauseBreaks)[0] ?? '').replaceAll('\u0002', '.')
  return { before, after, written: written.slice(start, end), quotes }
}

export function has({ before, after }: Clause, pattern: RegExp): boolean {
  return pattern.test(before) || pattern.test(after)
}

export function find({ before, after }: Clause, pattern: RegExp): RegExpExecArray | null {
  return pattern.exec(after) ?? pattern.exec(before)
}

/** Strength from a percentage, a factor or an adverb; `usual` where nothing is said. */
export function amountIn(clause: Clause, usual = 0.5): number {
  const percent = find(clause, /(\d{1,3}(?:\.\d+)?)\s*%/)?.[1]
  if (percent !== undefined) return Math.min(2, Number(percent) / 100)
  const said = amountPatterns.find(({ pattern }) => has(clause, pattern))
  return (said?.amount ?? 0.5) * (usual / 0.5)
}

const anyColor = new RegExp(colorPattern, 'i')

/** The colour named after the match, else before it. */
export function colorIn(clause: Clause): Rgb | undefined {
  const found = find(clause, anyColor)?.[0]
  return found === undefined ? undefined : parseColor(found)
}

export function lengthIn(clause: Clause, usual: { readonly part: number }): Length {
  const [, value, unit] = find(clause, /(\d{1,4}(?:\.\d+)?)\s*-?(px|pixels?|%|像素)?/) ?? []
  if (value !== undefined && unit === '%') return { part: Math.min(1, Number(value) / 100) }
  if (value !== undefined) return { pixels: Number(value) }
  if (has(clause, /\b(?:thin|narrow|small|fine|tiny|slight(?:ly)?)\b|细/))
    return { part: usual.part / 2 }
  if (has(clause, /\b(?:thick|wide|broad|big|large|heav(?:y|ily)|fat|strong(?:ly)?|very)\b|粗|宽/))
    return { part: usual.part * 2 }
  return usual
}

export function placeIn(clause: Clause, usual: Place): Place {
  const x = wordIn(clause, horizontals)
  const y = wordIn(clause, verticals)
  const isMiddle = has(clause, /\b(?:cent(?:er|re)(?:ed|d)?|middle)\b|中/)
  if (x === undefined && y === undefined && !isMiddle) return usual
  return { x: x ?? 'center', y: y ?? (isMiddle || x !== undefined ? 'center' : usual.y) }
}

const horizontals = { left: /\bleft\b|左/, right: /\bright\b|右/ } as const
const verticals = {
  top: /\b(?:top|upper|above|header|head)\b|上|顶/,
  bottom: /\b(?:bottom|lower|below|footer|underneath|foot)\b|下|底/,
} as const

function wordIn<Word extends string>(
  clause: Clause,
  words: Readonly<Record<Word, RegExp>>,
): Word | undefined {
  // The keys of a record type of literal words are those words.
  const names = Object.keys(words) as Word[]
  return names.find((name) => has(clause, words[name]))
}

/** The quoted text a placeholder character stands for. */
export function quoteOf(clause: Clause, placeholder: string | undefined): string | undefined {
  return placeholder === undefined
    ? undefined
    : clause.quotes[placeholder.charCodeAt(0) - quoteStart]
}

const lessWords =
  /\b(?:decreas\w*|less|lower\w*|reduc\w*|drop|cut|minus|weaken|diminish|tone down|turn down|down|low)\b|降低|减少|减弱/

/** +1, or -1 where the clause asks for less of it. */
export function directionIn(clause: Clause): 1 | -1 {
  return has(clause, lessWords) ? -1 : 1
}

/** Whether the words right before the match forbid it. */
export function isNegated({ before }: Clause): boolean {
  return /(?:\b(?:do not|don't|dont|without|no|never|avoid|not)(?: \w+){0,2}|不要|不)\s*$/.test(
    before,
  )
}
