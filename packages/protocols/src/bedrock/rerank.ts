import { listOf, objectOf } from '@sluice/contract'
import { applyDecisions, type Decisions } from '../decisions.ts'
import type { Codec } from '../protocol.ts'
import { documentTexts, rerankReply } from '../rerank-reply.ts'
import { usualRerank } from '../usual-decisions.ts'

const decisions: Decisions<'rerank'> = {
  ...usualRerank,
  max_chunks_per_doc: 'refused',
  max_tokens_per_doc: 'sent',
}

/** InvokeModel with the body of the reranker's vendor: Cohere Rerank 3.5 requires `api_version` 2, Amazon Rerank none. */
export const rerank: Codec<'rerank'> = {
  encode(request, context) {
    applyDecisions('rerank', request, decisions, context)
    const cohere = context.model.includes('cohere.')
    if (request.max_tokens_per_doc != null && !cohere) context.unsupported('max_tokens_per_doc')
    return {
      method: 'POST',
      path: `/model/${encodeURIComponent(context.model)}/invoke`,
      body: {
        kind: 'json',
        value: {
          query: request.query,
          documents: documentTexts(request),
          ...(request.top_n == null
            ? {}
            : { top_n: Math.min(request.top_n, request.documents.length) }),
          ...(cohere ? { api_version: 2 } : {}),
          ...(cohere && request.max_tokens_per_doc != null
            ? { max_tokens_per_doc: request.max_tokens_per_doc }
            : {}),
        },
      },
    }
  },
  decode(received, context, request) {
    const body = objectOf(received.json())
    const usage = { inputTokens: 0, outputTokens: 0, searchUnits: 1 }
    return rerankReply({ results: listOf(body['results']), usage }, request, context)
  },
}
