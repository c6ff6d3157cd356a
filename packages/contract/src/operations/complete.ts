import { type Static, Type } from 'typebox'
import { invalidRequest } from '../core/errors.ts'
import { operation } from './operation.ts'
import { optional, StopSequences } from './schema.ts'
import { ChatUsage } from './usage-shape.ts'

const TokenIds = Type.Array(Type.Integer({ minimum: 0 }), { minItems: 1 })

/** A string, several strings, one list of token ids, or several. */
const Prompt = Type.Union([
  Type.String(),
  Type.Array(Type.String(), { minItems: 1, maxItems: 2048 }),
  TokenIds,
  Type.Array(TokenIds, { minItems: 1, maxItems: 2048 }),
])

/** A text completion request (contract; OpenAI API, CreateCompletionRequest). `stop` is always a list. */
export const CompleteRequest = Type.Object({
  model: Type.String({ minLength: 1 }),
  prompt: Prompt,
  suffix: optional(Type.String()),
  max_tokens: optional(Type.Integer({ minimum: 0 })),
  temperature: optional(Type.Number({ minimum: 0, maximum: 2 })),
  top_p: optional(Type.Number({ minimum: 0, maximum: 1 })),
  n: optional(Type.Integer({ minimum: 1, maximum: 128 })),
  /** 0 means the default, as 1 does (OpenAI API, CreateCompletionRequest). */
  best_of: optional(Type.Integer({ minimum: 0, maximum: 128 })),
  stream: optional(Type.Boolean()),
  stream_options: optional(Type.Object({ include_usage: optional(Type.Boolean()) })),
  /** OpenAI's models give at most 5; vLLM as many as it is started for. */
  logprobs: optional(Type.Integer({ minimum: 0, maximum: 100 })),
  echo: optional(Type.Boolean()),
  stop: optional(StopSequences),
  presence_penalty: optional(Type.Number({ minimum: -2, maximum: 2 })),
  frequency_penalty: optional(Type.Number({ minimum: -2, maximum: 2 })),
  logit_bias: optional(Type.Record(Type.String(), Type.Number({ minimum: -100, maximum: 100 }))),
  user: optional(Type.String()),
  seed: optional(Type.Integer()),
})
export type CompleteRequest = Static<typeof CompleteRequest>

export const CompletionLogprobs = Type.Object({
  tokens: Type.Array(Type.String()),
  token_logprobs: Type.Array(Type.Union([Type.Number(), Type.Null()])),
  top_logprobs: Type.Union([
    Type.Array(Type.Union([Type.Record(Type.String(), Type.Number()), Type.Null()])),
    Type.Null(),
  ]),
  text_offset: Type.Array(Type.Integer()),
})

const CompletionChoice = Type.Object({
  text: Type.String(),
  index: Type.Integer(),
  logprobs: Type.Union([CompletionLogprobs, Type.Null()]),
  finish_reason: Type.String(),
})

export const CompleteReply = Type.Object({
  id: Type.String(),
  object: Type.Literal('text_completion'),
  created: Type.Integer(),
  model: Type.String(),
  choices: Type.Array(CompletionChoice),
  usage: ChatUsage,
  system_fingerprint: optional(Type.String()),
})
export type CompleteReply = Static<typeof CompleteReply>

/** A streamed chunk has the form of the whole, with a part of the text (OpenAI API, completions). */
export const CompleteChunk = Type.Object({
  id: Type.String(),
  object: Type.Literal('text_completion'),
  created: Type.Integer(),
  model: Type.String(),
  choices: Type.Array(
    Type.Object({
      ...CompletionChoice.properties,
      finish_reason: Type.Union([Type.String(), Type.Null()]),
    }),
  ),
  system_fingerprint: optional(Type.String()),
  usage: optional(ChatUsage),
})
export type CompleteChunk = Static<typeof CompleteChunk>

export const complete = operation({
  summary: 'Create a text completion',
  tag: 'Completions',
  method: 'POST',
  paths: ['/v1/completions'],
  body: 'json',
  request: CompleteRequest,
  reply: CompleteReply,
  event: CompleteChunk,
  example: { model: 'builtin-chat', prompt: 'The capital of France is Paris. The capital of' },
  check(request) {
    const { best_of: bestOf, n } = request
    if (bestOf != null && bestOf > 0 && bestOf < (n ?? 1))
      throw invalidRequest('best_of must be at least n', 'best_of')
    if (bestOf != null && bestOf > (n ?? 1) && request.stream === true)
      throw invalidRequest('best_of cannot be streamed', 'best_of')
    if (request.stream_options != null && request.stream !== true)
      throw invalidRequest('stream_options is only allowed when stream is true', 'stream_options')
  },
})
