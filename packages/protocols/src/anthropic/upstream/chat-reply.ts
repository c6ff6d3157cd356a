import { answerToolName } from './json-answer.ts'
import {
  type AnswerMessage,
  type ChatRequest,
  type Fields,
  formatJson,
  GatewayError,
  isObject,
  objectOf,
  type ServerToolCall,
  someText,
  textOf,
  type ThinkingBlock,
  type ToolCall,
} from '@sluice/contract'
import { flatName } from '../toolsets.ts'
import { assertBounded, boundedList } from '../../bounded.ts'
import { answerMessage, chatReply } from '../../chat-reply.ts'
import { type Annotation, citationOf, type TextRange } from '../../citations.ts'
import { placed } from '../../interleaved.ts'
import type { CodecContext, Decoded, Received } from '../../protocol.ts'
import { receivedObject } from '../../read-json.ts'
import { TextPlaces } from '../../text-places.ts'
import { blockGap, refusalOf, thinkingBlock } from '../blocks.ts'
import { finishReason } from '../finish-reasons.ts'
import { readUsage } from '../usage.ts'
import { upstreamError } from './failure.ts'
import { ServerTools } from './server-tools.ts'

/** Decodes a whole response of `POST /v1/messages` (Messages API reference, Message). */
export function decodeChat(
  received: Received,
  context: CodecContext,
  request: ChatRequest,
): Decoded<'chat'> {
  const body = receivedObject(received)
  if (body['type'] === 'error') throw upstreamError(body['error'])
  if (!Array.isArray(body['content']))
    throw new GatewayError('upstream_garbled', 'The upstream’s response holds no content')
  const answerTool = answerToolName(request, context.family)
  const message = readBlocks(body['content'], answerTool, refusalOf(body))
  const usage = readUsage(body)
  const stopSequence = someText(body['stop_sequence'])
  const tier = someText(objectOf(body['usage'])['service_tier'])
  const choice = {
    index: 0,
    message,
    finish_reason: finishReason(body['stop_reason'], message.tool_calls !== undefined),
    logprobs: null,
    ...(stopSequence === undefined ? {} : { stop_sequence: stopSequence }),
  }
  // Anthropic's `standard` is OpenAI's `default`.
  return chatReply([choice], { usage, tier: tier === 'standard' ? 'default' : tier }, context)
}

function readBlocks(
  content: readonly unknown[],
  answerTool: string | undefined,
  refusal: string | undefined,
): AnswerMessage {
  const annotations: Record<string, unknown>[] = []
  const blocks: ThinkingBlock[] = []
  const calls: ToolCall[] = []
  const serverCalls: ServerToolCall[] = []
  const serverTools = new ServerTools()
  const textPlaces = new TextPlaces()
  let text = ''
  let reasoning = ''
  /** Whether another block came after the last text. */
  let isApart = false
  for (const block of content.filter(isObject)) {
    switch (block['type']) {
      case 'text': {
        if (isApart) text += blockGap
        isApart = false
        const start = text.length
        if (textOf(block['text']) !== '') textPlaces.note(start, calls.length)
        text += textOf(block['text'])
        annotations.push(...annotationsOf(block['citations'], { start, end: text.length }))
        assertBounded(annotations.length, 'citations')
        break
      }
      case 'thinking':
      case 'redacted_thinking':
        reasoning += textOf(block['thinking'])
        blocks.push(placed(thinkingBlock(block), { hasText: text !== '', calls: calls.length }))
        break
      case 'tool_use':
        if (someText(block['name']) === undefined) break
        if (block['name'] === answerTool) text += formatJson(block['input'] ?? {})
        else calls.push(toolCall(block))
        break
      default:
        isApart = text !== ''
        serverCalls.push(...serverTools.read(block))
    }
  }
  serverCalls.push(...serverTools.rest())
  const silent = calls.length > 0 || refusal !== undefined
  return answerMessage({
    content: text === '' && silent ? null : text,
    refusal,
    reasoning,
    blocks,
    calls,
    annotations,
    serverCalls,
    textPlaces,
  })
}

function toolCall(block: Fields): ToolCall {
  return {
    id: textOf(block['id']),
    type: 'function',
    function: { name: flatName(block), arguments: formatJson(block['input'] ?? {}) },
  }
}

/**
 * Converts citations of a text block to annotations at the position of the block in the whole text (Claude docs, citations).
 * Sources without a URL, such as documents or the caller's search results, are cited as files with their location.
 */
export function annotationsOf(citations: unknown, range: TextRange): Annotation[] {
  return boundedList(citations, 'citations')
    .filter(isObject)
    .map((citation) => annotation(citation, range))
}

function annotation(citation: Fields, range: TextRange): Annotation {
  const {
    type: _,
    cited_text: quote,
    title,
    document_title: documentTitle,
    url,
    encrypted_index: __,
    ...location
  } = citation
  return citationOf(range, {
    url: someText(url) ?? someText(location['source']),
    title: someText(title) ?? someText(documentTitle),
    quote: someText(quote),
    fields: location,
  })
}
