import { countOf, type Fields, formatJson, isObject, listOf, someText } from '@sluice/contract'
import { type Annotation, citationOf, noPlace, type Place } from '../citations.ts'
import { CodePoints } from './code-points.ts'

export interface ContentPart {
  /** How much of the answer's text stands before it. */
  readonly offset: number
  readonly text: CodePoints
}

const nothing: ContentPart = { offset: 0, text: new CodePoints() }

/**
 * Citations of an answer (Cohere API v2, Citation): a piece of the text, and the documents and results of tools that it
 * is from. `parts` are the content parts of the answer by their index. What cites the plan or a thought has no place in
 * the text.
 */
export function annotationsOf(
  citations: unknown,
  parts: ReadonlyMap<number, ContentPart>,
): Annotation[] {
  // One in a stream stands alone.
  const list = Array.isArray(citations) ? citations : [citations]
  return list.filter(isObject).flatMap((citation) => {
    const place = placeOf(citation, parts)
    return listOf(citation['sources'])
      .filter(isObject)
      .flatMap((source) => sourceAnnotation(source, place))
  })
}

function placeOf(citation: Fields, parts: ReadonlyMap<number, ContentPart>): Place {
  const { type, start, end, content_index: index } = citation
  if (type !== undefined && type !== 'TEXT_CONTENT') return noPlace
  const { offset, text } = parts.get(countOf(index) ?? 0) ?? nothing
  const at = (character: unknown) => offset + text.unitsBefore(countOf(character) ?? 0)
  return { start: at(start), end: at(end) }
}

/** A source is a document of the request or what a tool gave back: an object of the caller's own making. One may say nothing. */
function sourceAnnotation(source: Fields, place: Place): readonly Annotation[] {
  const { id, document, tool_output: output } = source
  const told = isObject(document) ? document : isObject(output) ? output : {}
  const isUnknown = Object.keys(told).length === 0
  if (isUnknown && id === undefined) return []
  const title = someText(told['title'])
  const quote = ['snippet', 'text', 'content'].map((name) => someText(told[name])).find(Boolean)
  const citation = citationOf(place, {
    url: someText(told['url']),
    title,
    quote: quote ?? (isUnknown ? undefined : formatJson(told)),
    fields: { file_id: id, filename: title ?? id },
  })
  return [citation]
}
