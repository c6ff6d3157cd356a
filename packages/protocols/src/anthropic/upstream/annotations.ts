import { type Fields, isObject, someText } from '@sluice/contract'
import { boundedList } from '../../bounded.ts'
import { type Annotation, citationOf, type TextRange } from '../../citations.ts'

/**
 * Converts citations of a text block to annotations at the position of the block in the whole text (Claude docs, citations).
 * Sources without a URL, such as documents or the caller's search results, are cited as files with their location.
 */
export function annotationsOf(citations: unknown, range: TextRange): Annotation[] {
  return boundedList(citations, 'citations')
    .filter(isObject)
    .map((citation) => annotation(citation, range))
}

function annotation(citation: Fields, range: TextRange): Annotation {
  const {
    type: _,
    cited_text: quote,
    title,
    document_title: documentTitle,
    url,
    encrypted_index: __,
    ...location
  } = citation
  return citationOf(range, {
    url: someText(url) ?? someText(location['source']),
    title: someText(title) ?? someText(documentTitle),
    quote: someText(quote),
    fields: location,
  })
}
