import { listOf, objectOf } from '@sluice/contract'
import { documentTexts, rerankCodec } from '../rerank.ts'
import { usualRerank } from '../usual-decisions.ts'

/** InvokeModel with the body of the reranker's vendor: Cohere Rerank 3.5 requires `api_version` 2, Amazon Rerank none. */
export const rerank = rerankCodec({
  decisions: { ...usualRerank, max_chunks_per_doc: 'refused', max_tokens_per_doc: 'sent' },
  request(request, { model, unsupported }) {
    const { query, documents, top_n: top, max_tokens_per_doc: most } = request
    const isCohere = model.includes('cohere.')
    if (most != null && !isCohere) unsupported('max_tokens_per_doc')
    return {
      path: `/model/${encodeURIComponent(model)}/invoke`,
      value: {
        query,
        documents: documentTexts(request),
        ...(top == null ? {} : { top_n: Math.min(top, documents.length) }),
        ...(isCohere ? { api_version: 2 } : {}),
        ...(isCohere && most != null ? { max_tokens_per_doc: most } : {}),
      },
    }
  },
  answer: (received) => ({
    results: listOf(objectOf(received.json())['results']),
    usage: { inputTokens: 0, outputTokens: 0, searchUnits: 1 },
  }),
})
