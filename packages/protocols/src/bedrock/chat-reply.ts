import { answersByTool, jsonToolName } from './json-answer.ts'
import { unreadContent } from '../server-tools.ts'
import {
  type AnswerMessage,
  type ChatRequest,
  type Fields,
  type FinishReason,
  formatDataUrl,
  formatJson,
  GatewayError,
  isObject,
  listOf,
  objectOf,
  type ServerToolCall,
  someText,
  textOf,
  type ThinkingBlock,
  type ToolCall,
} from '@sluice/contract'
import { assertBounded, boundedList } from '../bounded.ts'
import { answerMessage, chatReply } from '../chat-reply.ts'
import { type Annotation, citationOf, type TextRange } from '../citations.ts'
import { placed } from '../interleaved.ts'
import type { CodecContext, Decoded, Received } from '../protocol.ts'
import { TextPlaces } from '../text-places.ts'
import { BlockFees, readUsage } from './usage.ts'

/** Decodes a whole response of Converse. */
export function decodeChat(
  received: Received,
  context: CodecContext,
  request: ChatRequest,
): Decoded<'chat'> {
  const body = objectOf(received.json())
  const { message } = objectOf(body['output'])
  if (!isObject(message))
    throw new GatewayError('upstream_garbled', 'Bedrock answered without output.message')
  const answer = readMessage(listOf(message['content']), answersByTool(request))
  const fees = new BlockFees()
  for (const block of listOf(message['content']).filter(isObject)) fees.see(block)
  const usage = fees.in(readUsage(body))
  const stopSequence = stopSequenceOf(body['additionalModelResponseFields'])
  const tier = someText(objectOf(body['serviceTier'])['type'])
  const choice = {
    index: 0,
    message: answer,
    finish_reason: finishReason(body['stopReason'], answer.tool_calls !== undefined),
    logprobs: null,
    ...(stopSequence === undefined ? {} : { stop_sequence: stopSequence }),
  }
  return chatReply([choice], { usage, tier }, context)
}

function readMessage(content: readonly unknown[], byTool: boolean): AnswerMessage {
  let text: string | undefined
  const textPlaces = new TextPlaces()
  const reasoning: string[] = []
  const blocks: ThinkingBlock[] = []
  const calls: ToolCall[] = []
  const images: string[] = []
  const annotations: Annotation[] = []
  const serverCalls: ServerToolCall[] = []
  for (const item of content) {
    const block = objectOf(item)
    const { toolUse } = block
    if (typeof block['text'] === 'string') {
      text ??= ''
      if (block['text'] !== '') textPlaces.note(text.length, calls.length)
      text += block['text']
    } else if (isObject(block['citationsContent'])) {
      const start = text?.length ?? 0
      textPlaces.note(start, calls.length)
      const { content: parts, citations } = block['citationsContent']
      for (const part of listOf(parts)) text = (text ?? '') + textOf(objectOf(part)['text'])
      const end = text?.length ?? 0
      for (const cited of annotationsOf(citations, { start, end })) annotations.push(cited)
      assertBounded(annotations.length, 'citations')
    } else if (isObject(block['reasoningContent'])) {
      const hasText = text !== undefined
      readReasoning(block['reasoningContent'], reasoning, (read) =>
        blocks.push(placed(read, { hasText, calls: calls.length })),
      )
    } else if (isObject(block['image'])) images.push(imageUrl(block['image']))
    else if (isObject(toolUse) && byTool && toolUse['name'] === jsonToolName)
      text = (text ?? '') + formatJson(toolUse['input'] ?? {})
    else if (isObject(toolUse) && someText(toolUse['name']) !== undefined)
      calls.push(toolCall(toolUse))
    else serverCalls.push(...unreadBlock(block))
  }
  return answerMessage({
    content: text ?? (calls.length > 0 ? null : ''),
    reasoning: reasoning.join(''),
    blocks,
    calls,
    annotations,
    serverCalls,
    textPlaces,
    images: images.map((url) => ({ type: 'image_url', image_url: { url } })),
  })
}

