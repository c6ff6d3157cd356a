import {
  type AnswerMessage,
  type ChatReply,
  type ChoiceLogprobs,
  chatUsage,
  countOf,
  type Fields,
  type FinishReason,
  GatewayError,
  isObject,
  listOf,
  noUsage,
  objectOf,
  type ServerToolCall,
  someText,
  type ThinkingBlock,
  type ToolCall,
  textOf,
} from '@sluice/contract'
import { assertBounded } from '../../bounded.ts'
import { answerMessage } from '../../chat-reply.ts'
import { bodyOf } from '../../failure.ts'
import { placed } from '../../interleaved.ts'
import { tierOf } from '../../openai/upstream/chat-reply.ts'
import { logprobsOf } from '../../openai/upstream/logprobs.ts'
import type { CodecContext, Decoded, Received } from '../../protocol.ts'
import { TextPlaces } from '../../text-places.ts'
import {
  annotationsOf,
  imageOf,
  isText,
  reasoningBlock,
  reasoningText,
  unreadParts,
  wholeCallOf,
} from './output-items.ts'
import { responseUsage } from './response-usage.ts'
import { serverCallOf } from './server-items.ts'
import { failureIn } from './watcher.ts'

/** Put between two messages of one response, such as a commentary and the final answer. */
export const messageGap = '\n\n'

/** Reads a whole response as a chat completion. */
export function decodeResponse(received: Received, context: CodecContext): Decoded<'chat'> {
  const body = bodyOf(received)
  const { status } = body
  if (status === 'failed' || status === 'cancelled') throw failureIn(body)
  if (!Array.isArray(body['output']) || status === 'queued' || status === 'in_progress')
    throw new GatewayError('upstream_garbled', 'The upstream answered without an output')
  const usage = responseUsage(body)
  const { message, logprobs } = messageOf(listOf(body['output']).filter(isObject))
  const reply: ChatReply = {
    id: context.newId('chatcmpl-'),
    object: 'chat.completion',
    created: countOf(body['created_at']) || Math.floor(context.now() / 1000),
    model: context.publicModel,
    choices: [
      {
        index: 0,
        message,
        finish_reason: finishOf(body, message.tool_calls !== undefined),
        logprobs,
      },
    ],
    usage: chatUsage(usage ?? noUsage),
    system_fingerprint: null,
    ...tierOf(body),
  }
  return usage === undefined ? { reply } : { reply, usage }
}

/** A response that was cut has `incomplete_details`. Whether it ends with calls is only visible from its items. */
export function finishOf(response: Fields, hasCalls: boolean): FinishReason {
  const reason = objectOf(response['incomplete_details'])['reason']
  if (reason === 'content_filter') return 'content_filter'
  if (reason != null || response['status'] === 'incomplete') return 'length'
  return hasCalls ? 'tool_calls' : 'stop'
}

interface Gathered {
  text: string
  refusal: string
  spoken: boolean
  readonly reasoning: string[]
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
    text: '',
    refusal: '',
    spoken: false,
    reasoning: [],
    blocks: [],
    calls: [],
    textPlaces: new TextPlaces(),
    annotations: [],
    images: [],
    serverCalls: [],
    logprobs: [],
  }
  for (const item of items) gather(item, gathered)
  const { text, refusal, spoken, reasoning, blocks, calls, annotations, images } = gathered
  const { serverCalls } = gathered
  const message = answerMessage({
    content: spoken ? text : null,
    refusal: refusal === '' ? undefined : refusal,
    reasoning: reasoning.join(messageGap),
    blocks,
    calls,
    annotations,
    serverCalls,
    images,
    textPlaces: gathered.textPlaces,
  })
  const logprobs =
    gathered.logprobs.length === 0 ? null : { content: gathered.logprobs, refusal: null }
  return { message, logprobs: logprobsOf(logprobs) }
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
  if (text !== '') into.reasoning.push(text)
  const block = reasoningBlock(item)
  if (block !== undefined)
    into.blocks.push(placed(block, { hasText: into.text !== '', calls: into.calls.length }))
}

function gatherMessage(item: Fields, into: Gathered): void {
  const parts = listOf(item['content']).filter(isObject)
  if (into.text !== '' && parts.some(({ type }) => type === 'output_text')) into.text += messageGap
  into.serverCalls.push(...unreadParts(parts))
  for (const part of parts) {
    const refusal = someText(part['refusal'])
    if (refusal !== undefined) into.refusal += refusal
    if (!isText(part)) continue
    into.spoken = true
    into.annotations.push(...annotationsOf(part['annotations'], into.text.length))
    assertBounded(into.annotations.length, 'citations')
    into.logprobs.push(...listOf(part['logprobs']))
    if (textOf(part['text']) !== '') into.textPlaces.note(into.text.length, into.calls.length)
    into.text += textOf(part['text'])
  }
}
