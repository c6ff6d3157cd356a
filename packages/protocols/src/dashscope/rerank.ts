import { GatewayError, objectOf, someText } from '@sluice/contract'
import { applyDecisions, type Decisions } from '../decisions.ts'
import type { Codec } from '../protocol.ts'
import { documentTexts, rerankReply } from '../rerank-reply.ts'
import { readUsage } from '../usage.ts'
import { usualRerank } from '../usual-decisions.ts'
import { bodyOf } from './failure.ts'

const decisions: Decisions<'rerank'> = {
  ...usualRerank,
  max_chunks_per_doc: 'refused',
  max_tokens_per_doc: 'refused',
}

/** Model Studio, text rerank API. */
export const rerank: Codec<'rerank'> = {
  encode(request, context) {
    applyDecisions('rerank', request, decisions, context)
    return {
      method: 'POST',
      path: '/api/v1/services/rerank/text-rerank/text-rerank',
      body: {
        kind: 'json',
        value: {
          model: context.model,
          input: { query: request.query, documents: documentTexts(request) },
          parameters: {
            return_documents: false,
            ...(request.top_n == null ? {} : { top_n: request.top_n }),
          },
        },
      },
    }
  },
  decode(received, context, request) {
    const body = bodyOf(received)
    const { results } = objectOf(body['output'])
    if (!Array.isArray(results))
      throw new GatewayError('upstream_garbled', 'DashScope answered without results')
    const usage = readUsage(body['usage'])
    return rerankReply(
      { id: someText(body['request_id']), results, usage: usage && { ...usage, outputTokens: 0 } },
      request,
      context,
    )
  },
}
