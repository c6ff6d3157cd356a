import type { CompleteChunk, CompleteRequest, Step, Usage } from '@sluice/contract'
import type { Pause } from '../chat/pause.ts'
import { type Envelope, systemFingerprint } from '../chat/reply.ts'
import type { ChosenToken } from '../chat/sampling/logprobs.ts'
import type { CompletionDraft } from './draft.ts'
import { completionLogprobs } from './logprobs.ts'

export interface StreamCompletionOptions {
  readonly envelope: Envelope
  readonly request: CompleteRequest
  readonly drafts: readonly CompletionDraft[]
  readonly usage: Usage
  readonly pause: Pause
}

/** The choices token by token, in turn; an echoed prompt comes in one piece. Ends with the usage. */
export async function* streamCompletion({
  envelope,
  request,
  drafts,
  usage,
  pause,
}: StreamCompletionOptions): AsyncGenerator<Step<CompleteChunk>> {
  const open = drafts.map((draft) => ({ index: draft.index, pieces: piecesOf(draft, request) }))
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

type Piece = Omit<CompleteChunk['choices'][number], 'index'>

function chunkOf({ id, created, model }: Envelope, index: number, piece: Piece): CompleteChunk {
  return {
    id,
    object: 'text_completion',
    created,
    model,
    choices: [{ index, ...piece }],
    system_fingerprint: systemFingerprint,
  }
}

function* piecesOf(
  { echoed, tokens, finish }: CompletionDraft,
  request: CompleteRequest,
): Generator<Piece> {
  let offset = 0
  const piece = (part: readonly ChosenToken[], first: boolean): Piece => {
    const text = part.map((chosen) => chosen.token).join('')
    const logprobs =
      request.logprobs == null
        ? null
        : completionLogprobs(part, { top: request.logprobs, offset, first })
    offset += text.length
    return { text, logprobs, finish_reason: null }
  }
  if (echoed.length > 0) yield piece(echoed, true)
  for (const chosen of tokens) yield piece([chosen], false)
  yield { text: '', logprobs: null, finish_reason: finish }
}
