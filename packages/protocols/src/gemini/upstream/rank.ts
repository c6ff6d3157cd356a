import { GatewayError, listOf, objectOf } from '@sluice/contract'
import { applyDecisions, type Decisions } from '../../decisions.ts'
import type { Codec } from '../../protocol.ts'
import { documentTexts, rerankReply } from '../../rerank-reply.ts'
import { usualRerank } from '../../usual-decisions.ts'
import { escapeName } from '../../vertex-address.ts'
import { bodyOf } from './failure.ts'

const decisions: Decisions<'rerank'> = {
  ...usualRerank,
  max_chunks_per_doc: 'refused',
  max_tokens_per_doc: 'refused',
}

/** Number of documents that are billed as one query (https://cloud.google.com/generative-ai-app-builder/pricing). */
const documentsPerQuery = 100

/**
 * Google's ranking API, which has a host of its own, separate from Vertex AI's
 * (https://cloud.google.com/generative-ai-app-builder/docs/reference/rest/v1/projects.locations.rankingConfigs/rank).
 */
export const vertexRank: Codec<'rerank'> = {
  encode(request, context) {
    applyDecisions('rerank', request, decisions, context)
    const { project } = context.settings
    if (!project)
      throw new GatewayError(
        'internal',
        'Vertex AI needs the setting `project`, the Google project',
      )
    const place = `projects/${escapeName(project)}/locations/global/rankingConfigs`
    const records = documentTexts(request).map((content, index) => ({ id: String(index), content }))
    return {
      method: 'POST',
      origin: 'https://discoveryengine.googleapis.com',
      path: `/v1/${place}/default_ranking_config:rank`,
      headers: { 'x-goog-user-project': project },
      body: {
        kind: 'json',
        value: {
          model: context.model,
          query: request.query,
          records,
          ...(request.top_n == null ? {} : { topN: request.top_n }),
          ignoreRecordDetailsInResponse: true,
        },
      },
    }
  },
  decode(received, context, request) {
    const results = listOf(bodyOf(received)['records']).map((record) => {
      const { id, score } = objectOf(record)
      return { index: Number(id), relevance_score: score }
    })
    const searchUnits = Math.ceil(request.documents.length / documentsPerQuery)
    const usage = { inputTokens: 0, outputTokens: 0, searchUnits }
    return rerankReply({ results, usage }, request, context)
  },
}
