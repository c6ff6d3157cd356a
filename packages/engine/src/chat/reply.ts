import {
  type AnswerMessage,
  type ChatChunk,
  type ChatDelta,
  type ChatReply,
  type ChatRequest,
  type ChoiceLogprobs,
  chatUsage,
  type FinishReason,
  type Step,
  type Usage,
} from '@sluice/contract'
import type { OperationContext } from '../engine.ts'
import { type Draft, type DraftCall, draftTokens } from './draft.ts'
import type { Pause } from './pause.ts'
import { type ChosenToken, tokenLogprob } from './sampling/chosen-tokens.ts'
import type { Spoken } from './spoken.ts'

/** What all pieces of one response have in common. */
interface Envelope {
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

function logprobsOf(tokens: readonly ChosenToken[], request: ChatRequest): ChoiceLogprobs {
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
function base64(bytes: Uint8Array): string {
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

/** One piece of one choice. */
interface Piece {
  readonly delta: ChatDelta
  readonly finish?: FinishReason
  readonly logprobs?: ChoiceLogprobs
}

export interface StreamOptions<Request, Choice> {
  readonly envelope: Envelope
  readonly request: Request
  readonly choices: readonly Choice[]
  readonly usage: Usage
  readonly pause: Pause
}

/** Streams the response token by token, alternating between the choices, between the usage of the prompt and that of all. */
export async function* streamReply(
  options: StreamOptions<ChatRequest, SpokenDraft>,
): AsyncGenerator<Step<ChatChunk>> {
  const { envelope, request, choices, usage, pause } = options
  const all = choices.map((choice) => piecesOf(choice, request))
  yield { usage: { ...usage, outputTokens: 0, reasoningTokens: 0, audioOutputTokens: 0 } }
  for await (const { index, piece } of inTurn(all, pause))
    yield { event: chunkOf(envelope, choices[index]?.draft.index ?? 0, piece) }
  yield { usage }
}

/** The pieces of several choices, alternating between them. Other work runs in between, as `pause` allows. */
export async function* inTurn<T>(
  all: readonly Generator<T>[],
  pause: Pause,
): AsyncGenerator<{ readonly index: number; readonly piece: T }> {
  const open = new Map(all.entries())
  while (open.size > 0)
    for (const [index, pieces] of open) {
      await pause()
      const next = pieces.next()
      if (next.done === true) open.delete(index)
      else yield { index, piece: next.value }
    }
}

function chunkOf(envelope: Envelope, index: number, { delta, finish, logprobs }: Piece): ChatChunk {
  return {
    ...envelope,
    object: 'chat.completion.chunk',
    choices: [{ index, delta, finish_reason: finish ?? null, logprobs: logprobs ?? null }],
    system_fingerprint: systemFingerprint,
  }
}

function* piecesOf({ draft, spoken }: SpokenDraft, request: ChatRequest): Generator<Piece> {
  const { reasoning, content, calls, finish } = draft
  const isText = content !== null && spoken === undefined
  yield { delta: { role: 'assistant', content: isText ? '' : null, refusal: null } }
  for (const token of reasoning ?? []) yield { delta: { reasoning_content: token } }
  if (spoken !== undefined) yield* spokenPieces(spoken)
  else
    for (const chosen of content ?? [])
      yield {
        delta: { content: chosen.token },
        ...(request.logprobs === true ? { logprobs: logprobsOf([chosen], request) } : {}),
      }
  for (const [slot, call] of calls.entries()) yield* callPieces(call, slot)
  yield { delta: {}, finish }
}

function* callPieces({ id, kind, name, input }: DraftCall, index: number): Generator<Piece> {
  const of = (call: object): Piece => ({ delta: { tool_calls: [{ index, ...call }] } })
  const field = kind === 'custom' ? 'input' : 'arguments'
  yield of({ id, type: kind, [kind]: { name, [field]: '' } })
  for (const token of input) yield of({ [kind]: { [field]: token } })
}

const audioBytesPerPiece = 24_000

/** Audio in pieces of half a second, after its transcript. The id comes first, as OpenAI's clients expect. */
function* spokenPieces({ id, bytes, transcript, expiresAt }: Spoken): Generator<Piece> {
  yield { delta: { audio: { id, transcript: '' } } }
  yield { delta: { audio: { transcript } } }
  for (let at = 0; at < bytes.length; at += audioBytesPerPiece) {
    const part = bytes.subarray(at, at + audioBytesPerPiece)
    yield { delta: { audio: { data: base64(part) } } }
  }
  yield { delta: { audio: { expires_at: expiresAt } } }
}
