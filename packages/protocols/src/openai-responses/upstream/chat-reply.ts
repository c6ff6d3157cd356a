import {
  type AnswerMessage,
  type ChoiceLogprobs,
  countOf,
  type Fields,
  GatewayError,
  isObject,
  listOf,
  type ServerToolCall,
  someText,
  type ThinkingBlock,
  type ToolCall,
  textOf,
} from '@sluice/contract'
import { assertBounded } from '../../bounded.ts'
import { answerMessage, chatReply } from '../../chat-reply.ts'
import { bodyOf } from '../../failure.ts'
import { placed } from '../../interleaved.ts'
import { logprobsOf } from '../../openai/upstream/content.ts'
import type { CodecContext, Decoded, Received } from '../../protocol.ts'
import { TextPlaces } from '../../text-places.ts'
import {
  annotationsOf,
  failureIn,
  finishOf,
  imageOf,
  isText,
  messageGap,
  reasoningBlock,
  reasoningText,
  unreadParts,
  wholeCallOf,
} from './output-items.ts'
import { responseUsage } from './response-usage.ts'
import { serverCallOf } from './server-items.ts'

/** Reads a whole response as a chat completion. */
export function decodeResponse(received: Received, context: CodecContext): Decoded<'chat'> {
  const body = bodyOf(received)
  const { status } = body
  if (status === 'failed' || status === 'cancelled') throw failureIn(body)
  if (!Array.isArray(body['output']) || status === 'queued' || status === 'in_progress')
    throw new GatewayError('upstream_garbled', 'The upstream answered without an output')
  const usage = responseUsage(body)
  const { message, logprobs } = messageOf(listOf(body['output']).filter(isObject))
  const finish = finishOf(body, message.tool_calls !== undefined)
  return chatReply(
    [{ index: 0, message, finish_reason: finish, logprobs }],
    {
      usage,
      tier: someText(body['service_tier']),
      created: countOf(body['created_at']) || undefined,
    },
    context,
  )
}

/** What the items of a response hold, in the terms of `answerMessage`. */
interface Gathered {
  /** Null until there is a text, which may be empty. */
  content: string | null
  refusal: string
  reasoning: string
  readonly blocks: ThinkingBlock[]
  readonly calls: ToolCall[]
  readonly textPlaces: TextPlaces
  readonly annotations: Record<string, unknown>[]
  readonly images: NonNullable<AnswerMessage['images']>
  readonly serverCalls: ServerToolCall[]
  readonly logprobs: unknown[]
}

function messageOf(items: readonly Fields[]): {
  readonly message: AnswerMessage
  readonly logprobs: ChoiceLogprobs | null
} {
  const gathered: Gathered = {
    content: null,
    refusal: '',
    reasoning: '',
    blocks: [],
    calls: [],
    textPlaces: new TextPlaces(),
    annotations: [],
    images: [],
    serverCalls: [],
    logprobs: [],
  }
  for (const item of items) gather(item, gathered)
  const { refusal, logprobs } = gathered
  return {
    message: answerMessage({ ...gathered, refusal: refusal === '' ? undefined : refusal }),
    logprobs: logprobsOf({ content: logprobs, refusal: null }),
  }
}

function gather(item: Fields, into: Gathered): void {
  const call = wholeCallOf(item)
  const serverCall = serverCallOf(item)
  if (serverCall !== undefined) into.serverCalls.push(serverCall)
  else if (call !== undefined) into.calls.push(call)
  else if (item['type'] === 'message') gatherMessage(item, into)
  else if (item['type'] === 'reasoning') gatherReasoning(item, into)
  else if (item['type'] === 'image_generation_call') into.images.push(...imageOf(item))
}

function gatherReasoning(item: Fields, into: Gathered): void {
  const text = reasoningText(item)
  if (text !== '') into.reasoning += (into.reasoning === '' ? '' : messageGap) + text
  const block = reasoningBlock(item)
  if (block !== undefined)
    into.blocks.push(placed(block, { hasText: Boolean(into.content), calls: into.calls.length }))
}

function gatherMessage(item: Fields, into: Gathered): void {
  const parts = listOf(item['content']).filter(isObject)
  if (into.content && parts.some(({ type }) => type === 'output_text')) into.content += messageGap
  into.serverCalls.push(...unreadParts(parts))
  for (const part of parts) {
    const refusal = someText(part['refusal'])
    if (refusal !== undefined) into.refusal += refusal
    if (!isText(part)) continue
    into.content ??= ''
    into.annotations.push(...annotationsOf(part['annotations'], into.content.length))
    assertBounded(into.annotations.length, 'citations')
    into.logprobs.push(...listOf(part['logprobs']))
    if (textOf(part['text']) !== '') into.textPlaces.note(into.content.length, into.calls.length)
    into.content += textOf(part['text'])
  }
}
