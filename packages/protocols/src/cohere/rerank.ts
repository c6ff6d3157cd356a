import { objectOf, someText } from '@sluice/contract'
import { documentTexts, rerankCodec, topOf } from '../rerank.ts'
import { usualRerank } from '../usual-decisions.ts'
import { readBilledUnits } from './usage.ts'

/** Cohere API v2, rerank. Documents are texts, and the response does not contain them. */
export const rerank = rerankCodec({
  decisions: { ...usualRerank, max_chunks_per_doc: 'sent', max_tokens_per_doc: 'sent' },
  request(request, { model, unsupported }) {
    const { query, max_tokens_per_doc: most } = request
    if (request.max_chunks_per_doc != null)
      unsupported('max_chunks_per_doc', 'use max_tokens_per_doc')
    return {
      path: '/v2/rerank',
      value: {
        model,
        query,
        documents: documentTexts(request),
        ...topOf(request, 'top_n'),
        ...(most == null ? {} : { max_tokens_per_doc: most }),
      },
    }
  },
  answer(received) {
    const { id, results, meta: given } = objectOf(received.json())
    const meta = objectOf(given)
    return { id: someText(id), results, meta, usage: readBilledUnits(meta) }
  },
})
