import { type Fields, isObject, listOf, objectOf, someText } from '@sluice/contract'
import { type Annotation, citationOf, type Place } from '../citations.ts'

/**
 * Citations of a piece of the answer (Bedrock API reference, Citation): from the web, from a document of the request, or
 * from a search result in it.
 */
export function annotationsOf(citations: unknown, place: Place): Annotation[] {
  return listOf(citations)
    .filter(isObject)
    .map((citation) => annotation(citation, place))
}

function annotation({ title, source, sourceContent, location }: Fields, place: Place): Annotation {
  const where = objectOf(location)
  const { web } = where
  const quote = listOf(sourceContent)
    .map((part) => someText(objectOf(part)['text']) ?? '')
    .join('')
  return citationOf(place, {
    url: someText(objectOf(web)['url']) ?? someText(source),
    title: someText(title),
    quote: quote === '' ? undefined : quote,
    fields: { source, ...placeInSource(where) },
  })
}

/** The places in Anthropic's words, which most say. */
const locations = {
  documentChar: ['start_char_index', 'end_char_index'],
  documentPage: ['start_page_number', 'end_page_number'],
  documentChunk: ['start_block_index', 'end_block_index'],
  searchResultLocation: ['start_block_index', 'end_block_index'],
} as const

function placeInSource(location: Fields): Fields {
  const found = Object.entries(locations).find(([kind]) => isObject(location[kind]))
  if (found === undefined) return {}
  const [kind, [first, last]] = found
  const { start, end, documentIndex, searchResultIndex } = objectOf(location[kind])
  return {
    document_index: documentIndex,
    search_result_index: searchResultIndex,
    [first]: start,
    [last]: end,
  }
}
