import {
  type CompleteChunk,
  type CompleteReply,
  type CompleteRequest,
  chatUsage,
  formatJson,
  type Step,
  type Usage,
} from '@sluice/contract'
import { createPause } from '../chat/pause.ts'
import { assertMayFit } from '../chat/read-request.ts'
import { createEnvelope, inTurn, type StreamOptions, systemFingerprint } from '../chat/reply.ts'
import { isLarge } from '../chat/request-size.ts'
import type { ChosenToken } from '../chat/sampling/chosen-tokens.ts'
import type { Operation } from '../engine.ts'
import { type CompletionDraft, composeCompletion } from './compose.ts'

/** Time limit for a large request in a worker, in milliseconds. */
const workMs = 20_000

/**
 * Text completions: a prompt that asks or tells something is answered as in chat, and for any other the engine says that it
 * needs a model. `suffix` has no effect. A large request is computed in a worker. Throws invalid_request for unknown token ids
 * and for more than 8,192 choices, and context_length_exceeded for prompts above 128,000 tokens.
 */
export const complete: Operation<'complete'> = async (request, context) => {
  if ((request.suffix ?? '') !== '') context.leftOut?.('suffix')
  assertMayFit(request.prompt, 'prompt')
  const pause = createPause(context.signal)
  const seed = request.seed ?? Math.floor(context.random() * 2 ** 31)
  const input = { request, seed, now: context.now() }
  // An echo with probabilities costs more to transfer than to compute.
  const isWeighedEcho = request.echo === true && request.logprobs != null
  const { drafts, generated, inputTokens } =
    isLarge(request) && !isWeighedEcho
      ? await context.workers.run(
          'composeSentCompletion',
          { ...input, request: formatJson(request) },
          { timeoutMs: workMs, param: 'prompt' },
        )
      : await composeCompletion(input, pause)
  const usage: Usage = { inputTokens, outputTokens: generated }
  const envelope = createEnvelope('cmpl-', context)
  const options = { envelope, request, choices: drafts, usage, pause }
  if (request.stream === true) return { kind: 'events', events: streamCompletion(options) }
  return { kind: 'reply', reply: createReply(options), usage }
}

function createReply({ envelope, request, choices, usage }: CompletionOptions): CompleteReply {
  const { logprobs: top } = request
  return {
    ...envelope,
    object: 'text_completion',
    choices: choices.map(({ index, echoed, tokens, finish }) => {
      const all = [...echoed, ...tokens]
      return {
        text: all.map((chosen) => chosen.token).join(''),
        index,
        logprobs:
          top == null
            ? null
            : completionLogprobs(all, { top, offset: 0, isEchoed: echoed.length > 0 }),
        finish_reason: finish,
      }
    }),
    usage: chatUsage(usage),
    system_fingerprint: systemFingerprint,
  }
}

type CompletionOptions = StreamOptions<CompleteRequest, CompletionDraft>

/**
 * Streams the choices token by token, alternating between them; an echoed prompt comes in one piece. Ends with the usage.
 */
async function* streamCompletion(options: CompletionOptions): AsyncGenerator<Step<CompleteChunk>> {
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
  for (const part of [echoed, ...tokens.map((chosen) => [chosen])]) {
    if (part.length === 0) continue
    const text = part.map((chosen) => chosen.token).join('')
    const isEchoed = part === echoed
    const logprobs = top == null ? null : completionLogprobs(part, { top, offset, isEchoed })
    offset += text.length
    yield { index, text, logprobs, finish_reason: null }
  }
  yield { index, text: '', logprobs: null, finish_reason: finish }
}

type CompletionLogprobs = NonNullable<CompleteReply['choices'][number]['logprobs']>

/**
 * Logprobs in the form of text completions, with up to `top` alternatives. `offset` is the length of the choice's text before.
 * The first token of an echoed prompt has no logprob, because nothing precedes it.
 */
function completionLogprobs(
  tokens: readonly ChosenToken[],
  {
    top,
    offset,
    isEchoed,
  }: { readonly top: number; readonly offset: number; readonly isEchoed: boolean },
): CompletionLogprobs {
  const texts = tokens.map((chosen) => chosen.token)
  const first = isEchoed ? 1 : 0
  let at = offset
  return {
    tokens: texts,
    token_logprobs: tokens.map(({ logprob }, index) => (index >= first ? logprob : null)),
    top_logprobs:
      top === 0
        ? null
        : tokens.map((chosen, index) => (index >= first ? alternativesOf(chosen, top) : null)),
    text_offset: texts.map((text) => {
      at += text.length
      return at - text.length
    }),
  }
}

/** The most likely tokens, and the chosen one if it is not among them (OpenAI API, completions). */
function alternativesOf(
  { token, logprob, alternatives }: ChosenToken,
  top: number,
): Record<string, number> {
  const shown = alternatives.slice(0, top).map((other) => [other.token, other.logprob] as const)
  return Object.fromEntries(
    shown.some(([other]) => other === token) ? shown : [...shown, [token, logprob] as const],
  )
}
