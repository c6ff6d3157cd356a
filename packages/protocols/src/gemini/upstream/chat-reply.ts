import {
  type AnswerMessage,
  type ChatReply,
  type ChatRequest,
  chatUsage,
  type Fields,
  GatewayError,
  isObject,
  listOf,
  noUsage,
  objectOf,
  someText,
  type ToolCall,
} from '@sluice/contract'
import { usesFunctions } from '../../legacy-functions.ts'
import type { CodecContext, Decoded, Received } from '../../protocol.ts'
import { failureOf, finishReasonOf } from '../finish-reasons.ts'
import { readAnnotations } from '../grounding.ts'
import { readUsage } from '../usage.ts'
import { type CandidateParts, readLogprobs, readParts } from './candidate.ts'
import { bodyOf } from './failure.ts'
import { wavOfSamples } from './wav-header.ts'

type Choice = ChatReply['choices'][number]

/** GenerateContentResponse (https://ai.google.dev/api/generate-content#v1beta.GenerateContentResponse). */
export function decodeChat(
  received: Received,
  context: CodecContext,
  request: ChatRequest,
): Decoded<'chat'> {
  const body = bodyOf(received)
  const candidates = listOf(body['candidates']).filter(isObject)
  const usage = readUsage(body['usageMetadata'])
  const choices =
    candidates.length === 0
      ? [blockedChoice(body)]
      : candidates.map((candidate, place) => choiceOf(candidate, place, { context, request }))
  return {
    reply: {
      id: context.newId('chatcmpl-'),
      object: 'chat.completion',
      created: Math.floor(context.now() / 1000),
      model: context.publicModel,
      choices: choices.toSorted((left, right) => left.index - right.index),
      usage: chatUsage(usage ?? noUsage),
      system_fingerprint: null,
    },
    ...(usage === undefined ? {} : { usage }),
  }
}

/** The prompt itself was held back: an answer without candidates that says why. */
export function blockReasonOf(body: Fields): string | undefined {
  return someText(objectOf(body['promptFeedback'])['blockReason'])
}

function blockedChoice(body: Fields): Choice {
  if (blockReasonOf(body) === undefined)
    throw new GatewayError('upstream_garbled', 'The upstream sent an answer without candidates')
  return {
    index: 0,
    message: { role: 'assistant', content: '', refusal: null },
    finish_reason: 'content_filter',
    logprobs: null,
  }
}

interface Asked {
  readonly context: CodecContext
  readonly request: ChatRequest
}

function choiceOf(candidate: Fields, place: number, asked: Asked): Choice {
  const failure = failureOf(candidate)
  if (failure !== undefined) throw failure
  const index = candidate['index']
  const parts = readParts(candidate, asked.context.newId)
  const calls = parts.calls.length
  const reason = finishReasonOf(someText(candidate['finishReason']) ?? 'STOP', calls > 0)
  const isFunction = reason === 'tool_calls' && usesFunctions(asked.request)
  return {
    index: typeof index === 'number' ? index : place,
    message: messageOf(parts, candidate, asked),
    finish_reason: isFunction ? 'function_call' : reason,
    logprobs: readLogprobs(candidate),
  }
}

function messageOf(parts: CandidateParts, candidate: Fields, asked: Asked): AnswerMessage {
  const { text, reasoning, calls, blocks, images, audio } = parts
  const annotations = readAnnotations(candidate, text)
  const isElsewhere = calls.length > 0 || images.length > 0 || audio !== undefined
  return {
    role: 'assistant',
    content: text === '' && isElsewhere ? null : text,
    refusal: null,
    ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
    ...(blocks.length === 0 ? {} : { thinking_blocks: [...blocks] }),
    ...callsOf(calls, asked.request),
    ...(annotations.length === 0 ? {} : { annotations: [...annotations] }),
    ...(images.length === 0 ? {} : { images }),
    ...(audio === undefined ? {} : { audio: audioOf(audio, text, asked) }),
  }
}

/** Callers that speak of functions instead of tools read `function_call`. */
function callsOf(
  calls: CandidateParts['calls'],
  request: ChatRequest,
): Pick<AnswerMessage, 'tool_calls' | 'function_call'> {
  if (calls.length === 0) return {}
  if (!usesFunctions(request)) return { tool_calls: [...calls] }
  return { function_call: onlyFunction(calls) }
}

/** The one call that `function_call` has room for. Throws `upstream_garbled` where there are more. */
export function onlyFunction(calls: CandidateParts['calls']): NonNullable<ToolCall['function']> {
  const [first] = calls
  if (calls.length === 1 && first?.function !== undefined) return first.function
  throw new GatewayError(
    'upstream_garbled',
    'The model called several functions where the caller can read one; use tools instead',
  )
}

/** Nothing is kept for a later turn, so the audio's id expires at once. */
function audioOf(
  { mimeType, base64 }: NonNullable<CandidateParts['audio']>,
  transcript: string,
  { context, request }: Asked,
): NonNullable<AnswerMessage['audio']> {
  return {
    id: context.newId('audio_'),
    expires_at: Math.floor(context.now() / 1000),
    data: request.audio?.format === 'wav' ? wavOfSamples(base64, mimeType) : base64,
    transcript,
  }
}
