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
  type ThinkingBlock,
  type ToolCall,
  textOf,
} from '@sluice/contract'
import { assertBounded } from '../../bounded.ts'
import { answerMessage, chatReply } from '../../chat-reply.ts'
import { placed } from '../../interleaved.ts'
import type { CodecContext, Decoded, Received } from '../../protocol.ts'
import { receivedObject } from '../../read-json.ts'
import { TextPlaces } from '../../text-places.ts'
import { finishReason } from '../finish-reasons.ts'
import { readUsage } from '../usage.ts'
import { annotationsOf } from './annotations.ts'
import { answerToolName } from './chat-request.ts'
import { upstreamError } from './failure.ts'
import { ServerTools } from './server-tools.ts'

interface Answer {
  readonly text: string
  readonly textPlaces: TextPlaces
  readonly reasoning: string
  readonly thinking: readonly ThinkingBlock[]
  readonly calls: readonly ToolCall[]
  readonly annotations: readonly Record<string, unknown>[]
  readonly serverCalls: readonly ServerToolCall[]
}

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
  const answer = readBlocks(body['content'], answerToolName(request, context.model))
  const usage = readUsage(body)
  const stopSequence = someText(body['stop_sequence'])
  const tier = someText(objectOf(body['usage'])['service_tier'])
  const choice = {
    index: 0,
    message: messageOf(answer, refusalOf(body)),
    finish_reason: finishReason(body['stop_reason'], answer.calls.length > 0),
    logprobs: null,
    ...(stopSequence === undefined ? {} : { stop_sequence: stopSequence }),
  }
  // Anthropic's `standard` is OpenAI's `default`.
  return chatReply([choice], { usage, tier: tier === 'standard' ? 'default' : tier }, context)
}

/** The refusal explanation in Anthropic's words; the response may also contain partial text. */
export function refusalOf(holder: Fields): string | undefined {
  if (holder['stop_reason'] !== 'refusal') return undefined
  return someText(objectOf(holder['stop_details'])['explanation'])
}

/** Separates texts around one of Anthropic's own tools. */
export const blockGap = '\n\n'

function readBlocks(content: readonly unknown[], answerTool: string | undefined): Answer {
  const annotations: Record<string, unknown>[] = []
  const thinking: ThinkingBlock[] = []
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
        thinking.push(placed(thinkingBlock(block), { hasText: text !== '', calls: calls.length }))
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
  return { text, textPlaces, reasoning, thinking, calls, annotations, serverCalls }
}

/** A reasoning block in the form in which it is returned in a later request. */
export function thinkingBlock(block: Fields): ThinkingBlock {
  if (block['type'] === 'redacted_thinking')
    return { type: 'redacted_thinking', data: textOf(block['data']) }
  return {
    type: 'thinking',
    thinking: textOf(block['thinking']),
    signature: textOf(block['signature']),
  }
}

function toolCall(block: Fields): ToolCall {
  return {
    id: textOf(block['id']),
    type: 'function',
    function: { name: textOf(block['name']), arguments: formatJson(block['input'] ?? {}) },
  }
}

function messageOf(
  { text, textPlaces, reasoning, thinking, calls, annotations, serverCalls }: Answer,
  refusal: string | undefined,
): AnswerMessage {
  const silent = calls.length > 0 || refusal !== undefined
  return answerMessage({
    content: text === '' && silent ? null : text,
    refusal,
    reasoning,
    blocks: [...thinking],
    calls: [...calls],
    annotations: [...annotations],
    serverCalls: [...serverCalls],
    textPlaces,
  })
}
