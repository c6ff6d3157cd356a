import { objectOf, someText } from '@sluice/contract'
import { documentTexts, rerankCodec, topOf } from '../rerank.ts'
import { readInputUsage } from '../usage.ts'
import { usualRerank } from '../usual-decisions.ts'
import { bodyOf } from './failure.ts'

/** Model Studio, text rerank API. */
export const rerank = rerankCodec({
  decisions: { ...usualRerank, max_chunks_per_doc: 'refused', max_tokens_per_doc: 'refused' },
  request: (request, { model }) => ({
    path: '/api/v1/services/rerank/text-rerank/text-rerank',
    value: {
      model,
      input: { query: request.query, documents: documentTexts(request) },
      parameters: { return_documents: false, ...topOf(request, 'top_n') },
    },
  }),
  answer(received) {
    const { request_id: id, output, usage } = bodyOf(received)
    const { results } = objectOf(output)
    return { id: someText(id), results, usage: readInputUsage(usage) }
  },
})
