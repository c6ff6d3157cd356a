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
import { type Envelope, logprobsOf, type SpokenDraft, systemFingerprint } from './reply.ts'
import type { Spoken } from './spoken.ts'

/** One piece of one choice. */
interface Piece {
  readonly delta: ChatDelta
  readonly finish?: FinishReason
  readonly logprobs?: ChoiceLogprobs
}

export interface StreamOptions {
  readonly envelope: Envelope
  readonly request: ChatRequest
  readonly choices: readonly SpokenDraft[]
  readonly usage: Usage
  readonly pause: Pause
}

/** The answer token by token, the choices in turn; ends with the usage. */
export async function* streamReply({
  envelope,
  request,
  choices,
  usage,
  pause,
}: StreamOptions): AsyncGenerator<Step<ChatChunk>> {
  const open = choices.map((choice) => ({
    index: choice.draft.index,
    pieces: piecesOf(choice, request),
  }))
  let left = open.length
  while (left > 0) {
    left = 0
    for (const { index, pieces } of open) {
      await pause()
      const next = pieces.next()
      if (next.done === true) continue
      left += 1
      yield { event: chunkOf(envelope, index, next.value) }
    }
  }
  yield { usage }
}

function chunkOf(
  { id, created, model }: Envelope,
  index: number,
  { delta, finish, logprobs }: Piece,
): ChatChunk {
  return {
    id,
    object: 'chat.completion.chunk',
    created,
    model,
    choices: [{ index, delta, finish_reason: finish ?? null, logprobs: logprobs ?? null }],
    system_fingerprint: systemFingerprint,
  }
}

function* piecesOf({ draft, spoken }: SpokenDraft, request: ChatRequest): Generator<Piece> {
  const { reasoning, content, calls, finish } = draft
  yield {
    delta: {
      role: 'assistant',
      content: content === null || spoken !== undefined ? null : '',
      refusal: null,
    },
  }
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
  if (kind === 'custom') {
    yield { delta: { tool_calls: [{ index, id, type: 'custom', custom: { name, input: '' } }] } }
    for (const token of input)
      yield { delta: { tool_calls: [{ index, custom: { input: token } }] } }
    return
  }
  yield {
    delta: { tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] },
  }
  for (const token of input)
    yield { delta: { tool_calls: [{ index, function: { arguments: token } }] } }
}

const audioBytesPerPiece = 24_000

/** Sound in pieces of half a second, after its transcript; an id first, as OpenAI's clients expect. */
function* spokenPieces({ id, bytes, transcript, expiresAt }: Spoken): Generator<Piece> {
  yield { delta: { audio: { id, transcript: '' } } }
  yield { delta: { audio: { transcript } } }
  for (let at = 0; at < bytes.length; at += audioBytesPerPiece) {
    const part = bytes.subarray(at, at + audioBytesPerPiece)
    yield {
      delta: {
        audio: { data: Buffer.from(part.buffer, part.byteOffset, part.length).toString('base64') },
      },
    }
  }
  yield { delta: { audio: { expires_at: expiresAt } } }
}
