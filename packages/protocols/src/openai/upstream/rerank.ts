import {
  countOf,
  type Fields,
  GatewayError,
  objectOf,
  type RerankRequest,
  someText,
} from '@sluice/contract'
import { applyDecisions, type Decisions } from '../../decisions.ts'
import { bodyOf } from '../../failure.ts'
import { withoutNull } from '../../neutral-values.ts'
import type { Codec, CodecContext, Decoded, Received } from '../../protocol.ts'
import { documentTexts, rerankReply } from '../../rerank-reply.ts'
import { readUsage } from '../../usage.ts'
import { type PathOf, usualPath } from './options.ts'

export interface RerankOptions {
  readonly path?: PathOf
  /**
   * How it takes documents. `texts` (default): as strings. `objects`: as objects too, of which it reads the `rank_fields` itself.
   * `tei`: as Text Embeddings Inference, which calls them `texts` and answers with a bare list.
   */
  readonly form?: 'texts' | 'objects' | 'tei'
}

/**
 * Rerank of OpenAI-compatible servers, which OpenAI does not offer: vLLM, Together, LocalAI and Infinity use Cohere's form,
 * Text Embeddings Inference its own.
 */
export function compatibleRerank(options: RerankOptions = {}): Codec<'rerank'> {
  const { path = usualPath, form = 'texts' } = options
  return {
    encode: (request, context) => ({
      method: 'POST',
      path: path('/rerank', context),
      body: { kind: 'json', value: bodies[form](request, context) },
    }),
    decode: decodeRerank,
  }
}

const bodies: Readonly<
  Record<
    NonNullable<RerankOptions['form']>,
    (request: RerankRequest, context: CodecContext) => unknown
  >
> = {
  objects: (request, { model }) => ({ ...withoutNull(request), model }),
  texts(request, { model }) {
    const { rank_fields: _, ...rest } = request
    return { ...withoutNull(rest), documents: documentTexts(request), model }
  },
  tei(request, context) {
    applyDecisions('rerank', request, teiDecisions, context)
    return { query: request.query, texts: documentTexts(request), return_text: false }
  },
}

const teiDecisions: Decisions<'rerank'> = {
  model: 'gateway',
  query: 'sent',
  documents: 'sent',
  top_n: 'gateway',
  return_documents: 'gateway',
  rank_fields: 'sent',
  max_chunks_per_doc: 'refused',
  max_tokens_per_doc: 'refused',
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
  const answer = {
    id: someText(body['id']),
    results: list,
    meta: objectOf(body['meta']),
    usage: usageOf(body),
  }
  const decoded = rerankReply(answer, request, context)
  const results = decoded.reply.results
    .toSorted((one, other) => other.relevance_score - one.relevance_score)
    .slice(0, request.top_n ?? list.length)
  return { ...decoded, reply: { ...decoded.reply, results } }
}

function usageOf(body: Fields) {
  const usage = readUsage(body['usage'])
  if (usage !== undefined) return { ...usage, outputTokens: 0 }
  const inputTokens = countOf(objectOf(objectOf(body['meta'])['tokens'])['input_tokens'])
  return inputTokens === undefined ? undefined : { inputTokens, outputTokens: 0 }
}