/** The kinds of blocks that are read. */
const readKinds: ReadonlySet<string> = new Set([
  'text',
  'citationsContent',
  'reasoningContent',
  'image',
  'toolUse',
])

/** The kind of a block that is not read, such as a video or the result of a tool that Bedrock ran. */
export function unreadKind(block: Fields): string | undefined {
  return Object.keys(block).find((kind) => !readKinds.has(kind))
}

function unreadBlock(block: Fields): readonly ServerToolCall[] {
  const kind = unreadKind(block)
  return kind === undefined ? [] : [unreadContent(kind, block[kind])]
}

function readReasoning(
  content: Fields,
  reasoning: string[],
  add: (block: ThinkingBlock) => void,
): void {
  const { text, signature } = objectOf(content['reasoningText'])
  const redacted = someText(content['redactedContent'])
  if (typeof text === 'string') reasoning.push(text)
  if (typeof signature === 'string') add({ type: 'thinking', thinking: textOf(text), signature })
  if (redacted !== undefined) add({ type: 'redacted_thinking', data: redacted })
}

function imageUrl(image: Fields): string {
  const bytes = textOf(objectOf(image['source'])['bytes'])
  return formatDataUrl(`image/${textOf(image['format']) || 'png'}`, bytes)
}

function toolCall(toolUse: Fields): ToolCall {
  return {
    id: textOf(toolUse['toolUseId']),
    type: 'function',
    function: { name: textOf(toolUse['name']), arguments: formatJson(toolUse['input'] ?? {}) },
  }
}

/**
 * Converts citations of a part of the response (Bedrock API reference, Citation): from the web, a document of the request, or
 * a search result in it.
 */
export function annotationsOf(citations: unknown, range: TextRange): Annotation[] {
  return boundedList(citations, 'citations')
    .filter(isObject)
    .map((citation) => annotation(citation, range))
}

function annotation(
  { title, source, sourceContent, location }: Fields,
  range: TextRange,
): Annotation {
  const where = objectOf(location)
  const { web } = where
  const quote = listOf(sourceContent)
    .map((part) => someText(objectOf(part)['text']) ?? '')
    .join('')
  return citationOf(range, {
    url: someText(objectOf(web)['url']) ?? someText(source),
    title: someText(title),
    quote: quote === '' ? undefined : quote,
    fields: { source, ...placeInSource(where) },
  })
}

/** Locations in Anthropic's terms, which most formats use. */
const locations = {
  documentChar: ['start_char_index', 'end_char_index'],
  documentPage: ['start_page_number', 'end_page_number'],
  documentChunk: ['start_block_index', 'end_block_index'],
  searchResultLocation: ['start_block_index', 'end_block_index'],
} as const

function placeInSource(location: Fields): Fields {
  const found = Object.entries(locations).find(([kind]) => isObject(location[kind]))
  if (found === undefined) return {}
  const [kind, [first, last]] = found
  const { start, end, documentIndex, searchResultIndex } = objectOf(location[kind])
  return {
    document_index: documentIndex,
    search_result_index: searchResultIndex,
    [first]: start,
    [last]: end,
  }
}

/** StopReason of Converse (Amazon Bedrock API reference, ConverseResponse). */
const reasons: Readonly<Record<string, FinishReason>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  tool_use: 'tool_calls',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  guardrail_intervened: 'content_filter',
  content_filtered: 'content_filter',
  refusal: 'content_filter',
}

/** Whether there are calls decides between `stop` and `tool_calls`: a forced JSON tool is a response, not a call. */
export function finishReason(stopReason: unknown, hasCalls: boolean): FinishReason {
  const known = (typeof stopReason === 'string' ? reasons[stopReason] : undefined) ?? 'stop'
  if (known === 'stop' || known === 'tool_calls') return hasCalls ? 'tool_calls' : 'stop'
  return known
}

/** `{"delta": {"stop_sequence": …}}`: the value of the response field path in the request. */
export function stopSequenceOf(fields: unknown): string | undefined {
  return someText(objectOf(objectOf(fields)['delta'])['stop_sequence'])
}
