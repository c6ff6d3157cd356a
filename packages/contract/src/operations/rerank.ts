import { type Static, Type } from 'typebox'
import { operation } from './operation.ts'
import { AnyObject, optional } from './schema.ts'

/** Combines the requests of Cohere and Jina (Cohere API v1 and v2 rerank, Jina reranker API). */
export const RerankRequest = Type.Object({
  model: Type.String({ minLength: 1 }),
  query: Type.String({ minLength: 1 }),
  documents: Type.Array(Type.Union([Type.String(), AnyObject]), { minItems: 1, maxItems: 1000 }),
  top_n: optional(Type.Integer({ minimum: 1 })),
  /** Default true: the contract lists `document` among a result's fields. */
  return_documents: optional(Type.Boolean()),
  rank_fields: optional(Type.Array(Type.String(), { minItems: 1 })),
  max_chunks_per_doc: optional(Type.Integer({ minimum: 1 })),
  max_tokens_per_doc: optional(Type.Integer({ minimum: 1 })),
})
export type RerankRequest = Static<typeof RerankRequest>

export const RerankReply = Type.Object({
  id: Type.String(),
  model: Type.Optional(Type.String()),
  results: Type.Array(
    Type.Object({
      index: Type.Integer(),
      relevance_score: Type.Number(),
      document: Type.Optional(AnyObject),
    }),
  ),
  meta: AnyObject,
  usage: Type.Object({ prompt_tokens: Type.Integer(), total_tokens: Type.Integer() }),
})
export type RerankReply = Static<typeof RerankReply>

export const rerank = operation({
  summary: 'Rerank documents by relevance to a query',
  tag: 'Rerank',
  method: 'POST',
  paths: ['/v1/rerank', '/v2/rerank'],
  body: 'json',
  request: RerankRequest,
  reply: RerankReply,
  event: Type.Never(),
  example: {
    model: 'builtin-rerank',
    query: 'where do fish live',
    documents: ['Fish live in water.', 'Cars drive on roads.'],
  },
})
