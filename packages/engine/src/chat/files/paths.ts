import { quotedOf, type Span } from '../text/spans.ts'

const pathPattern =
  /(?<![\w.:/\\~@-])(?:[A-Za-z]:[\\/][\w.@\\/-]{1,300}|~?\.{0,2}\/[\w.@/-]{1,300}|(?:[\w.@-]{1,60}\/){1,20}[\w.@-]{0,60}|[\w-]{1,60}(?:\.[\w-]{1,12}){1,4}|\.[a-z][\w.-]{1,30})(?=[\s,;:!?)"'”’`]|\.(?:\s|$)|$)/g
const namedFile = /\bfiles? (?:named |called )?([A-Z][\w-]{1,40})(?=[\s,;:!?.]|$)/g
const domain = /^(?:www\.|[\w-]+\.(?:com|org|net|io|dev|ai)$)/i
const number = /^[\d.]+$/

/** The files that a text names, in its order, each once. */
export function pathsOf(text: string): Span[] {
  const quoted = quotedOf(text).filter((span) => isPath(span.text))
  const inside = (start: number): boolean =>
    quoted.some((span) => start >= span.start && start < span.end)
  const plain = [...text.matchAll(pathPattern)]
    .filter((match) => !inside(match.index) && !domain.test(match[0]) && !number.test(match[0]))
    .map((match) => spanAt(match[0], match.index))
  const named = [...text.matchAll(namedFile)].map((match) =>
    spanAt(match[1] ?? '', match.index + match[0].lastIndexOf(match[1] ?? '')),
  )
  const all = [...quoted, ...plain, ...named].sort((left, right) => left.start - right.start)
  return all.filter((span, index) => all.findIndex((other) => other.text === span.text) === index)
}

function spanAt(text: string, start: number): Span {
  return { text, start, end: start + text.length }
}

/** A quotation that is a file's name: it has an ending or is in a folder. */
function isPath(text: string): boolean {
  return /^[^\s"'`:*?<>|]+(?: [^\s"'`:*?<>|]+){0,5}$/.test(text) && text.length <= 300
    ? /^[^ ]*\/[^ ]|\.[A-Za-z][\w-]{0,11}$/.test(text) && !domain.test(text)
    : false
}
