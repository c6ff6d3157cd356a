import {
  type ChatChunk,
  type ChatReply,
  type ChatRequest,
  type ChoiceLogprobs,
  type CompleteChunk,
  type CompleteReply,
  type CompleteRequest,
  type Step,
} from '@sluice/contract'
import { applyDecisions, type Decisions } from './decisions.ts'
import { withoutNull } from './neutral-values.ts'
import { assertTexts, promptParts, promptTexts } from './prompt-parts.ts'
import type { Codec, CodecContext, StreamReader } from './protocol.ts'

const decisions: Decisions<'complete'> = {
  model: 'sent',
  prompt: 'sent',
  suffix: 'refused',
  max_tokens: 'sent',
  temperature: 'sent',
  top_p: 'sent',
  n: 'sent',
  best_of: 'sent',
  stream: 'sent',
  stream_options: 'gateway',
  logprobs: 'sent',
  echo: 'sent',
  stop: 'sent',
  presence_penalty: 'sent',
  frequency_penalty: 'sent',
  logit_bias: 'sent',
  user: 'sent',
  seed: 'sent',
}

/**
 * Text completions by models that only chat: a prompt becomes a user's message, and what the model answers is the text.
 * Several prompts are several requests. What only a model that continues texts can do is refused: token ids, a suffix, the
 * best of several texts, no text at all, and the probabilities of a prompt.
 */
export function completeByChat(chat: Codec<'chat'>): Codec<'complete'> {
  const { stream } = chat
  return {
    encode(request, context) {
      applyDecisions('complete', request, decisions, context)
      assertCanChat(request, context)
      return chat.encode(chatOf(request), context)
    },
    decode(received, context, request) {
      const { reply, ...rest } = chat.decode(received, context, chatOf(request))
      return { ...rest, reply: completeReply(reply, request) }
    },
    ...(stream && {
      stream: {
        ...stream,
        reader: (context, request) =>
          createTextReader(stream.reader(context, chatOf(request)), request),
      },
    }),
    parts: (request) => partsOf(request, chat.singleChoice === true),
  }
}

function partsOf(request: CompleteRequest, isSingle: boolean): readonly CompleteRequest[] {
  if (!isSingle) return promptParts(request)
  const best = isSelection(request) ? (request.best_of ?? null) : null
  return promptParts({ ...request, n: 1, best_of: best }, request.n ?? 1)
}

function isSelection({ best_of: bestOf, n }: CompleteRequest): boolean {
  return (bestOf ?? 0) > (n ?? 1)
}

function assertCanChat(request: CompleteRequest, context: CodecContext): void {
  assertTexts(request)
  if (isSelection(request)) context.unsupported('best_of')
  if (request.max_tokens === 0) context.unsupported('max_tokens', 'a chat has an answer')
  if (request.echo === true && request.logprobs != null)
    context.unsupported('logprobs', 'those of a prompt are unknown')
}

const sameInChat = [
  'temperature',
  'top_p',
  'n',
  'stream',
  'stop',
  'presence_penalty',
  'frequency_penalty',
  'logit_bias',
  'user',
  'seed',
] as const satisfies readonly (keyof ChatRequest & keyof CompleteRequest)[]

function chatOf(request: CompleteRequest): ChatRequest {
  const { prompt, max_tokens: limit, logprobs } = request
  return {
    ...withoutNull(Object.fromEntries(sameInChat.map((field) => [field, request[field]]))),
    model: request.model,
    messages: promptTexts(prompt).map((content) => ({ role: 'user', content })),
    ...(limit == null || limit === 0 ? {} : { max_completion_tokens: limit }),
    ...(logprobs == null ? {} : { logprobs: true }),
    ...(logprobs ? { top_logprobs: logprobs } : {}),
  }
}

function completeReply(reply: ChatReply, request: CompleteRequest): CompleteReply {
  const { id, created, model, usage, system_fingerprint: fingerprint } = reply
  return {
    id,
    object: 'text_completion',
    created,
    model,
    choices: reply.choices.map(({ index, message, logprobs, finish_reason: reason }) => ({
      text: echoOf(request) + (message.content ?? message.refusal ?? ''),
      index,
      logprobs: completionLogprobs(logprobs, 0),
      finish_reason: reason,
    })),
    usage,
    system_fingerprint: fingerprint,
  }
}

function echoOf({ echo, prompt }: CompleteRequest): string {
  return echo === true ? (promptTexts(prompt)[0] ?? '') : ''
}

/** `offset` is the length of the choice's text before. */
function completionLogprobs(
  logprobs: ChoiceLogprobs | null | undefined,
  offset: number,
): CompleteReply['choices'][number]['logprobs'] {
  const all = logprobs?.content
  if (!all) return null
  let at = offset
  return {
    tokens: all.map(({ token }) => token),
    token_logprobs: all.map(({ logprob }) => logprob),
    top_logprobs: all.some(({ top_logprobs: top }) => top?.length)
      ? all.map(({ top_logprobs: top = [] }) =>
          Object.fromEntries(top.map(({ token, logprob }) => [token, logprob])),
        )
      : null,
    text_offset: all.map(({ token }) => {
      at += token.length
      return at - token.length
    }),
  }
}

function createTextReader(
  chat: StreamReader<'chat'>,
  request: CompleteRequest,
): StreamReader<'complete'> {
  /** The length of each choice's text so far. */
  const lengths = new Map<number, number>()
  const readChoice = ({ index, delta, logprobs, finish_reason: reason }: ChunkChoice) => {
    const before = lengths.get(index)
    const text =
      (before === undefined ? echoOf(request) : '') + (delta.content ?? delta.refusal ?? '')
    if (text === '' && reason == null) return []
    lengths.set(index, (before ?? 0) + text.length)
    return [
      {
        text,
        index,
        logprobs: completionLogprobs(logprobs, before ?? 0),
        finish_reason: reason ?? null,
      },
    ]
  }
  const readStep = (step: Step<ChatChunk>): readonly Step<CompleteChunk>[] => {
    if ('usage' in step) return [step]
    const { id, created, model, choices, system_fingerprint: fingerprint = null } = step.event
    const texts = choices.flatMap(readChoice)
    if (texts.length === 0) return []
    const object = 'text_completion' as const
    const event = { id, object, created, model, choices: texts, system_fingerprint: fingerprint }
    return [{ event }]
  }
  return {
    read: (event) => chat.read(event).flatMap(readStep),
    end: () => chat.end().flatMap(readStep),
  }
}

type ChunkChoice = ChatChunk['choices'][number]
