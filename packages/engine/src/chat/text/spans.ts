import { wordsIn } from '../../word-lists.ts'

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

const sentenceStarters = wordsIn('starters')

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

const pathPattern =
  /(?<![\w.:/\\~@-])(?:[A-Za-z]:[\\/][\w.@\\/-]{1,300}|~?\.{0,2}\/[\w.@/-]{1,300}|(?:[\w.@-]{1,60}\/){1,20}[\w.@-]{0,60}|[\w-]{1,60}(?:\.[\w-]{1,12}){1,4}|\.[a-z][\w.-]{1,30})(?=[\s,;:!?)"'”’`]|\.(?:\s|$)|$)/g
const namedFile =
  /\bfiles? (?:(?:named|called) ([\w-]{1,41})|(?!(?:I|A)\b)([A-Z][\w-]{0,40}))(?=[\s,;:!?.]|$)/g
const domain = /^(?:www\.|[\w-]+\.(?:com|org|net|io|dev|ai)$)/i
const number = /^[\d.]+$/

/** The files that a text names, in order and each once. */
export function pathsOf(text: string): Span[] {
  const quoted = quotedOf(text).filter((span) => isPath(span.text))
  const plain = spansIn(text, pathPattern).filter(
    ({ text: path, start }) =>
      !quoted.some((span) => start >= span.start && start < span.end) &&
      !domain.test(path) &&
      !number.test(path),
  )
  const all = [...quoted, ...plain, ...spansIn(text, namedFile)]
  const named = new Map(all.toReversed().map((span) => [span.text, span]))
  return [...named.values()].sort((left, right) => left.start - right.start)
}

/** Whether a quotation is the name of a file: it has an extension or is in a folder. */
function isPath(text: string): boolean {
  const isName = /^[^\s"'`:*?<>|]+(?: [^\s"'`:*?<>|]+){0,5}$/.test(text) && text.length <= 300
  return isName && /^[^ ]*\/[^ ]|\.[A-Za-z][\w-]{0,11}$/.test(text) && !domain.test(text)
}

/**
 * Removes characters of a set from the end of a text. A regular expression such as `/[?.!]+$/` would take quadratic time for a
 * long sequence of them that is not at the end.
 */
export function trimEndOf(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1
  return text.slice(0, end)
}
