import { type CompleteReply, chatUsage, formatJson, type Usage } from '@sluice/contract'
import { createPause } from '../chat/pause.ts'
import { createEnvelope, systemFingerprint } from '../chat/reply.ts'
import { assertMayFit } from '../chat/read-request.ts'
import { isLarge } from '../chat/request-size.ts'
import type { Operation } from '../operation.ts'
import { composeCompletion } from './compose.ts'
import { completionLogprobs } from './logprobs.ts'
import { type CompletionOptions, streamCompletion } from './stream.ts'

/** Time limit for a large request in a worker, in milliseconds. */
const workMs = 20_000

/**
 * Text completions: a prompt that asks or tells something is answered as in chat, one that repeats itself is continued, and
 * for any other the engine says that it needs a model. `suffix` has no effect. A large request is computed in a worker. Throws
 * invalid_request for unknown token ids and for more than 8,192 choices, and context_length_exceeded for prompts above 128,000
 * tokens.
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
