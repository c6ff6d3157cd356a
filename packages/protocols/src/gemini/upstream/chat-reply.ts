import {
  type AnswerMessage,
  type ChatReply,
  type ChatRequest,
  type Fields,
  GatewayError,
  isObject,
  someText,
} from '@sluice/contract'
import { boundedList } from '../../bounded.ts'
import { answerMessage, chatReply } from '../../chat-reply.ts'
import type { CodecContext, Decoded, Received } from '../../protocol.ts'
import { BytePlaces } from '../byte-places.ts'
import { blockReasonOf, failureOf, finishReasonOf } from '../finish-reasons.ts'
import { readAnnotations } from '../grounding.ts'
import { contentUsage } from '../usage.ts'
import { ServerTools } from '../server-tools.ts'
import { type CandidateParts, readLogprobs, readParts, wavOfSamples } from './candidate.ts'
import { bodyOf } from './failure.ts'
import { FunctionCalls } from './function-calls.ts'

type Choice = ChatReply['choices'][number]

/** GenerateContentResponse (https://ai.google.dev/api/generate-content#v1beta.GenerateContentResponse). */
export function decodeChat(
  received: Received,
  context: CodecContext,
  request: ChatRequest,
): Decoded<'chat'> {
  const body = bodyOf(received)
  const candidates = boundedList(body['candidates'], 'candidates').filter(isObject)
  const choices =
    candidates.length === 0
      ? [blockedChoice(body)]
      : candidates.map((candidate, place) => choiceOf(candidate, place, { context, request }))
  const inOrder = choices.toSorted((left, right) => left.index - right.index)
  return chatReply(inOrder, { usage: contentUsage(body) }, context)
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

interface ChatContext {
  readonly context: CodecContext
  readonly request: ChatRequest
}

function choiceOf(candidate: Fields, place: number, asked: ChatContext): Choice {
  const failure = failureOf(candidate)
  if (failure !== undefined) throw failure
  const index = candidate['index']
  const parts = readParts(candidate, new FunctionCalls(asked.context.newId))
  const calls = parts.calls.length
  return {
    index: typeof index === 'number' ? index : place,
    message: messageOf(parts, candidate, asked),
    finish_reason: finishReasonOf(someText(candidate['finishReason']) ?? 'STOP', calls > 0),
    logprobs: readLogprobs(candidate),
  }
}

function messageOf(parts: CandidateParts, candidate: Fields, asked: ChatContext): AnswerMessage {
  const { text, textPlaces, reasoning, calls, blocks, images, audio } = parts
  const annotations = readAnnotations(candidate, new BytePlaces(text))
  const serverTools = new ServerTools(asked.context.newId)
  const serverCalls = [...serverTools.read(candidate), ...serverTools.rest(), ...parts.unread]
  const isElsewhere = calls.length > 0 || images.length > 0 || audio !== undefined
  return {
    ...answerMessage({
      content: text === '' && isElsewhere ? null : text,
      reasoning,
      blocks: [...blocks],
      calls: [...calls],
      annotations: [...annotations],
      serverCalls,
      images,
      textPlaces,
    }),
    ...(audio === undefined ? {} : { audio: audioOf(audio, text, asked) }),
  }
}

/** Audio is not stored for a later turn, so its id expires immediately. */
function audioOf(
  { mimeType, base64 }: NonNullable<CandidateParts['audio']>,
  transcript: string,
  { context, request }: ChatContext,
): NonNullable<AnswerMessage['audio']> {
  return {
    id: context.newId('audio_'),
    expires_at: Math.floor(context.now() / 1000),
    data: request.audio?.format === 'wav' ? wavOfSamples(base64, mimeType) : base64,
    transcript,
  }
}
