import { unreadContent } from '../server-tools.ts'
import {
  type AnswerMessage,
  type ChoiceLogprobs,
  type Fields,
  type FinishReason,
  GatewayError,
  isObject,
  listOf,
  objectOf,
  type ServerToolCall,
  someText,
  textOf,
  type ToolCall,
} from '@sluice/contract'
import { argumentsText } from '../call-arguments.ts'
import { answerMessage, chatReply } from '../chat-reply.ts'
import type { CodecContext, Decoded, Received } from '../protocol.ts'
import { annotationsOf, CodePoints, type ContentPart } from './citations.ts'
import { readUsage } from './usage.ts'

/** Reads a whole response of `POST /v2/chat`. */
export function decodeChat(received: Received, context: CodecContext): Decoded<'chat'> {
  const body = objectOf(received.json())
  if (!isObject(body['message']))
    throw new GatewayError('upstream_garbled', 'Cohere answered without a message')
  const message = readMessage(body['message'])
  const choice = {
    index: 0,
    message,
    finish_reason: finishReason(body['finish_reason'], message.tool_calls !== undefined),
    logprobs: readLogprobs(body['logprobs']),
  }
  return chatReply([choice], { usage: readUsage(body['usage']) }, context)
}

function readMessage(message: Fields): AnswerMessage {
  const given = listOf(message['content']).map(objectOf)
  // Citations count parts of every kind.
  const parts = given.map((part) => (unreadKind(part) === undefined ? part : {}))
  const text = parts.map((part) => textOf(part['text'])).join('')
  const reasoning =
    parts.map((part) => textOf(part['thinking'])).join('') + textOf(message['tool_plan'])
  const calls = listOf(message['tool_calls']).flatMap(readCall)
  const annotations = annotationsOf(message['citations'], placedParts(parts))
  const content = text === '' && calls.length > 0 ? null : text
  const serverCalls = given.flatMap(unreadPart)
  return answerMessage({ content, reasoning, blocks: [], calls, annotations, serverCalls })
}

function unreadPart(part: Fields): readonly ServerToolCall[] {
  const kind = unreadKind(part)
  if (kind === undefined) return []
  const { type: _, ...content } = part
  return [unreadContent(kind, content)]
}

/** The type of a content part that has neither text nor reasoning. */
export function unreadKind({ type }: Fields): string | undefined {
  return type === 'text' || type === 'thinking' ? undefined : someText(type)
}

function placedParts(parts: readonly Fields[]): ReadonlyMap<number, ContentPart> {
  let offset = 0
  return new Map(
    parts.map((part, index) => {
      const text = new CodePoints()
      text.add(textOf(part['text']))
      const placed = { offset, text }
      offset += text.units
      return [index, placed]
    }),
  )
}

function readCall(call: unknown): readonly ToolCall[] {
  const { id, function: called } = objectOf(call)
  const { name: written, arguments: text } = objectOf(called)
  const name = someText(written)
  if (name === undefined) return []
  const named = { name, arguments: argumentsText(textOf(text)) }
  return [{ id: textOf(id), type: 'function', function: named }]
}

/**
 * Cohere gives a piece of text with the logprobs of its tokens. A piece becomes one entry, whose logprob is the sum over its
 * tokens.
 */
export function readLogprobs(value: unknown): ChoiceLogprobs | null {
  const items = Array.isArray(value) ? value : value === undefined || value === null ? [] : [value]
  if (items.length === 0) return null
  return {
    content: items.map((item) => {
      const fields = objectOf(item)
      const token = textOf(fields['text'])
      const numbers = listOf(fields['logprobs']).filter((entry) => typeof entry === 'number')
      return {
        token,
        logprob: numbers.reduce((sum, entry) => sum + entry, 0),
        bytes: [...Buffer.from(token)],
        top_logprobs: [],
      }
    }),
    refusal: null,
  }
}

/** Cohere API v2, ChatFinishReason, and the names of v1 that some models still use. */
const reasons: Readonly<Record<string, FinishReason>> = {
  COMPLETE: 'stop',
  STOP_SEQUENCE: 'stop',
  MAX_TOKENS: 'length',
  ERROR_LIMIT: 'length',
  TOOL_CALL: 'tool_calls',
  ERROR_TOXIC: 'content_filter',
}

/** Throws if the reason says that the generation failed. */
export function finishReason(reason: unknown, hasCalls: boolean): FinishReason {
  const failed = finishFailure(reason)
  if (failed !== undefined) throw failed
  const known = (typeof reason === 'string' ? reasons[reason] : undefined) ?? 'stop'
  return known === 'stop' && hasCalls ? 'tool_calls' : known
}

/** The error that a finish reason stands for; undefined if it stands for none. */
export function finishFailure(reason: unknown): GatewayError | undefined {
  if (reason === 'TIMEOUT')
    return new GatewayError('upstream_timeout', 'Cohere took too long to answer', {
      upstreamCode: reason,
    })
  return reason === 'ERROR'
    ? new GatewayError('upstream_unavailable', 'Cohere failed to answer', { upstreamCode: reason })
    : undefined
}
