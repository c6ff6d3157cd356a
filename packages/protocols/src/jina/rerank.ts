import type { Codec } from '../protocol.ts'
import { objectOf, someText } from '@sluice/contract'
import { documentTexts, rerankCodec, topOf } from '../rerank.ts'
import { readInputUsage } from '../usage.ts'
import { usualRerank } from '../usual-decisions.ts'

/** `POST /rerank`. Jina uses `top_n` and responds with `results`; Voyage uses `top_k` and responds with `data`. */
export function retrievalRerank(top: 'top_n' | 'top_k'): Codec<'rerank'> {
  return rerankCodec({
    decisions: { ...usualRerank, max_chunks_per_doc: 'refused', max_tokens_per_doc: 'refused' },
    request: (request, { model }) => ({
      path: '/rerank',
      value: {
        model,
        query: request.query,
        documents: documentTexts(request),
        ...topOf(request, top),
        // The caller's own documents are inserted here.
        return_documents: false,
      },
    }),
    answer(received) {
      const body = objectOf(received.json())
      return {
        id: someText(body['id']),
        results: body['results'] ?? body['data'],
        usage: readInputUsage(body['usage']),
      }
    },
  })
}
