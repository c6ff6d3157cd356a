import { type Static, Type } from 'typebox'
import { operation } from './operation.ts'
import { oneOf, optional } from './schema.ts'

const TokenIds = Type.Array(Type.Integer({ minimum: 0 }), { minItems: 1, maxItems: 8192 })

export const EmbedRequest = Type.Object({
  /** On the engines path the body's model takes precedence over the path's. */
  model: Type.String({ minLength: 1 }),
  input: Type.Union([
    Type.String({ minLength: 1 }),
    Type.Array(Type.String({ minLength: 1 }), { minItems: 1, maxItems: 2048 }),
    Type.Array(Type.Integer({ minimum: 0 }), { minItems: 1, maxItems: 8192 }),
    Type.Array(TokenIds, { minItems: 1, maxItems: 2048 }),
  ]),
  encoding_format: optional(oneOf(['float', 'base64'])),
  dimensions: optional(Type.Integer({ minimum: 1 })),
  user: optional(Type.String()),
  /** The purpose of the vectors, for upstreams that distinguish queries from documents (Cohere, Jina, Voyage, Gemini). */
  input_type: optional(Type.String()),
})
export type EmbedRequest = Static<typeof EmbedRequest>

/** Numbers, or little-endian float32 in base64 if the request asked for that. */
export const EmbedReply = Type.Object({
  object: Type.Literal('list'),
  data: Type.Array(
    Type.Object({
      object: Type.Literal('embedding'),
      index: Type.Integer(),
      embedding: Type.Union([Type.Array(Type.Number()), Type.String()]),
    }),
  ),
  model: Type.String(),
  usage: Type.Object({ prompt_tokens: Type.Integer(), total_tokens: Type.Integer() }),
})
export type EmbedReply = Static<typeof EmbedReply>

export const embed = operation({
  summary: 'Create embeddings',
  tag: 'Embeddings',
  method: 'POST',
  paths: ['/v1/embeddings', '/v1/engines/{model}/embeddings'],
  body: 'json',
  request: EmbedRequest,
  reply: EmbedReply,
  event: Type.Never(),
  example: { model: 'builtin-embed', input: 'A gate across a channel of water' },
})
