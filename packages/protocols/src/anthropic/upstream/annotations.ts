import { type Fields, isObject, listOf, someText, textOf } from '@sluice/contract'

type Annotation = Record<string, unknown>

/**
 * Citations of a text block as OpenAI's annotations on the place of that block in the whole text. Citations of a
 * document, which has no address, become `file_citation` with the words that are quoted.
 */
export function annotationsOf(
  citations: unknown,
  place: { readonly start: number; readonly end: number },
): Annotation[] {
  const range = { start_index: place.start, end_index: place.end }
  return listOf(citations)
    .filter(isObject)
    .map((citation) => annotation(citation, range))
}

function annotation(citation: Fields, range: object): Annotation {
  const url = someText(citation['url']) ?? someText(citation['source'])
  const title = textOf(citation['title'] ?? citation['document_title'])
  if (url !== undefined) return { type: 'url_citation', url_citation: { ...range, url, title } }
  return {
    type: 'file_citation',
    file_citation: { ...range, title, quote: textOf(citation['cited_text']) },
  }
}
