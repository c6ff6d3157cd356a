import {
  countOf,
  type Fields,
  GatewayError,
  isObject,
  listOf,
  objectOf,
  type RerankReply,
  type RerankRequest,
  someText,
} from '@sluice/contract'
import { applyDecisions, type Decisions } from '../../decisions.ts'
import { bodyOf } from '../../failure.ts'
import type { Codec, CodecContext, Decoded, Received } from '../../protocol.ts'
import { readUsage } from '../../usage.ts'
import { type PathOf, usualPath } from './options.ts'

export interface RerankOptions {
  readonly path?: PathOf
  /** `texts`: Text Embeddings Inference, which calls the documents so and answers with a bare list. */
  readonly form?: 'documents' | 'texts'
}

/**
 * Reranking as OpenAI-compatible servers offer it beside OpenAI's own operations: vLLM, Together, LocalAI and Infinity
 * in Cohere's form, Text Embeddings Inference in its own.
 */
export function compatibleRerank(options: RerankOptions = {}): Codec<'rerank'> {
  const { path = usualPath, form = 'documents' } = options
  return {
    encode: (request, context) => ({
      method: 'POST',
      path: path('/rerank', context),
      body: {
        kind: 'json',
        value: form === 'texts' ? textsBody(request, context) : documentsBody(request, context),
      },
    }),
    decode: decodeRerank,
  }
}

function documentsBody(request: RerankRequest, context: CodecContext): unknown {
  return Object.fromEntries(
    Object.entries({ ...request, model: context.model }).filter(([, value]) => value !== null),
  )
}

const textsDecisions: Decisions<'rerank'> = {
  model: 'gateway',
  query: 'sent',
  documents: 'sent',
  top_n: 'gateway',
  return_documents: 'gateway',
  rank_fields: 'refused',
  max_chunks_per_doc: 'refused',
  max_tokens_per_doc: 'refused',
}

function textsBody(request: RerankRequest, context: CodecContext): unknown {
  applyDecisions('rerank', request, textsDecisions, context)
  const texts = request.documents.map((document, index) => {
    const text = typeof document === 'string' ? document : someText(document['text'])
    if (text === undefined) context.unsupported(`documents[${index}]`)
    return text ?? ''
  })
  return { query: request.query, texts, return_text: false }
}

function decodeRerank(
  received: Received,
  context: CodecContext,
  request: RerankRequest,
): Decoded<'rerank'> {
  const whole = received.json()
  const body = Array.isArray(whole) ? { results: whole } : bodyOf(received)
  const list = body['results'] ?? body['data']
  if (!Array.isArray(list))
    throw new GatewayError('upstream_garbled', 'The upstream answered without results')
  const results = listOf(list)
    .filter(isObject)
    .map((result) => resultOf(result, request))
    .toSorted((one, other) => other.relevance_score - one.relevance_score)
    .slice(0, request.top_n ?? list.length)
  const usage = usageOf(body)
  const tokens = usage?.inputTokens ?? 0
  const reply: RerankReply = {
    id: someText(body['id']) ?? context.newId('rerank-'),
    model: context.publicModel,
    results,
    meta: objectOf(body['meta']),
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  }
  return usage === undefined ? { reply } : { reply, usage: { ...usage, outputTokens: 0 } }
}

function usageOf(body: Fields) {
  const usage = readUsage(body['usage'])
  if (usage !== undefined) return usage
  const inputTokens = countOf(objectOf(objectOf(body['meta'])['tokens'])['input_tokens'])
  return inputTokens === undefined ? undefined : { inputTokens, outputTokens: 0 }
}

function resultOf(result: Fields, request: RerankRequest): RerankReply['results'][number] {
  const index = countOf(result['index'])
  const score = result['relevance_score'] ?? result['score']
  if (index === undefined || typeof score !== 'number')
    throw new GatewayError('upstream_garbled', 'The upstream answered with an unreadable result')
  const document = documentOf(result['document'], request.documents[index])
  const returned = request.return_documents !== false && document !== undefined
  return { index, relevance_score: score, ...(returned ? { document } : {}) }
}

/** The upstream's document where it sent one; else the caller's own (Together sends an empty object). */
function documentOf(sent: unknown, asked: RerankRequest['documents'][number] | undefined) {
  if (isObject(sent) && Object.keys(sent).length > 0) return sent
  if (typeof sent === 'string') return { text: sent }
  return typeof asked === 'string' ? { text: asked } : asked
}
