import {
  type AnswerMessage,
  type ChatReply,
  type ChatRequest,
  chatUsage,
  type ChoiceLogprobs,
  type Usage,
} from '@sluice/contract'
import { type Draft, type DraftCall, draftTokens } from './draft.ts'
import { type ChosenToken, tokenLogprob } from './sampling/logprobs.ts'
import type { Spoken } from './spoken.ts'

/** What all pieces of one answer share. */
export interface Envelope {
  readonly id: string
  /** Seconds since the epoch. */
  readonly created: number
  readonly model: string
}

/** Changes when the engine's answers to the same seed may change. */
export const systemFingerprint = 'fp_builtin_1'

/** A choice with its sound, if it has one. */
export interface SpokenDraft {
  readonly draft: Draft
  readonly spoken: Spoken | undefined
}

export function createReply(
  envelope: Envelope,
  request: ChatRequest,
  choices: readonly SpokenDraft[],
  usage: Usage,
): ChatReply {
  return {
    id: envelope.id,
    object: 'chat.completion',
    created: envelope.created,
    model: envelope.model,
    choices: choices.map((choice) => ({
      index: choice.draft.index,
      message: messageOf(choice),
      finish_reason: choice.draft.finish,
      logprobs:
        request.logprobs === true && choice.draft.content !== null
          ? logprobsOf(choice.draft.content, request)
          : null,
    })),
    usage: chatUsage(usage),
    system_fingerprint: systemFingerprint,
  }
}

export function logprobsOf(tokens: readonly ChosenToken[], request: ChatRequest): ChoiceLogprobs {
  return {
    content: tokens.map((token) => tokenLogprob(token, request.top_logprobs ?? 0)),
    refusal: null,
  }
}

function messageOf({ draft, spoken }: SpokenDraft): AnswerMessage {
  const text = draft.content === null ? null : draft.content.map((chosen) => chosen.token).join('')
  const message: AnswerMessage = {
    role: 'assistant',
    content: spoken === undefined ? text : null,
    refusal: null,
    annotations: [],
    reasoning_content: draft.reasoning === null ? null : draft.reasoning.join(''),
    audio: spoken === undefined ? null : audioOf(spoken),
  }
  return draft.calls.length === 0
    ? message
    : { ...message, tool_calls: draft.calls.map(toolCallOf) }
}

function toolCallOf({ id, kind, name, input }: DraftCall) {
  const text = input.join('')
  if (kind === 'custom') return { id, type: 'custom' as const, custom: { name, input: text } }
  return { id, type: 'function' as const, function: { name, arguments: text } }
}

function audioOf({ id, expiresAt, bytes, transcript }: Spoken) {
  return {
    id,
    expires_at: expiresAt,
    data: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64'),
    transcript,
  }
}

/** The prompt once, and what all choices came to. */
export function usageOf(input: Usage, choices: readonly SpokenDraft[]): Usage {
  let outputTokens = 0
  let reasoning = 0
  let audio = 0
  for (const { draft, spoken } of choices) {
    outputTokens += draftTokens(draft) + (spoken?.tokens ?? 0)
    reasoning += draft.reasoning?.length ?? 0
    audio += spoken?.tokens ?? 0
  }
  return { ...input, outputTokens, reasoningTokens: reasoning, audioOutputTokens: audio }
}
