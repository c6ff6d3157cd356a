import {
  type ChatReply,
  type ChatUsage,
  type ChoiceLogprobs,
  type Fields,
  type FinishReason,
  type ThinkingBlock,
  type ToolCall,
} from '@sluice/contract'
import { answeredArguments } from '../../call-arguments.ts'
import { callSignature } from '../../call-signature.ts'
import { blocksByCall, statedId } from '../../call-state.ts'
import { type CitedText, citedTexts } from '../../cited-texts.ts'
import { interleaved } from '../../interleaved.ts'
import type { FormatContext } from '../../client-format.ts'
import { callsAndTexts } from '../../text-places.ts'
import { asksForCompaction, compactionItem, summaryIn } from './compaction.ts'
import { itemIds } from './history.ts'
import { callItem, flatAnnotation, imageItem, messageItem, textPart } from './items.ts'
import { createFlatNames, namedItem } from './offered-tools.ts'
import {
  asksForEncrypted,
  hasWords,
  plainReasoningItem,
  reasoningItem,
  signatureItem,
} from './reasoning.ts'
import {
  conversationIn,
  type OutputItem,
  type ResponseObject,
  type ResponsesRequest,
} from './schema.ts'
import { serverItems } from './server-items.ts'

/** Makes the id of an item from its prefix. */
type NewId = (prefix: string) => string

type ItemContext = Pick<FormatContext, 'leftOut' | 'newId'>

/** The canonical response as a whole Response object. */
export function responseOf(
  reply: ChatReply,
  request: ResponsesRequest,
  context: FormatContext,
): ResponseObject {
  const [choice] = reply.choices
  const created = Math.floor(context.now() / 1000)
  const id = context.newId('resp_')
  const base = responseBase(request, { id, model: reply.model, created })
  return {
    ...base,
    ...outcomeOf(choice?.finish_reason ?? 'stop', created),
    service_tier: reply.service_tier ?? base.service_tier,
    output:
      choice === undefined ? [] : itemsIn(choice, request, { ...context, newId: itemIds(id) }),
    usage: usageOf(reply.usage),
  }
}

function itemsIn(choice: Choice, request: ResponsesRequest, context: ItemContext): OutputItem[] {
  if (asksForCompaction(request))
    return [compactionItem(summaryIn(choice.message), context.newId('cmp_'))]
  return named(outputOf(choice, request, context), request)
}

function named(items: OutputItem[], request: ResponsesRequest): OutputItem[] {
  const names = createFlatNames(request)
  return items.map((item) => namedItem(item, names))
}

/** A response that has begun: it repeats the parameters of the request and has no output yet. */
export function responseBase(
  request: ResponsesRequest,
  { id, model, created }: { readonly id: string; readonly model: string; readonly created: number },
): ResponseObject {
  const conversation = conversationIn(request)
  return {
    id,
    object: 'response',
    created_at: created,
    completed_at: null,
    status: 'in_progress',
    background: false,
    error: null,
    incomplete_details: null,
    instructions: request.instructions ?? null,
    max_output_tokens: request.max_output_tokens ?? null,
    max_tool_calls: request.max_tool_calls ?? null,
    model,
    output: [],
    parallel_tool_calls: request.parallel_tool_calls ?? true,
    previous_response_id: request.previous_response_id ?? null,
    ...(conversation !== undefined && { conversation: { id: conversation } }),
    prompt_cache_key: request.prompt_cache_key ?? null,
    prompt_cache_retention: request.prompt_cache_retention ?? null,
    reasoning: {
      effort: request.reasoning?.effort ?? null,
      summary: request.reasoning?.summary ?? request.reasoning?.generate_summary ?? null,
    },
    safety_identifier: request.safety_identifier ?? null,
    service_tier: request.service_tier ?? 'default',
    store: request.store ?? true,
    temperature: request.temperature ?? 1,
    text: {
      format: request.text?.format ?? { type: 'text' },
      verbosity: request.text?.verbosity ?? 'medium',
    },
    tool_choice: request.tool_choice ?? 'auto',
    tools: (request.tools ?? []).map(toolOf),
    top_logprobs: request.top_logprobs ?? 0,
    top_p: request.top_p ?? 1,
    truncation: request.truncation ?? 'disabled',
    usage: null,
    user: request.user ?? null,
    metadata: request.metadata ?? {},
  }
}

/** A function tool in a response has all of its keys (OpenAI API, FunctionTool). */
function toolOf(tool: NonNullable<ResponsesRequest['tools']>[number]): Record<string, unknown> {
  if (tool.type !== 'function') return { ...tool }
  return { description: null, parameters: null, strict: null, ...tool }
}

export function wantsLogprobs({ include }: ResponsesRequest): boolean {
  return include?.includes('message.output_text.logprobs') === true
}

type Outcome = Pick<ResponseObject, 'status' | 'incomplete_details' | 'completed_at'>

