import type { Answer } from '../ask/ask.ts'
import { type DateSpan, datesOf, timesOf } from '../text/dates.ts'
import { type NumberSpan, numbersOf } from '../text/numbers.ts'
import { emailsOf, namesOf, phonesOf, quotedOf, type Span, urlsOf } from '../text/spans.ts'
import { rootOf, type Word, wordsOf } from '../text/words.ts'

const clueCharactersMax = 20_000

export interface RootedWord extends Word {
  readonly root: string
}

/** What a text holds that values can be taken from, found once for all the properties of a schema. */
export interface Clues {
  readonly text: string
  readonly words: readonly RootedWord[]
  readonly numbers: readonly NumberSpan[]
  readonly dates: readonly DateSpan[]
  readonly times: ReturnType<typeof timesOf>
  readonly emails: readonly Span[]
  readonly urls: readonly Span[]
  readonly phones: readonly Span[]
  readonly quoted: readonly Span[]
  readonly names: readonly Span[]
  /** `name: Ada`, by the property's name in lower case without blanks. */
  readonly pairs: ReadonlyMap<string, string>
  /** What the skills answer to the same request. */
  readonly answer: Answer | undefined
  /** The earlier conversation, for what this text does not say. */
  readonly before: Clues | undefined
  readonly now: number
}

export interface CluesOptions {
  readonly now: number
  readonly answer?: Answer | undefined
  readonly before?: Clues | undefined
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
    before: options.before,
    now: options.now,
  }
}

interface Place {
  readonly start: number
  readonly end: number
}

/** Whether a place lies beside all the taken ones. */
function apartFrom(taken: readonly Place[]): (place: Place) => boolean {
  const characters = new Set<number>()
  for (const { start, end } of taken) for (let at = start; at < end; at++) characters.add(at)
  return ({ start, end }) => {
    for (let at = start; at < end; at++) if (characters.has(at)) return false
    return true
  }
}

const pairPattern =
  /(?:^|[\n,;{(]|\. |\band )[ \t"'*-]{0,6}([\p{L}][\p{L}\p{N} _-]{0,40}?)["'*]{0,3} ?(?::|=)(?!\/\/) ?["']?([^\n,;{}"']{1,300})/gu

/** What stands for a value in an example of an object. */
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

export function pairKey(name: string): string {
  return name.toLowerCase().replace(/[\s_-]+/g, '')
}
