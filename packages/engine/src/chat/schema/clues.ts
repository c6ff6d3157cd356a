import type { Answer } from '../ask/ask.ts'
import { type DateSpan, datesOf, timesOf } from '../text/dates.ts'
import { type NumberSpan, numbersOf } from '../text/numbers.ts'
import { emailsOf, namesOf, phonesOf, quotedOf, type Span, urlsOf } from '../text/spans.ts'
import { rootOf, type Word, wordsOf } from '../text/words.ts'

const clueCharactersMax = 20_000

export interface RootedWord extends Word {
  readonly root: string
}

/** What a text contains that can become a value, found once for all properties of a schema. */
export interface Clues {
  readonly text: string
  /** Whether the text asks for something: it then contains the subject of the question, but not the answer. */
  readonly isQuestion: boolean
  readonly words: readonly RootedWord[]
  readonly numbers: readonly NumberSpan[]
  readonly dates: readonly DateSpan[]
  readonly times: ReturnType<typeof timesOf>
  readonly emails: readonly Span[]
  readonly urls: readonly Span[]
  readonly phones: readonly Span[]
  readonly quoted: readonly Span[]
  readonly names: readonly Span[]
  /** `name: Ada`, keyed by the property's name in lower case without blanks. */
  readonly pairs: ReadonlyMap<string, string>
  /** The answer of the skills to the same request. */
  readonly answer: Answer | undefined
  readonly now: number
}

const question =
  /(?:^|\n|[.!?]\s)(?:what|who|whom|whose|when|where|why|how|which)\b[^.!?]{0,500}[?？]\s{0,20}$/i

interface CluesOptions {
  readonly now: number
  readonly answer?: Answer | undefined
}

export function findClues(fullText: string, options: CluesOptions): Clues {
  const text = fullText.slice(0, clueCharactersMax)
  const emails = emailsOf(text)
  const urls = urlsOf(text)
  const dates = datesOf(text, options.now)
  const times = timesOf(text)
  const isFree = apartFrom([...emails, ...urls, ...dates, ...times])
  return {
    text,
    isQuestion: question.test(text),
    words: wordsOf(text).map((word) => ({ ...word, root: rootOf(word.lower) })),
    numbers: numbersOf(text).filter(isFree),
    dates,
    times,
    emails,
    urls,
    phones: phonesOf(text),
    quoted: quotedOf(text),
    names: namesOf(text).filter(isFree),
    pairs: pairsIn(text),
    answer: options.answer,
    now: options.now,
  }
}

/** Whether a place does not overlap with any of the places taken. */
function apartFrom(
  taken: readonly { readonly start: number; readonly end: number }[],
): (place: { readonly start: number; readonly end: number }) => boolean {
  const characters = new Uint8Array(clueCharactersMax)
  for (const { start, end } of taken) characters.fill(1, start, end)
  return ({ start, end }) => !characters.subarray(start, end).includes(1)
}

const pairPattern =
  /(?:^|[\n,;{(]|\. |\band )[ \t"'*-]{0,6}([\p{L}][\p{L}\p{N} _-]{0,40}?)["'*]{0,3} ?(?::|=)(?!\/\/) ?["']?([^\n,;{}"']{1,300})/gu

/** What an example of an object has in place of a value. */
export const typeName =
  /^<?(?:string|number|integer|int|float|boolean|bool|array|object|null|str|list|\.\.\.)\b/i

/** "name: Ada, age = 36". */
function pairsIn(text: string): Map<string, string> {
  const pairs = new Map<string, string>()
  for (const match of text.matchAll(pairPattern)) {
    const key = pairKey(match[1] ?? '')
    const value = (match[2] ?? '').trim().replace(/[.)]$/, '')
    if (key !== '' && value !== '' && !typeName.test(value) && !pairs.has(key))
      pairs.set(key, value)
  }
  return pairs
}

function pairKey(name: string): string {
  return name.toLowerCase().replace(/[\s_-]+/g, '')
}

/** The value that the text gives for a property as `name: value`. */
export function pairOf({ pairs }: Clues, { name }: { readonly name: string }): string | undefined {
  return pairs.get(pairKey(name))
}
