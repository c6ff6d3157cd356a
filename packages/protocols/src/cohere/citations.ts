import { countOf, type Fields, formatJson, isObject, listOf, someText } from '@sluice/contract'
import { type Annotation, citationOf, noPlace, type Place } from '../citations.ts'

/**
 * Citations of an answer (Cohere API v2, Citation): a piece of the text, and the documents and results of tools that it
 * is from. `offsetOf` says how many characters of the answer stand before a content part. What cites the plan or a thought
 * has no place in the text.
 */
export function annotationsOf(
  citations: unknown,
  offsetOf: (contentIndex: number) => number,
): Annotation[] {
  // One in a stream stands alone.
  const list = Array.isArray(citations) ? citations : [citations]
  return list.filter(isObject).flatMap((citation) => {
    const place = placeOf(citation, offsetOf)
    return listOf(citation['sources'])
      .filter(isObject)
      .map((source) => sourceAnnotation(source, place))
  })
}

function placeOf(citation: Fields, offsetOf: (contentIndex: number) => number): Place {
  const { type, start, end, content_index: index } = citation
  if (type !== undefined && type !== 'TEXT_CONTENT') return noPlace
  const offset = offsetOf(countOf(index) ?? 0)
  return { start: offset + (countOf(start) ?? 0), end: offset + (countOf(end) ?? 0) }
}

/** A source is a document of the request or what a tool gave back: an object of the caller's own making. */
function sourceAnnotation(source: Fields, place: Place): Annotation {
  const { id, document, tool_output: output } = source
  const told = isObject(document) ? document : isObject(output) ? output : {}
  const title = someText(told['title'])
  const quote = ['snippet', 'text', 'content'].map((name) => someText(told[name])).find(Boolean)
  return citationOf(place, {
    url: someText(told['url']),
    title,
    quote: quote ?? (Object.keys(told).length === 0 ? undefined : formatJson(told)),
    fields: { file_id: id, filename: title ?? id },
  })
}
