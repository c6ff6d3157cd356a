import { countOf, type Fields, isObject, objectOf, someText, textOf } from '@sluice/contract'
import type { Reports } from './native-target.ts'

/**
 * The source of a part of the response, in the canonical form: `{type, [type]: {…}}`, which is how chat completions nest
 * `url_citation` (OpenAI API, chat completion message, annotations). `content` of a web address and `quote` of a file hold the
 * cited text of the source. Any other fields that an upstream gives for the place in the source are kept under their own
 * names.
 */
export type Annotation = Record<string, unknown>

/** Character positions in the text of the response. If both are 0, the source belongs to the whole response. */
export interface TextRange {
  readonly start: number
  readonly end: number
}

export const noRange: TextRange = { start: 0, end: 0 }

export function urlCitation(
  { start, end }: TextRange,
  {
    url,
    title,
    content,
  }: { readonly url: string; readonly title: string; readonly content?: string },
): Annotation {
  const words = content === undefined || content === '' ? {} : { content }
  return {
    type: 'url_citation',
    url_citation: { start_index: start, end_index: end, url, title, ...words },
  }
}

/** A citation of a document or any other source without a web address. Fields that are undefined or null are left out. */
export function fileCitation({ start, end }: TextRange, source: Fields): Annotation {
  const known = Object.entries(source).filter(([, value]) => value !== undefined && value !== null)
  return {
    type: 'file_citation',
    file_citation: { start_index: start, end_index: end, ...Object.fromEntries(known) },
  }
}

/** Returns a `url_citation` if the source has a web address, otherwise a `file_citation`. */
export function citationOf(
  range: TextRange,
  source: {
    readonly url: string | undefined
    readonly title: string | undefined
    readonly quote: string | undefined
    /** Further fields for the citation of a file. */
    readonly fields: Fields
  },
): Annotation {
  const { url, title, quote, fields } = source
  return url !== undefined && isAddress(url)
    ? urlCitation(range, {
        url,
        title: title ?? '',
        ...(quote === undefined ? {} : { content: quote }),
      })
    : fileCitation(range, { title, quote, ...fields })
}

function isAddress(text: string): boolean {
  return /^https?:\/\//i.test(text)
}

/**
 * What client formats with citations of their own can express of an annotation; undefined if the annotation is not a citation.
 */
export interface Citation {
  readonly range: TextRange | undefined
  /** Undefined for a file. */
  readonly url: string | undefined
  readonly title: string
  /** The cited text of the source. */
  readonly quote: string | undefined
  /** All fields of the annotation. */
  readonly fields: Fields
}

export function readCitation(annotation: Fields): Citation | undefined {
  const type = textOf(annotation['type'])
  const nested = annotation[type]
  const fields = isObject(nested) ? nested : annotation
  const url = someText(fields['url'])
  const file = someText(fields['filename']) ?? someText(fields['file_id'])
  const title = someText(fields['title']) ?? file ?? someText(fields['source'])
  const quote = someText(fields['quote']) ?? someText(fields['content'])
  if (url === undefined && title === undefined && quote === undefined) return undefined
  return { range: rangeOf(fields), url, title: title ?? '', quote, fields }
}

/** The name under which a response header and the log report citations that the client format cannot express. */
export const annotationsName = 'answer.annotations'

/** Reports annotations that only chat completions can express. */
export function nameUnread(
  annotations: readonly Fields[],
  { leftOut }: Pick<Reports, 'leftOut'>,
): void {
  if (annotations.some((annotation) => readCitation(annotation) === undefined))
    leftOut(annotationsName)
}

/** For a cited file OpenAI only gives the character after which the citation stands (`index`). */
function rangeOf(fields: Fields): TextRange | undefined {
  const index = countOf(fields['index'])
  const start = countOf(fields['start_index']) ?? index
  const end = countOf(fields['end_index']) ?? index
  return start === undefined || end === undefined ? undefined : { start, end }
}

/** The annotation moved by a number of characters, for a text that is placed after another one. */
export function shiftedAnnotation(annotation: Fields, characters: number): Annotation {
  const { type, ...flat } = annotation
  const name = textOf(type)
  const fields = isObject(flat[name]) ? objectOf(flat[name]) : flat
  const moved = ['index', 'start_index', 'end_index'].flatMap((field) => {
    const at = countOf(fields[field])
    return at === undefined ? [] : [[field, at + characters] as const]
  })
  return { type: name, [name]: { ...fields, ...Object.fromEntries(moved) } }
}
