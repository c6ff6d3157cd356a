import {
  chatUsage,
  type CompleteReply,
  type CompleteRequest,
  GatewayError,
  invalidRequest,
  type Usage,
} from '@sluice/contract'
import { createPause } from '../chat/pause.ts'
import { contextTokensMax } from '../chat/read-request.ts'
import { type Envelope, systemFingerprint } from '../chat/reply.ts'
import type { Operation } from '../operation.ts'
import { countTokens, readTexts, type SentText } from '../tokens.ts'
import { type CompletionDraft, draftCompletions } from './draft.ts'
import { completionLogprobs } from './logprobs.ts'
import { streamCompletion } from './stream.ts'

/** Choices of one request, all prompts and samples together. */
const choicesMax = 8192

/**
 * Text completion: a prompt that asks or tells something is answered as in chat, one that repeats itself goes on, and of
 * any other is said that it needs a model; `suffix` says nothing to this engine. Throws invalid_request for token ids that
 * stand for nothing and for more than 8,192 choices, context_length_exceeded for prompts above 128,000 tokens.
 */
export const complete: Operation<'complete'> = async (request, context) => {
  if ((request.suffix ?? '') !== '') context.leftOut?.('suffix')
  const prompts = await readTexts(request.prompt, 'prompt')
  const inputTokens = countPrompts(prompts, request)
  const samples = Math.max(request.n ?? 1, request.best_of ?? 1)
  if (prompts.length * samples > choicesMax)
    throw invalidRequest(`A request may have ${choicesMax} choices in all`, 'n')
  const pause = createPause(context.signal)
  const seed = request.seed ?? Math.floor(context.random() * 2 ** 31)
  const { drafts, generated } = await draftCompletions(
    request,
    prompts.map(({ text }) => text),
    { seed, now: context.now(), pause },
  )
  const usage: Usage = { inputTokens, outputTokens: generated }
  const envelope = {
    id: context.newId('cmpl-'),
    created: Math.floor(context.now() / 1000),
    model: context.model,
  }
  if (request.stream === true)
    return { kind: 'events', events: streamCompletion({ envelope, request, drafts, usage, pause }) }
  return { kind: 'reply', reply: createReply(envelope, request, drafts, usage), usage }
}

function countPrompts(prompts: readonly SentText[], { suffix }: CompleteRequest): number {
  const behind = countTokens(suffix ?? '')
  let all = 0
  for (const { text } of prompts) {
    const tokens = countTokens(text)
    all += tokens
    if (tokens + behind > contextTokensMax)
      throw new GatewayError(
        'context_length_exceeded',
        `This model's maximum context length is ${contextTokensMax} tokens, but the prompt comes to ${tokens + behind}`,
        { param: 'prompt' },
      )
  }
  return all
}

function createReply(
  envelope: Envelope,
  request: CompleteRequest,
  drafts: readonly CompletionDraft[],
  usage: Usage,
): CompleteReply {
  return {
    id: envelope.id,
    object: 'text_completion',
    created: envelope.created,
    model: envelope.model,
    choices: drafts.map(({ index, echoed, tokens, finish }) => ({
      text: [...echoed, ...tokens].map((chosen) => chosen.token).join(''),
      index,
      logprobs:
        request.logprobs == null
          ? null
          : completionLogprobs([...echoed, ...tokens], {
              top: request.logprobs,
              offset: 0,
              isEchoed: echoed.length > 0,
            }),
      finish_reason: finish,
    })),
    usage: chatUsage(usage),
    system_fingerprint: systemFingerprint,
  }
}
