import { type Fields, isObject, listOf, someText } from '@sluice/contract'
import { type Annotation, citationOf, type Place } from '../../citations.ts'

/**
 * Citations of a text block as annotations on the place of that block in the whole text (Claude docs, citations). What
 * has no address, a document or a search result of the caller's own, is cited as a file, and where in it.
 */
export function annotationsOf(citations: unknown, place: Place): Annotation[] {
  return listOf(citations)
    .filter(isObject)
    .map((citation) => annotation(citation, place))
}

function annotation(citation: Fields, place: Place): Annotation {
  const {
    type: _,
    cited_text: quote,
    title,
    document_title: documentTitle,
    url,
    encrypted_index: __,
    ...location
  } = citation
  return citationOf(place, {
    url: someText(url) ?? someText(location['source']),
    title: someText(title) ?? someText(documentTitle),
    quote: someText(quote),
    fields: location,
  })
}
