import {
  type AnswerMessage,
  countOf,
  type Fields,
  isObject,
  objectOf,
  someText,
  textOf,
} from '@sluice/contract'
import { countWhere } from './ordered.ts'
import type { FormatContext } from './protocol.ts'
import { type PlacedText, placedTexts } from './text-places.ts'

/**
 * Where a piece of an answer comes from, as the canonical form says it: `{type, [type]: {…}}`, which is how chat nests
 * `url_citation` (OpenAI API, chat completion message, annotations). `content` of an address and `quote` of a file are the
 * words of the source; whatever else an upstream says of the place in the source rides along under its own name.
 */
export type Annotation = Record<string, unknown>

/** Characters of the answer's text. Both 0: a source of the whole answer. */
export interface Place {
  readonly start: number
  readonly end: number
}

export const noPlace: Place = { start: 0, end: 0 }

export function urlCitation(
  { start, end }: Place,
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

/** Of a document or anything else without an address. Fields that are undefined are left out. */
export function fileCitation({ start, end }: Place, source: Fields): Annotation {
  const known = Object.entries(source).filter(([, value]) => value !== undefined && value !== null)
  return {
    type: 'file_citation',
    file_citation: { start_index: start, end_index: end, ...Object.fromEntries(known) },
  }
}

/** An address where the source has one that can be opened, else a file. */
export function citationOf(
  place: Place,
  source: {
    readonly url: string | undefined
    readonly title: string | undefined
    readonly quote: string | undefined
    /** Of a file. */
    readonly fields: Fields
  },
): Annotation {
  const { url, title, quote, fields } = source
  return url !== undefined && isAddress(url)
    ? urlCitation(place, {
        url,
        title: title ?? '',
        ...(quote === undefined ? {} : { content: quote }),
      })
    : fileCitation(place, { title, quote, ...fields })
}

function isAddress(text: string): boolean {
  return /^https?:\/\//i.test(text)
}

/** What the formats that have citations of their own say of one; undefined for an annotation that is none. */
export interface Citation {
  readonly place: Place | undefined
  /** Absent for a file. */
  readonly url: string | undefined
  readonly title: string
  /** The words of the source. */
  readonly quote: string | undefined
  /** Everything that was said of it. */
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
  return { place: placeOf(fields), url, title: title ?? '', quote, fields }
}

/** How an answer's header and the log call citations that its format has no place for. */
export const annotationsName = 'answer.annotations'

/** Names annotations that are none of the citations which formats other than chat can tell. */
export function nameUnread(
  annotations: readonly Fields[],
  { leftOut }: Pick<FormatContext, 'leftOut'>,
): void {
  if (annotations.some((annotation) => readCitation(annotation) === undefined))
    leftOut(annotationsName)
}

/** OpenAI says of a cited file only behind which character the citation stands (`index`). */
function placeOf(fields: Fields): Place | undefined {
  const index = countOf(fields['index'])
  const start = countOf(fields['start_index']) ?? index
  const end = countOf(fields['end_index']) ?? index
  return start === undefined || end === undefined ? undefined : { start, end }
}

/** The annotation moved by so many characters, for a text that stands behind another. */
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

/** A text of an answer with the annotations that lie in it, placed in that text. */
export interface CitedText extends PlacedText {
  readonly annotations: readonly Fields[]
}

/** The texts of an answer in their order, none of which is empty. An annotation without a place belongs to the first. */
export function citedTexts(
  message: Pick<AnswerMessage, 'annotations' | 'content' | 'text_places'>,
): readonly CitedText[] {
  const texts = placedTexts(message).map((text) => ({ ...text, annotations: [] as Fields[] }))
  for (const annotation of message.annotations ?? []) {
    const at = readCitation(annotation)?.place?.start ?? 0
    const text = texts[countWhere(texts, ({ start }) => start <= at) - 1]
    text?.annotations.push(
      text.start === 0 ? annotation : shiftedAnnotation(annotation, -text.start),
    )
  }
  return texts
}
