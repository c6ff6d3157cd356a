import {
  type AnswerMessage,
  type ChatReply,
  type Fields,
  GatewayError,
  noUsage,
  type ToolCall,
} from '@sluice/contract'
import { answeredArguments, unreadArguments } from '../../call-arguments.ts'
import { callSignature } from '../../call-signature.ts'
import { blocksByCall, statedId } from '../../call-state.ts'
import { annotationsName, nameUnread } from '../../citations.ts'
import { type CitedText, citedTexts } from '../../cited-texts.ts'
import { interleaved } from '../../interleaved.ts'
import type { FormatContext } from '../../client-format.ts'
import { callsAndTexts } from '../../text-places.ts'
import { readUsage } from '../../usage.ts'
import { type Block, pictureText } from '../blocks.ts'
import { calledTools } from '../toolsets.ts'
import { stopReason } from '../finish-reasons.ts'
import { formatMessageUsage } from '../usage.ts'
import { citationsOf } from './citations.ts'
import type { MessagesRequest } from './schema.ts'
import { serverToolBlocks } from './server-tools.ts'
import { callSignatureBlock, thinkingBlocks } from './thinking.ts'

type Reports = Pick<FormatContext, 'leftOut'>

/** Converts a canonical response to a message of the Messages API. */
export function fromCanonical(
  reply: ChatReply,
  request: MessagesRequest,
  context: Reports & Pick<FormatContext, 'newId'>,
): object {
  const [choice] = reply.choices
  if (choice === undefined) throw new GatewayError('upstream_garbled', 'The answer holds no choice')
  const { message, finish_reason: finish } = choice
  const hasCalls = (message.tool_calls?.length ?? 0) > 0
  const stopSequence = choice.stop_sequence ?? null
  const declined = finish !== 'content_filter' && message.refusal != null
  nameUncited(message, context)
  return {
    id: messageId(reply.id, context.newId),
    type: 'message',
    role: 'assistant',
    model: reply.model,
    content: contentOf(message, request, { declined, reports: context }),
    stop_reason: declined ? 'refusal' : stopReason(finish, { hasCalls, stopSequence }),
    stop_sequence: stopSequence,
    stop_details: finish === 'content_filter' ? refusalDetails(message.refusal) : null,
    usage: formatMessageUsage(readUsage(reply.usage) ?? noUsage, reply.service_tier),
  }
}

/** Citations must belong to a text. */
function nameUncited({ content, annotations = [] }: AnswerMessage, reports: Reports): void {
  if (content) nameUnread(annotations, reports)
  else if (annotations.length > 0) reports.leftOut(annotationsName)
}

/**
 * Anthropic's ids begin with `msg_` and are unique: Claude Code treats messages with the same id as parts of one message.
 * Other providers' ids need not be unique; Ollama uses only 999 (middleware/openai.go).
 */
export function messageId(id: string, newId: FormatContext['newId']): string {
  return id.startsWith('msg_') ? id : newId('msg_')
}

/** Whether thinking text is shown. It is not if the caller disabled thinking or asked only for signatures. */
export function showsThinking({ thinking }: MessagesRequest): boolean {
  return thinking?.type !== 'disabled' && thinking?.display !== 'omitted'
}

/**
 * Whether the caller asked for thinking. Anthropic's own responses contain none otherwise, and callers read the first block as
 * the text. What a provider needs back is then in the ids of the calls.
 */
export function asksForThinking({ thinking }: MessagesRequest): boolean {
  return thinking?.type === 'enabled' || thinking?.type === 'adaptive'
}

/** Details of a response stopped by a filter; Anthropic's category is unknown. */
export function refusalDetails(explanation: string | null): object | null {
  return explanation === null ? null : { type: 'refusal', category: null, explanation }
}

function contentOf(
  message: AnswerMessage,
  request: MessagesRequest,
  { declined, reports }: { readonly declined: boolean; readonly reports: Reports },
): readonly Block[] {
  const calls = message.tool_calls ?? []
  const citing = ({ text, annotations }: CitedText): Block =>
    textBlock(text, citationsOf(text, annotations))
  const isAsked = asksForThinking(request)
  const textShown = showsThinking(request)
  const texts = citedTexts(message)
  const called = calledTools(request.tools ?? [])
  return interleaved(
    isAsked ? askedThoughts(message, textShown) : unaskedThoughts(message, textShown),
    [
      ...(message.server_tool_calls ?? []).flatMap((call) => serverToolBlocks(call, reports)),
      ...texts.filter(({ calls: before }) => before === 0).map(citing),
      ...(message.images ?? []).map(({ image_url: image }) => textBlock(pictureText(image.url))),
      ...(declined && message.refusal ? [textBlock(message.refusal)] : []),
      ...(isAsked ? signaturesOf(calls) : []),
    ],
    callsAndTexts(
      isAsked ? calls.map((call) => askedCall(call, called)) : unaskedCalls(message, called),
      texts,
      (text) => [citing(text)],
    ),
  )
}

function signaturesOf(calls: readonly ToolCall[]): readonly Block[] {
  const signed = calls.flatMap((call) => {
    const signature = callSignature(call)
    return signature === undefined ? [] : [[call.id, signature] as const]
  })
  return signed.length === 0 ? [] : [callSignatureBlock(Object.fromEntries(signed))]
}

function askedCall(call: ToolCall, called: Called): readonly Block[] {
  return [toolUse(call, statedId({ id: call.id }, []), called)]
}

function unaskedCalls(message: AnswerMessage, called: Called): readonly (readonly Block[])[] {
  const { tool_calls: calls = [], thinking_blocks: blocks } = message
  const byCall = blocksByCall(blocks, calls.length)
  return calls.map((call, index) => [
    toolUse(call, statedId(call, byCall.get(index) ?? []), called),
  ])
}

interface Thought {
  readonly place?: number | undefined
  readonly pieces: readonly Block[]
}

function askedThoughts(message: AnswerMessage, textShown: boolean): readonly Thought[] {
  const { thinking_blocks: thoughts } = message
  return thinkingBlocks(message, textShown).map((block, index) => ({
    place: thoughts?.[index]?.place,
    pieces: [block],
  }))
}

/** Some models need the words back with their calls, so these stay before the first one. */
function unaskedThoughts(message: AnswerMessage, textShown: boolean): readonly Thought[] {
  const { reasoning_content: words = '', thinking_blocks: blocks, tool_calls: calls } = message
  if (!calls?.length || blocks?.length) return []
  return [{ place: 1, pieces: thinkingBlocks({ reasoning_content: words }, textShown) }]
}

function textBlock(text: string, citations: readonly object[] = []): Block {
  return { type: 'text', text, ...(citations.length > 0 ? { citations } : {}) }
}

type Called = ReturnType<typeof calledTools>

function toolUse(call: ToolCall, id: string, called: Called): Block {
  const { name, input } =
    call.custom === undefined
      ? { name: call.function?.name ?? '', input: readInput(call.function?.arguments ?? '') }
      : { name: call.custom.name, input: { input: call.custom.input } }
  return { type: 'tool_use', id, ...called(name), input }
}

/** Unparsable arguments, such as those of a truncated response, are passed on as text. */
function readInput(text: string): Fields {
  return answeredArguments(text) ?? unreadArguments(text)
}
