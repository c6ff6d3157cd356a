import { isObject, listOf, objectOf, someText, textOf } from '@sluice/contract'

/** What an answer's `content` says: Mistral sends a list of text and thinking parts where OpenAI sends a string. */
interface Spoken {
  readonly text: string
  readonly reasoning: string
}

export function readContent(content: unknown): Spoken {
  if (typeof content === 'string') return { text: content, reasoning: '' }
  let text = ''
  let reasoning = ''
  for (const part of listOf(content)) {
    if (!isObject(part)) continue
    if (part['type'] === 'thinking') reasoning += thinkingText(part['thinking'])
    else text += textOf(part['text'])
  }
  return { text, reasoning }
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

/** Perplexity's citations as OpenAI's annotations; where in the text they stand is not said. */
export function readAnnotations(body: Readonly<Record<string, unknown>>): readonly object[] {
  const titles = new Map(
    listOf(body['search_results']).map((result) => {
      const { url, title } = objectOf(result)
      return [textOf(url), textOf(title)] as const
    }),
  )
  return listOf(body['citations']).flatMap((citation) => {
    const url = someText(citation)
    if (url === undefined) return []
    const place = { start_index: 0, end_index: 0, url, title: titles.get(url) ?? '' }
    return [{ type: 'url_citation', url_citation: place }]
  })
}
