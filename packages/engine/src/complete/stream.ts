import type { CompleteChunk, CompleteRequest, Step } from '@sluice/contract'
import { systemFingerprint } from '../chat/reply.ts'
import { inTurn, type StreamOptions } from '../chat/stream.ts'
import type { CompletionDraft } from './draft.ts'
import { completionLogprobs, tokensPerPiece } from './logprobs.ts'

export type CompletionOptions = StreamOptions<CompleteRequest, CompletionDraft>

/**
 * Streams the choices token by token, alternating between them; an echoed prompt comes a thousand tokens at a time. Ends with
 * the usage.
 */
export async function* streamCompletion(
  options: CompletionOptions,
): AsyncGenerator<Step<CompleteChunk>> {
  const { envelope, request, choices, usage, pause } = options
  const head = { ...envelope, object: 'text_completion' } as const
  const all = choices.map((choice) => piecesOf(choice, request))
  for await (const { piece } of inTurn(all, pause))
    yield { event: { ...head, choices: [piece], system_fingerprint: systemFingerprint } }
  yield { usage }
}

/** The pieces of a choice. The last one has the finish reason and no text. */
function* piecesOf(
  { index, echoed, tokens, finish }: CompletionDraft,
  { logprobs: top }: CompleteRequest,
): Generator<CompleteChunk['choices'][number]> {
  let offset = 0
  const pieces = Math.ceil(echoed.length / tokensPerPiece)
  const parts = [
    ...Array.from({ length: pieces }, (_, at) =>
      echoed.slice(at * tokensPerPiece, (at + 1) * tokensPerPiece),
    ),
    ...tokens.map((chosen) => [chosen]),
  ]
  for (const [place, part] of parts.entries()) {
    if (part.length === 0) continue
    const text = part.map((chosen) => chosen.token).join('')
    const isEchoed = place === 0 && pieces > 0
    const logprobs = top == null ? null : completionLogprobs(part, { top, offset, isEchoed })
    offset += text.length
    yield { index, text, logprobs, finish_reason: null }
  }
  yield { index, text: '', logprobs: null, finish_reason: finish }
}
