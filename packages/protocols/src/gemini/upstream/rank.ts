import { listOf, objectOf } from '@sluice/contract'
import { documentTexts, rerankCodec, topOf } from '../../rerank.ts'
import { usualRerank } from '../../usual-decisions.ts'
import { escapeName, projectOf } from '../../vertex-address.ts'
import { bodyOf } from './failure.ts'

/** Number of documents that are billed as one query (https://cloud.google.com/generative-ai-app-builder/pricing). */
const documentsPerQuery = 100

/**
 * Google's ranking API, which has a host of its own, separate from Vertex AI's
 * (https://cloud.google.com/generative-ai-app-builder/docs/reference/rest/v1/projects.locations.rankingConfigs/rank).
 */
export const vertexRank = rerankCodec({
  decisions: { ...usualRerank, max_chunks_per_doc: 'refused', max_tokens_per_doc: 'refused' },
  request(request, { model, settings }) {
    const project = projectOf(settings)
    const place = `projects/${escapeName(project)}/locations/global/rankingConfigs`
    return {
      origin: 'https://discoveryengine.googleapis.com',
      path: `/v1/${place}/default_ranking_config:rank`,
      headers: { 'x-goog-user-project': project },
      value: {
        model,
        query: request.query,
        records: documentTexts(request).map((content, index) => ({ id: String(index), content })),
        ...topOf(request, 'topN'),
        ignoreRecordDetailsInResponse: true,
      },
    }
  },
  answer(received, { documents }) {
    const results = listOf(bodyOf(received)['records']).map((record) => {
      const { id, score } = objectOf(record)
      return { index: Number(id), relevance_score: score }
    })
    const searchUnits = Math.ceil(documents.length / documentsPerQuery)
    return { results, usage: { inputTokens: 0, outputTokens: 0, searchUnits } }
  },
})
