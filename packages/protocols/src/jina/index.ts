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
      inputTypes: {
        query: 'retrieval.query',
        search_query: 'retrieval.query',
        document: 'retrieval.passage',
        search_document: 'retrieval.passage',
        passage: 'retrieval.passage',
        clustering: 'separation',
      },
    }),
    rerank: retrievalRerank('top_n'),
  },
  native: {},
  failure: readFailure,
}

/** Voyage's, which differ in names (https://docs.voyageai.com/reference), relative to https://api.voyageai.com/v1. */
export const voyage: Protocol = {
  id: 'voyage',
  codecs: {
    embed: retrievalEmbed({
      dimensions: 'output_dimension',
      inputType: 'input_type',
      inputTypes: { search_query: 'query', search_document: 'document', passage: 'document' },
    }),
    rerank: retrievalRerank('top_k'),
  },
  native: {},
  failure: readFailure,
}
