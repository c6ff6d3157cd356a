import { type Fields, isObject, listOf, objectOf, someText } from '@sluice/contract'
import { boundedList } from '../bounded.ts'
import { type Annotation, citationOf, type TextRange } from '../citations.ts'

/**
 * Converts citations of a part of the response (Bedrock API reference, Citation): from the web, a document of the request, or
 * a search result in it.
 */
export function annotationsOf(citations: unknown, range: TextRange): Annotation[] {
  return boundedList(citations, 'citations')
    .filter(isObject)
    .map((citation) => annotation(citation, range))
}

function annotation(
  { title, source, sourceContent, location }: Fields,
  range: TextRange,
): Annotation {
  const where = objectOf(location)
  const { web } = where
  const quote = listOf(sourceContent)
    .map((part) => someText(objectOf(part)['text']) ?? '')
    .join('')
  return citationOf(range, {
    url: someText(objectOf(web)['url']) ?? someText(source),
    title: someText(title),
    quote: quote === '' ? undefined : quote,
    fields: { source, ...placeInSource(where) },
  })
}

/** Locations in Anthropic's terms, which most formats use. */
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
