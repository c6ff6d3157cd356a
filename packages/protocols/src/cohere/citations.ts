import { countOf, type Fields, formatJson, isObject, listOf, someText } from '@sluice/contract'
import { assertBounded } from '../bounded.ts'
import { type Annotation, citationOf, noRange, type TextRange } from '../citations.ts'
import { countWhere } from '../said-text.ts'

/**
 * Positions in a text that arrives in pieces. Cohere counts Unicode characters; chat completions count UTF-16 units, as
 * JavaScript does.
 */
export class CodePoints {
  /** The positions, in characters, of the characters so far that take two units, in ascending order. */
  readonly #wide: number[] = []
  #units = 0

  add(text: string): void {
    for (const { index } of text.matchAll(/[\u{10000}-\u{10ffff}]/gu))
      this.#wide.push(this.#units + index - this.#wide.length)
    this.#units += text.length
  }

  /** The number of units before this character. */
  unitsBefore(character: number): number {
    return character + countWhere(this.#wide, (wide) => wide < character)
  }

  get units(): number {
    return this.#units
  }
}

export interface ContentPart {
  /** Length of the text of the response before this part. */
  readonly offset: number
  readonly text: CodePoints
}

const nothing: ContentPart = { offset: 0, text: new CodePoints() }

/**
 * The citations of a response (Cohere API v2, Citation): a range of the text, and the documents and tool results that it is
 * based on. `parts` holds the content parts of the response by index. A citation in the tool plan or in a thought has no range
 * in the text.
 */
export function annotationsOf(
  citations: unknown,
  parts: ReadonlyMap<number, ContentPart>,
): Annotation[] {
  // In a stream, a citation comes alone and not in a list.
  const list = Array.isArray(citations) ? citations : [citations]
  let count = 0
  return list.filter(isObject).flatMap((citation) => {
    const sources = listOf(citation['sources'])
    count += sources.length
    assertBounded(count, 'citations')
    const range = rangeOf(citation, parts)
    return sources.filter(isObject).flatMap((source) => sourceAnnotation(source, range))
  })
}

function rangeOf(citation: Fields, parts: ReadonlyMap<number, ContentPart>): TextRange {
  const { type, start, end, content_index: index } = citation
  if (type !== undefined && type !== 'TEXT_CONTENT') return noRange
  const { offset, text } = parts.get(countOf(index) ?? 0) ?? nothing
  const at = (character: unknown) => offset + text.unitsBefore(countOf(character) ?? 0)
  return { start: at(start), end: at(end) }
}

/** A source is a document of the request or the output of a tool: an object whose fields the caller defines. It may be empty. */
function sourceAnnotation(source: Fields, range: TextRange): readonly Annotation[] {
  const { id, document, tool_output: output } = source
  const content = isObject(document) ? document : isObject(output) ? output : {}
  const isUnknown = Object.keys(content).length === 0
  if (isUnknown && id === undefined) return []
  const title = someText(content['title'])
  const quote = ['snippet', 'text', 'content'].map((name) => someText(content[name])).find(Boolean)
  const citation = citationOf(range, {
    url: someText(content['url']),
    title,
    quote: quote ?? (isUnknown ? undefined : formatJson(content)),
    fields: { file_id: id, filename: title ?? id },
  })
  return [citation]
}
