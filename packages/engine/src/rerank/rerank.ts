import { randomUUID } from 'node:crypto'
import { invalidRequest, isRawNumber, type RequestOf } from '@sluice/contract'
import type { Operation } from '../engine.ts'
import { judgeDocuments } from './relevance.ts'

type Document = RequestOf<'rerank'>['documents'][number]

/** Cohere bills one unit per query with up to this many documents. */
const documentsPerSearchUnit = 100

/** Up to this size judging takes a few hundredths of a second; larger requests go to a worker. */
const inlineCharactersMax = 50_000
const judgeTimeoutMs = 60_000

/**
 * BM25 over stems, phrases, spellings and everyday synonyms. Scores are 0 to 1, best first; equal ones keep the order of the
 * request. `max_chunks_per_doc` counts passages of 3,000 characters; `max_tokens_per_doc` cuts the text.
 */
export const rerank: Operation<'rerank'> = async (request, context) => {
  const { query, documents } = request
  if (query.trim() === '') throw invalidRequest('The query must not be empty', 'query')
  const texts = documents.map((document, index) => textOf(document, index, request.rank_fields))
  const input = {
    query,
    texts,
    tokensMax: request.max_tokens_per_doc ?? Infinity,
    passagesMax: request.max_chunks_per_doc ?? Infinity,
  }
  const characters = texts.reduce((sum, text) => sum + text.length, query.length)
  const large = characters > inlineCharactersMax
  const { scores, tokens, cut } = large
    ? await context.workers.run('judgeDocuments', input, { timeoutMs: judgeTimeoutMs })
    : await judgeDocuments(input)
  const results = order(scores, request.top_n ?? documents.length).map((result) => ({
    ...result,
    ...(request.return_documents === false ? {} : shown(documents[result.index])),
  }))
  const searchUnits = Math.ceil(documents.length / documentsPerSearchUnit)
  const meta = {
    api_version: { version: '1' },
    billed_units: { search_units: searchUnits, input_tokens: tokens, output_tokens: 0 },
    tokens: { input_tokens: tokens, output_tokens: 0 },
    ...(cut > 0 ? { warnings: [`${cut} documents were cut to ${input.tokensMax} tokens`] } : {}),
  }
  return {
    kind: 'reply',
    reply: {
      id: randomUUID(),
      model: context.model,
      results,
      meta,
      usage: { prompt_tokens: tokens, total_tokens: tokens },
    },
    usage: { inputTokens: tokens, outputTokens: 0, searchUnits },
  }
}

/** The text of a document: itself, its rank_fields in their order, its `text`, or all its strings. */
function textOf(document: Document, index: number, fields: readonly string[] | null | undefined) {
  if (typeof document === 'string') return document
  // For the schema, a number with all of its digits is an object.
  if (isRawNumber(document))
    throw invalidRequest('A document must be a string or an object', `documents[${index}]`)
  const named = fields ?? (typeof document['text'] === 'string' ? ['text'] : Object.keys(document))
  const texts = named.map((name) => document[name]).filter((value) => typeof value === 'string')
  if (texts.length === 0)
    throw invalidRequest(
      fields == null
        ? 'A document needs a text: a string, or an object with `text` or other string fields'
        : 'The document has none of the rank_fields',
      `documents[${index}]`,
    )
  return texts.join('\n')
}

function order(scores: readonly number[], count: number) {
  return scores
    .map((score, index) => ({ index, relevance_score: Math.round(score * 1e6) / 1e6 }))
    .toSorted((a, b) => b.relevance_score - a.relevance_score || a.index - b.index)
    .slice(0, count)
}

function shown(document: Document | undefined) {
  if (document === undefined) return {}
  return { document: typeof document === 'string' ? { text: document } : document }
}
