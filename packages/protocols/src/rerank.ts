import {
  countOf,
  GatewayError,
  isObject,
  objectOf,
  type RerankReply,
  type RerankRequest,
  type Usage,
} from '@sluice/contract'
import { applyDecisions, type Decisions } from './decisions.ts'
import type { Codec, CodecContext, Decoded, Received, UpstreamRequest } from './protocol.ts'

/** What distinguishes the rankings of one upstream from those of others. */
interface Ranking {
  readonly decisions: Decisions<'rerank'>
  /** The request, without its method, and with its JSON as `value`. */
  request(
    request: RerankRequest,
    context: CodecContext,
  ): Omit<UpstreamRequest, 'method' | 'body'> & { readonly value: object }
  /** Reads a response. `results` is not a list if it has none. */
  answer(
    received: Received,
    request: RerankRequest,
  ): Omit<RerankAnswer, 'results'> & { readonly results: unknown }
}

/** Rerank at an upstream with one address for it. */
export function rerankCodec({ decisions, ...ranking }: Ranking): Codec<'rerank'> {
  return {
    encode(request, context) {
      applyDecisions('rerank', request, decisions, context)
      const { value, ...address } = ranking.request(request, context)
      return { method: 'POST', ...address, body: { kind: 'json', value } }
    },
    decode(received, context, request) {
      const { results, ...answer } = ranking.answer(received, request)
      if (!Array.isArray(results))
        throw new GatewayError('upstream_garbled', 'The upstream answered without results')
      return rerankReply({ ...answer, results }, request, context)
    },
  }
}

/** The number of results, under the name that an upstream has for it. */
export function topOf({ top_n: top }: RerankRequest, name: string): object {
  return top == null ? {} : { [name]: top }
}

interface RerankAnswer {
  readonly id?: string | undefined
  /** Each with `index` and its score under `relevance_score`, `relevanceScore`, `score` or `logit`. */
  readonly results: readonly unknown[]
  readonly meta?: Readonly<Record<string, unknown>>
  readonly usage?: Usage | undefined
}

/** The canonical response. Documents are taken from the request, unless the caller declined them. */
export function rerankReply(
  answer: RerankAnswer,
  request: RerankRequest,
  context: Pick<CodecContext, 'newId' | 'publicModel'>,
): Decoded<'rerank'> {
  const tokens = answer.usage?.inputTokens ?? 0
  const reply: RerankReply = {
    id: answer.id ?? context.newId('rerank-'),
    model: context.publicModel,
    results: answer.results.map((result) => readResult(result, request)),
    meta: answer.meta ?? {},
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  }
  return { reply, ...(answer.usage === undefined ? {} : { usage: answer.usage }) }
}

function readResult(result: unknown, request: RerankRequest): RerankReply['results'][number] {
  const fields = objectOf(result)
  const index = countOf(fields['index'])
  const score =
    fields['relevance_score'] ?? fields['relevanceScore'] ?? fields['score'] ?? fields['logit']
  const document = index === undefined ? undefined : request.documents[index]
  if (index === undefined || typeof score !== 'number' || document === undefined)
    throw new GatewayError('upstream_garbled', 'The upstream ranked a document that was not sent')
  const shown = isObject(document) ? document : { text: document }
  return {
    index,
    relevance_score: score,
    ...(request.return_documents === false ? {} : { document: shown }),
  }
}

/**
 * The documents as texts. Of an object, its `rank_fields` are used, otherwise its `text`, otherwise the object as JSON (Cohere
 * API, rerank).
 */
export function documentTexts({
  documents,
  rank_fields: fields,
}: RerankRequest): readonly string[] {
  return documents.map((document) => {
    if (typeof document === 'string') return document
    if (fields != null)
      return fields
        .flatMap((field) => (document[field] === undefined ? [] : [plain(document[field])]))
        .join('\n')
    return typeof document['text'] === 'string' ? document['text'] : JSON.stringify(document)
  })
}

function plain(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
