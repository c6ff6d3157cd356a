import { GatewayError, objectOf, someText } from '@sluice/contract'
import { applyDecisions, type Decisions } from '../decisions.ts'
import type { Codec } from '../protocol.ts'
import { documentTexts, rerankReply } from '../rerank-reply.ts'
import { readUsage } from '../usage.ts'
import { usualRerank } from '../usual-decisions.ts'

const decisions: Decisions<'rerank'> = {
  ...usualRerank,
  max_chunks_per_doc: 'refused',
  max_tokens_per_doc: 'refused',
}

/** `POST /rerank`. Jina uses `top_n` and responds with `results`; Voyage uses `top_k` and responds with `data`. */
export function retrievalRerank(top: 'top_n' | 'top_k'): Codec<'rerank'> {
  return {
    encode(request, context) {
      applyDecisions('rerank', request, decisions, context)
      return {
        method: 'POST',
        path: '/rerank',
        body: {
          kind: 'json',
          value: {
            model: context.model,
            query: request.query,
            documents: documentTexts(request),
            ...(request.top_n == null ? {} : { [top]: request.top_n }),
            // The caller's own documents are inserted here.
            return_documents: false,
          },
        },
      }
    },
    decode(received, context, request) {
      const body = objectOf(received.json())
      const results = body['results'] ?? body['data']
      if (!Array.isArray(results))
        throw new GatewayError('upstream_garbled', 'The upstream answered without results')
      const usage = readUsage(body['usage'])
      return rerankReply(
        { id: someText(body['id']), results, usage: usage && { ...usage, outputTokens: 0 } },
        request,
        context,
      )
    },
  }
}
