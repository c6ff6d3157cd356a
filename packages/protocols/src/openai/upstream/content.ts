import { type Fields, isObject, listOf, objectOf, someText, textOf } from '@sluice/contract'
import { type Annotation, fileCitation, noPlace, urlCitation } from '../../citations.ts'

/**
 * What an answer's `content` says: Mistral sends a list of text, thinking and references where OpenAI sends a string
 * (Mistral API, ContentChunk).
 */
interface Spoken {
  readonly text: string
  readonly reasoning: string
  /** On their places in this text. */
  readonly annotations: readonly Annotation[]
}

export function readContent(content: unknown): Spoken {
  if (typeof content === 'string') return { text: content, reasoning: '', annotations: [] }
  let text = ''
  let reasoning = ''
  const annotations: Annotation[] = []
  for (const part of listOf(content)) {
    if (!isObject(part)) continue
    if (part['type'] === 'thinking') reasoning += thinkingText(part['thinking'])
    else text += textOf(part['text'])
    annotations.push(...references(part, text.length))
  }
  return { text, reasoning, annotations }
}

/** A reference stands behind what it supports: to results of the caller's tools by their ids, or to a page. */
function references(part: Fields, at: number): readonly Annotation[] {
  const { type, reference_ids: ids, url, title } = part
  const place = { start: at, end: at }
  if (type === 'reference')
    return listOf(ids).map((id) => fileCitation(place, { file_id: String(id) }))
  const page = type === 'tool_reference' ? someText(url) : undefined
  return page === undefined ? [] : [urlCitation(place, { url: page, title: textOf(title) })]
}

function thinkingText(thinking: unknown): string {
  if (typeof thinking === 'string') return thinking
  return listOf(thinking)
    .map((piece) => textOf(objectOf(piece)['text']))
    .join('')
}

/** Reasoning beside the content: DeepSeek's and Qwen's name for it, or OpenRouter's, Groq's and vLLM's. */
export function readReasoning(message: Readonly<Record<string, unknown>>): string {
  return someText(message['reasoning_content']) ?? someText(message['reasoning']) ?? ''
}

/** A call's arguments as text; a few upstreams send the object itself. */
export function readArguments(value: unknown): string {
  if (typeof value === 'string') return value
  return value === undefined || value === null ? '' : JSON.stringify(value)
}

/**
 * Sources that stand beside the choices: `citations` of Perplexity and xAI, `search_results` of Perplexity, which alone
 * have titles. Where in the text they are cited is not said.
 */
export function readAnnotations(body: Fields): readonly Annotation[] {
  const results = listOf(body['search_results']).map(objectOf)
  const cited = listOf(body['citations']).map((citation) =>
    typeof citation === 'string' ? { url: citation } : objectOf(citation),
  )
  const titles = new Map(results.map(({ url, title }) => [textOf(url), textOf(title)]))
  return (cited.length > 0 ? cited : results).flatMap((page: Fields) => {
    const url = someText(page['url'])
    if (url === undefined) return []
    return [urlCitation(noPlace, { url, title: someText(page['title']) ?? titles.get(url) ?? '' })]
  })
}
