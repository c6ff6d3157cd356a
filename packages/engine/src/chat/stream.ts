import type {
  ChatChunk,
  ChatDelta,
  ChatRequest,
  ChoiceLogprobs,
  FinishReason,
  Step,
  Usage,
} from '@sluice/contract'
import type { DraftCall } from './draft.ts'
import type { Pause } from './pause.ts'
import { base64, type Envelope, logprobsOf, type SpokenDraft, systemFingerprint } from './reply.ts'
import type { Spoken } from './spoken.ts'

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

/** Streams the response token by token, alternating between the choices, and ends with the usage. */
export async function* streamReply(
  options: StreamOptions<ChatRequest, SpokenDraft>,
): AsyncGenerator<Step<ChatChunk>> {
  const { envelope, request, choices, usage, pause } = options
  const all = choices.map((choice) => piecesOf(choice, request))
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