export function outcomeOf(reason: FinishReason, now: number): Outcome {
  if (reason !== 'length' && reason !== 'content_filter')
    return { status: 'completed', incomplete_details: null, completed_at: now }
  const cut = reason === 'length' ? 'max_output_tokens' : reason
  return { status: 'incomplete', incomplete_details: { reason: cut }, completed_at: null }
}

export function usageOf(usage: ChatUsage): NonNullable<ResponseObject['usage']> {
  const { prompt_tokens_details: input, completion_tokens_details: output } = usage
  return {
    input_tokens: usage.prompt_tokens,
    input_tokens_details: {
      cached_tokens: input.cached_tokens,
      cache_write_tokens: input.cache_write_tokens ?? 0,
    },
    output_tokens: usage.completion_tokens,
    output_tokens_details: { reasoning_tokens: output.reasoning_tokens },
    total_tokens: usage.total_tokens,
  }
}

type Choice = ChatReply['choices'][number]

/** Output items in the order in which the model made them. The message comes before the calls. */
function outputOf(choice: Choice, request: ResponsesRequest, context: ItemContext): OutputItem[] {
  const { newId } = context
  const { message } = choice
  const { reasoning_content: reasoning, thinking_blocks: blocks, tool_calls: calls = [] } = message
  const isShown = showsReasoning(message, request)
  const byCall = blocksByCall(isShown ? [] : blocks, calls.length)
  const status = choice.finish_reason === 'length' ? 'incomplete' : 'completed'
  const texts = citedTexts(message).map((text) => ({
    ...text,
    annotations: text.annotations.map((annotation) => flatAnnotation(annotation, context)),
  }))
  const content = partsOf(choice, texts, wantsLogprobs(request))
  return [
    ...plainItems(reasoning ?? '', blocks ?? [], newId),
    ...interleaved(
      (isShown ? (blocks ?? []) : []).map((block) => ({
        ...block,
        pieces: [reasoningItem(block, newId('rs_'))],
      })),
      [
        ...(message.server_tool_calls ?? []).flatMap((call) => serverItems(call, newId, context)),
        ...(content.length === 0 ? [] : [messageItem(newId('msg_'), { content, status })]),
        ...(message.images ?? []).map(({ image_url: { url } }) => imageItem(newId('ig_'), url)),
      ],
      callsAndTexts(
        calls.map((call, index) =>
          asksForEncrypted(request)
            ? signedItems(call, { newId, status })
            : [statedItem(call, byCall.get(index) ?? [], { newId, status })],
        ),
        texts,
        (text) => [messageItem(newId('msg_'), { content: [textIn(text)], status })],
      ),
    ),
  ]
}

/** Reasoning is shown if the model's words are among it, or if the caller asked for what nobody can read. */
function showsReasoning(message: Choice['message'], request: ResponsesRequest): boolean {
  const { reasoning_content: words, thinking_blocks: blocks } = message
  return asksForEncrypted(request) || Boolean(words) || (blocks ?? []).some(hasWords)
}

/** Reasoning that no block contains. */
function plainItems(
  text: string,
  blocks: readonly ThinkingBlock[],
  newId: NewId,
): readonly OutputItem[] {
  const textShown = blocks.some(({ thinking, summary }) => thinking || summary?.length)
  return text !== '' && !textShown ? [plainReasoningItem(text, newId('rs_'))] : []
}

/** The content before the calls. */
function partsOf(
  { message, logprobs }: Choice,
  texts: readonly CitedText[],
  told: boolean,
): readonly Fields[] {
  const { refusal } = message
  return [
    ...texts.filter(({ calls }) => calls === 0).map((text) => textIn(text, told ? logprobs : null)),
    ...(refusal === null || refusal === '' ? [] : [{ type: 'refusal', refusal }]),
  ]
}

function textIn({ text, annotations }: CitedText, logprobs: ChoiceLogprobs | null = null): Fields {
  return textPart(text, { annotations, logprobs })
}

interface CallItem {
  readonly newId: NewId
  /** Of the response. */
  readonly status: string
}

function signedItems(call: ToolCall, context: CallItem): readonly OutputItem[] {
  const { extra_content: _, ...plain } = call
  const signature = callSignature(call)
  const signed =
    signature === undefined ? [] : [signatureItem(call.id, signature, context.newId('rs_'))]
  return [...signed, statedItem(plain, [], context)]
}

/** A call is incomplete if the response was cut before its arguments ended. */
function statedItem(
  call: ToolCall,
  blocks: readonly ThinkingBlock[],
  { newId, status }: CallItem,
): OutputItem {
  const stated = { ...call, id: statedId(call, blocks) }
  const isWhole =
    status === 'completed' || answeredArguments(call.function?.arguments ?? '') !== undefined
  const id = newId(call.custom === undefined ? 'fc_' : 'ctc_')
  return callItem(stated, id, isWhole ? 'completed' : status)
}
