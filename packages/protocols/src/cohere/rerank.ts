import { GatewayError, objectOf, someText } from '@sluice/contract'
import { applyDecisions, type Decisions } from '../decisions.ts'
import type { Codec } from '../protocol.ts'
import { documentTexts, rerankReply } from '../rerank-reply.ts'
import { usualRerank } from '../usual-decisions.ts'
import { readBilledUnits } from './usage.ts'

const decisions: Decisions<'rerank'> = {
  ...usualRerank,
  max_chunks_per_doc: 'sent',
  max_tokens_per_doc: 'sent',
}

/** Cohere API v2, rerank. Documents are texts, and the response does not contain them. */
export const rerank: Codec<'rerank'> = {
  encode(request, context) {
    applyDecisions('rerank', request, decisions, context)
    if (request.max_chunks_per_doc != null)
      context.unsupported('max_chunks_per_doc', 'use max_tokens_per_doc')
    return {
      method: 'POST',
      path: '/v2/rerank',
      body: {
        kind: 'json',
        value: {
          model: context.model,
          query: request.query,
          documents: documentTexts(request),
          ...(request.top_n == null ? {} : { top_n: request.top_n }),
          ...(request.max_tokens_per_doc == null
            ? {}
            : { max_tokens_per_doc: request.max_tokens_per_doc }),
        },
      },
    }
  },
  decode(received, context, request) {
    const body = objectOf(received.json())
    if (!Array.isArray(body['results']))
      throw new GatewayError('upstream_garbled', 'Cohere answered without results')
    const meta = objectOf(body['meta'])
    return rerankReply(
      { id: someText(body['id']), results: body['results'], meta, usage: readBilledUnits(meta) },
      request,
      context,
    )
  },
}
