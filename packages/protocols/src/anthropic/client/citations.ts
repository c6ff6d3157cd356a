import { type Fields, isObject, listOf, someText } from '@sluice/contract'
import { type Citation, readCitation, type TextRange } from '../../citations.ts'
import { Excerpts, type Sliced } from '../../said-text.ts'

/**
 * Converts annotations to citations of a text block (Messages API reference, TextCitation): a web page becomes a web search
 * result, a file its location in a document of the request if known, otherwise a search result. `cited_text` is the quote, or
 * the cited part of the response if there is none. Annotations that are not citations, or lack required fields, are left out.
 */
export function citationsOf(
  content: Sliced,
  annotations: readonly Fields[] | undefined,
  excerpts = new Excerpts(),
): readonly object[] {
  return listOf(annotations)
    .filter(isObject)
    .flatMap((annotation) => {
      const citation = readCitation(annotation)
      return citation === undefined
        ? []
        : [citationBlock(citation, (range) => excerpts.of(content, range))]
    })
}

function citationBlock(citation: Citation, excerptAt: (range: TextRange) => string): object {
  const { url, title, quote, range, fields } = citation
  const words = quote ?? (range === undefined ? '' : excerptAt(range))
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

/** The fields of each kind of document location. */
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
