import {
  type ChoiceLogprobs,
  type Fields,
  isObject,
  listOf,
  objectOf,
  type ServerToolCall,
  someText,
  textOf,
} from '@sluice/contract'
import { assertBounded, boundedList } from '../../bounded.ts'
import { type Annotation, fileCitation, noRange, urlCitation } from '../../citations.ts'
import { unreadContent } from '../../server-tools.ts'

/**
 * Reads the `content` of a response. Mistral sends a list of text, thinking and references where OpenAI sends a string
 * (Mistral API, ContentChunk).
 */
interface ReadContent {
  readonly text: string
  readonly reasoning: string
  /** Positioned relative to this text. */
  readonly annotations: readonly Annotation[]
  /** Parts of other kinds. */
  readonly unread: readonly ServerToolCall[]
}

/** The kinds of parts that are read here. Some upstreams leave out the type of texts. */
const readKinds: ReadonlySet<unknown> = new Set([
  undefined,
  'text',
  'output_text',
  'thinking',
  'reference',
  'tool_reference',
])

export function readContent(content: unknown): ReadContent {
  if (typeof content === 'string')
    return { text: content, reasoning: '', annotations: [], unread: [] }
  let text = ''
  let reasoning = ''
  const annotations: Annotation[] = []
  const unread: ServerToolCall[] = []
  for (const part of listOf(content)) {
    if (!isObject(part)) continue
    if (!readKinds.has(part['type']) && typeof part['text'] !== 'string') {
      const { type, ...rest } = part
      unread.push(unreadContent(textOf(type), rest))
      assertBounded(unread.length, 'parts')
      continue
    }
    if (part['type'] === 'thinking') reasoning += thinkingText(part['thinking'])
    else text += textOf(part['text'])
    annotations.push(...references(part, text.length))
    assertBounded(annotations.length, 'citations')
  }
  return { text, reasoning, annotations, unread }
}

/** A reference follows the text that it supports. It refers to results of the caller's tools by their ids, or to a page. */
function references(part: Fields, at: number): readonly Annotation[] {
  const { type, reference_ids: ids, url, title } = part
  const range = { start: at, end: at }
  if (type === 'reference')
    return boundedList(ids, 'citations').map((id) => fileCitation(range, { file_id: String(id) }))
  const page = type === 'tool_reference' ? someText(url) : undefined
  return page === undefined ? [] : [urlCitation(range, { url: page, title: textOf(title) })]
}

function thinkingText(thinking: unknown): string {
  if (typeof thinking === 'string') return thinking
  return listOf(thinking)
    .map((piece) => textOf(objectOf(piece)['text']))
    .join('')
}

/** Reasoning in a field next to the content: the name that DeepSeek and Qwen use, or that of OpenRouter, Groq and vLLM. */
export function readReasoning(message: Readonly<Record<string, unknown>>): string {
  return someText(message['reasoning_content']) ?? someText(message['reasoning']) ?? ''
}

/** A call's arguments as text. A few upstreams send the object itself. */
export function readArguments(value: unknown): string {
  if (typeof value === 'string') return value
  return value === undefined || value === null ? '' : JSON.stringify(value)
}

/**
 * Sources next to the choices: `citations` of Perplexity and xAI, and `search_results` of Perplexity, which have titles as
 * well. Their place in the text is unknown.
 */
export function readAnnotations(body: Fields): readonly Annotation[] {
  if (!mayCite(body)) return []
  const results = boundedList(body['search_results'], 'citations').map(objectOf)
  const cited = boundedList(body['citations'], 'citations').map((citation) =>
    typeof citation === 'string' ? { url: citation } : objectOf(citation),
  )
  const titles = new Map(results.map(({ url, title }) => [textOf(url), textOf(title)]))
  return (cited.length > 0 ? cited : results).flatMap((page: Fields) => {
    const url = someText(page['url'])
    if (url === undefined) return []
    return [urlCitation(noRange, { url, title: someText(page['title']) ?? titles.get(url) ?? '' })]
  })
}

/** Whether there is anything for `readAnnotations` to read. */
export function mayCite({ search_results: results, citations }: Fields): boolean {
  return results != null || citations != null
}

/** Logprobs in OpenAI's form; null for any other form, and if they contain no token. */
export function logprobsOf(value: unknown): ChoiceLogprobs | null {
  if (!isObject(value)) return null
  const content = value['content']
  const refusal = value['refusal']
  if (listOf(content).length === 0 && listOf(refusal).length === 0) return null
  return { content: tokensOf(content), refusal: tokensOf(refusal) }
}

function tokensOf(value: unknown): ChoiceLogprobs['content'] {
  if (!Array.isArray(value)) return null
  return value.filter(isObject).map((token) => ({
    ...tokenOf(token),
    top_logprobs: listOf(token['top_logprobs']).filter(isObject).map(tokenOf),
  }))
}

function tokenOf(token: Fields): { token: string; logprob: number; bytes: number[] | null } {
  const { logprob, bytes } = token
  return {
    token: textOf(token['token']),
    logprob: typeof logprob === 'number' ? logprob : 0,
    bytes: Array.isArray(bytes) ? bytes.filter((byte) => typeof byte === 'number') : null,
  }
}
