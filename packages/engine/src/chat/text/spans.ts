import { trimEndOf } from './trim.ts'

/** A part of a text and its place. */
export interface Span {
  readonly text: string
  readonly start: number
  readonly end: number
}

/** The places where a pattern with the flag `g` matches: the first group with a match, otherwise the whole match. */
export function spansIn(text: string, pattern: RegExp): Span[] {
  return [...text.matchAll(pattern)].map((match) => {
    const found = match.slice(1).find((group) => group !== undefined) ?? match[0]
    const start = match.index + match[0].lastIndexOf(found)
    return { text: found, start, end: start + found.length }
  })
}

/** E-mail addresses. Lengths are limited so that no input makes the search slow. */
export function emailsOf(text: string): Span[] {
  return spansIn(text, /(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}/g)
}

/** Web addresses, without the punctuation of the sentence around them. */
export function urlsOf(text: string): Span[] {
  return spansIn(text, /\b(?:https?|ftp):\/\/[^\s<>"'`]{1,2000}|\bwww\.[^\s<>"'`]{1,2000}/gi).map(
    (span) => {
      const trimmed = trimEndOf(span.text, '.,;:!?)]}')
      return { ...span, text: trimmed, end: span.start + trimmed.length }
    },
  )
}

/** The texts inside quotation marks. Apostrophes inside words are not quotation marks. */
export function quotedOf(text: string): Span[] {
  return spansIn(
    text,
    /"([^"\n]{1,2000})"|“([^“”\n]{1,2000})”|«([^«»\n]{1,2000})»|`([^`\n]{1,2000})`|(?<![\p{L}\p{N}])['‘]([^'’\n]{1,500}(?:['’][\p{L}][^'’\n]{0,500}){0,20})['’](?![\p{L}\p{N}])/gu,
  )
}

export function phonesOf(text: string): Span[] {
  return spansIn(
    text,
    /(?<![\w.])\+?\d{1,3}[ .-]?\(?\d{2,4}\)?[ .-]\d{3,4}(?:[ .-]?\d{2,6}){0,3}(?![\w])/g,
  )
}

const sentenceStarters: ReadonlySet<string> = new Set(
  `the a an this that these those i we you he she it they my your our his her its their what who where when why how which
  is are was were do does did can could would will should may please in on at for from to and or but if as by with
  yes no not hello hi hey thanks thank book find get show tell give list send create set add remove delete search look
  summarize extract translate schedule remind call order buy play turn make write compute calculate convert count sort
  explain describe name say repeat reply answer check compare also then now today tomorrow yesterday there here use
  let lets update open close start stop run plan reserve cancel generate return provide classify identify determine
  great good ok okay sure after before during since while although because however therefore meanwhile finally first
  second third next last one two three four five six seven eight nine ten all some many most each every both another
  monday tuesday wednesday thursday friday saturday sunday january february march april june july august september
  october november december question answer context text document note json`.split(/\s+/),
)

const namePattern =
  /(?<![\p{L}\p{N}])\p{Lu}[\p{L}\p{M}\p{N}'’.&-]{0,40}(?:(?: (?:of|de|da|van|von|del|la|le|the) | )\p{Lu}[\p{L}\p{M}\p{N}'’&-]{0,40}){0,6}/gu

/** Words after a verb but not after a name: "Deliver to", "Ship it". */
const ordering = /^ (?:to|me|us|the|an?|my|it|this|these|all)\b/

/** Sequences of capitalised words: names of people, places and things, without common words at their beginning. */
export function namesOf(text: string): Span[] {
  return spansIn(text, namePattern).flatMap((span) => {
    const words = span.text.split(' ')
    const first = words.findIndex((word) => !isCommon(word))
    const last = words.findLastIndex((word) => !isCommon(word))
    const own = first < 0 ? '' : words.slice(first, last + 1).join(' ')
    const name = trimEndOf(own.replace(/['’]s$/u, ''), ".'’&-")
    const start = span.start + span.text.indexOf(own)
    const isFirst = /(?:^|[.!?:\n]\s{0,3})$/.test(text.slice(Math.max(0, start - 4), start))
    const isOrder =
      isFirst && ordering.test(text.slice(start + name.length, start + name.length + 8))
    return name === '' || name === 'I' || isOrder
      ? []
      : [{ text: name, start, end: start + name.length }]
  })
}

function isCommon(word: string): boolean {
  const lower = word.toLowerCase().replace(/['’.].*$/u, '')
  return sentenceStarters.has(lower) || lower === ''
}

const colours =
  /\b(?:red|orange|yellow|green|blue|purple|violet|pink|brown|black|white|gray|grey|gold|silver|beige|teal|cyan|magenta|turquoise|maroon|navy)\b/gi

export function coloursOf(text: string): Span[] {
  return spansIn(text, colours)
}
