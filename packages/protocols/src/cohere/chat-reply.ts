import {
  type AnswerMessage,
  type Fields,
  GatewayError,
  isObject,
  listOf,
  objectOf,
  type ServerToolCall,
  someText,
  type ToolCall,
  textOf,
} from '@sluice/contract'
import { argumentsText } from '../call-arguments.ts'
import { answerMessage, chatReply } from '../chat-reply.ts'
import type { CodecContext, Decoded, Received } from '../protocol.ts'
import { unreadContent } from '../unread-content.ts'
import { annotationsOf, type ContentPart } from './citations.ts'
import { CodePoints } from './citations.ts'
import { finishReason } from './finish-reasons.ts'
import { readLogprobs } from './logprobs.ts'
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
