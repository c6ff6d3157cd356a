import { readFailure } from '../failure.ts'
import type { Protocol } from '../protocol.ts'
import { retrievalEmbed } from './embed.ts'
import { retrievalRerank } from './rerank.ts'

/** Jina's embeddings and reranker (https://api.jina.ai/docs), relative to https://api.jina.ai/v1. */
export const jina: Protocol = {
  id: 'jina',
  codecs: {
    embed: retrievalEmbed({
      dimensions: 'dimensions',
      inputType: 'task',
      purposes: {
        query: 'retrieval.query',
        document: 'retrieval.passage',
        clustering: 'separation',
        similarity: 'text-matching',
      },
      textsMax: 512,
    }),
    rerank: retrievalRerank('top_n'),
  },
  native: {},
  failure: readFailure,
}

/**
 * Voyage's, which differ in the names of fields (https://docs.voyageai.com/reference), relative to
 * https://api.voyageai.com/v1.
 */
export const voyage: Protocol = {
  id: 'voyage',
  codecs: {
    embed: retrievalEmbed({
      dimensions: 'output_dimension',
      inputType: 'input_type',
      purposes: { query: 'query', document: 'document' },
      textsMax: 1000,
    }),
    rerank: retrievalRerank('top_k'),
  },
  native: {},
  failure: readFailure,
}
