import {
  type AnswerMessage,
  type ChatReply,
  type ChatRequest,
  type ChoiceLogprobs,
  chatUsage,
  type Usage,
} from '@sluice/contract'
import type { OperationContext } from '../operation.ts'
import { type Draft, type DraftCall, draftTokens } from './draft.ts'
import { type ChosenToken, tokenLogprob } from './sampling/logprobs.ts'
import type { Spoken } from './spoken.ts'

/** What all pieces of one response have in common. */
export interface Envelope {
  readonly id: string
  /** In seconds since the epoch. */
  readonly created: number
  readonly model: string
}

export function createEnvelope(prefix: string, { newId, now, model }: OperationContext): Envelope {
  return { id: newId(prefix), created: Math.floor(now() / 1000), model }
}

/** Changes whenever the engine's responses to the same seed may change. */
export const systemFingerprint = 'fp_builtin_1'

/** A choice with its audio, if it has one. */
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
    ...envelope,
    object: 'chat.completion',
    choices: choices.map((choice) => {
      const { index, content, finish } = choice.draft
      const isTold = request.logprobs === true && content !== null
      const logprobs = isTold ? logprobsOf(content, request) : null
      return { index, message: messageOf(choice), finish_reason: finish, logprobs }
    }),
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
  const { content, reasoning, calls } = draft
  const message: AnswerMessage = {
    role: 'assistant',
    content: spoken === undefined ? (content?.map(({ token }) => token).join('') ?? null) : null,
    refusal: null,
    annotations: [],
    reasoning_content: reasoning?.join('') ?? null,
    audio: spoken === undefined ? null : audioOf(spoken),
  }
  return calls.length === 0 ? message : { ...message, tool_calls: calls.map(toolCallOf) }
}

function toolCallOf({ id, kind, name, input }: DraftCall) {
  const text = input.join('')
  return kind === 'custom'
    ? { id, type: kind, custom: { name, input: text } }
    : { id, type: kind, function: { name, arguments: text } }
}

function audioOf({ id, expiresAt, bytes, transcript }: Spoken) {
  return { id, expires_at: expiresAt, data: base64(bytes), transcript }
}

/** Audio in the form that a response contains. */
export function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64')
}

/** The prompt once, and the tokens of all choices. */
export function usageOf(input: Usage, choices: readonly SpokenDraft[]): Usage {
  const sum = (count: (choice: SpokenDraft) => number): number =>
    choices.reduce((total, choice) => total + count(choice), 0)
  const audioOutputTokens = sum(({ spoken }) => spoken?.tokens ?? 0)
  return {
    ...input,
    outputTokens: sum(({ draft }) => draftTokens(draft)) + audioOutputTokens,
    reasoningTokens: sum(({ draft }) => draft.reasoning?.length ?? 0),
    audioOutputTokens,
  }
}
