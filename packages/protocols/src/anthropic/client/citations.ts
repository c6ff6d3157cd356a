import { type Fields, isObject, listOf, someText } from '@sluice/contract'
import { type Citation, readCitation } from '../../citations.ts'
import type { SaidText } from '../../said-text.ts'

/** A text, or one that came in pieces. */
type Sliced = Pick<SaidText, 'slice'>

/**
 * Annotations as citations of a text block (Messages API reference, TextCitation): a web page as one that a search found,
 * a file at its place in a document of the request where that is known, else as the result of a search in files.
 * `cited_text` is the source's, or, where nobody says it, the piece of the answer. An annotation that is no citation, and
 * one without its kind's words, is not told.
 */
export function citationsOf(
  content: Sliced,
  annotations: readonly Fields[] | undefined,
): readonly object[] {
  return listOf(annotations)
    .filter(isObject)
    .flatMap((annotation) => {
      const citation = readCitation(annotation)
      return citation === undefined ? [] : [citationBlock(citation, content)]
    })
}

function citationBlock(citation: Citation, content: Sliced): object {
  const { url, title, quote, place, fields } = citation
  const words = quote ?? (place === undefined ? '' : content.slice(place.start, place.end))
  if (url !== undefined)
    return {
      type: 'web_search_result_location',
      url,
      title,
      cited_text: words,
      encrypted_index: '',
    }
  return (
    documentLocation(citation, words) ?? {
      type: 'search_result_location',
      source: someText(fields['source']) ?? someText(fields['file_id']) ?? title,
      title,
      cited_text: words,
      search_result_index: 0,
      start_block_index: 0,
      end_block_index: 0,
      ...kept(fields, ['search_result_index', 'start_block_index', 'end_block_index']),
    }
  )
}

/** The fields by which each kind of place in a document is told. */
const locations = {
  char_location: ['start_char_index', 'end_char_index'],
  page_location: ['start_page_number', 'end_page_number'],
  content_block_location: ['start_block_index', 'end_block_index'],
} as const

function documentLocation({ title, fields }: Citation, words: string): object | undefined {
  if (typeof fields['document_index'] !== 'number') return undefined
  const found = Object.entries(locations).find(([, names]) =>
    names.every((name) => typeof fields[name] === 'number'),
  )
  if (found === undefined) return undefined
  const [type, names] = found
  return {
    type,
    cited_text: words,
    document_title: title,
    file_id: null,
    ...kept(fields, ['document_index', 'file_id', ...names]),
  }
}

function kept(fields: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(
    names.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]]])),
  )
}
