import { quotedOf, type Span, spansIn } from '../text/spans.ts'

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
