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
import type { Codec, CodecContext, Decoded, Received, UpstreamRequest } from '../../protocol.ts'
import { documentTexts, rerankReply } from '../../rerank.ts'
import { readInputUsage } from '../../usage.ts'

export interface RerankOptions {
  /** How it takes documents. Default `texts`. */
  readonly form?: keyof typeof forms
}

/**
 * Rerank of OpenAI-compatible servers, which OpenAI does not offer. vLLM, Together, LocalAI and Infinity use Cohere's form,
 * the others forms of their own.
 */
export function compatibleRerank({ form = 'texts' }: RerankOptions = {}): Codec<'rerank'> {
  return {
    encode(request, context) {
      if (form !== 'texts' && form !== 'objects')
        applyDecisions('rerank', request, ownDecisions, context)
      const { value, ...address } = forms[form](request, context)
      return { method: 'POST', path: '/rerank', ...address, body: { kind: 'json', value } }
    },
    decode: decodeRerank,
  }
}

type Form = (
  request: RerankRequest,
  context: CodecContext,
) => Partial<Pick<UpstreamRequest, 'path' | 'origin'>> & { readonly value: unknown }

const forms = {
  /** With documents as strings. */
  texts(request, { model }) {
    const { rank_fields: _, ...rest } = request
    return { value: { ...withoutNull(rest), documents: documentTexts(request), model } }
  },
  /** With documents as objects too, of which the upstream reads the `rank_fields` itself. */
  objects: (request, { model }) => ({ value: { ...withoutNull(request), model } }),
  /** Text Embeddings Inference calls documents `texts` and answers with a bare list. */
  tei: (request) => ({ value: { ...queryAndTexts(request), return_text: false } }),
  /**
   * Hugging Face's router, whose own models have an address each, beside the one of chat completions
   * (https://github.com/huggingface/huggingface.js/pull/2496).
   */
  router: (request, context) => ({
    path: `/../hf-inference/models/${modelPath(context)}/pipeline/text-ranking`,
    value: { inputs: queryAndTexts(request) },
  }),
  /**
   * NVIDIA's (https://docs.nvidia.com/nim/nemo-retriever/text-reranking/latest/using-reranking.html). A container has one
   * address; NVIDIA's own has one for each model, without dots, and the first model's has no name.
   */
  nim(request, context) {
    const { model, isOtherBase } = context
    const place = model.includes('rerank-qa-mistral-4b')
      ? 'nvidia'
      : modelPath(context).replaceAll('.', '_')
    return {
      ...(isOtherBase === true
        ? { path: '/ranking' }
        : { origin: 'https://ai.api.nvidia.com', path: `/v1/retrieval/${place}/reranking` }),
      value: {
        model,
        query: { text: request.query },
        passages: documentTexts(request).map((text) => ({ text })),
      },
    }
  },
  /** DeepInfra's (https://deepinfra.com/Qwen/Qwen3-Reranker-8B/api): one score for each document, in their order. */
  scores: (request, context) => ({
    path: `/../inference/${modelPath(context)}`,
    value: { queries: [request.query], documents: documentTexts(request) },
  }),
} as const satisfies Readonly<Record<string, Form>>

function queryAndTexts(request: RerankRequest) {
  return { query: request.query, texts: documentTexts(request) }
}

/** The model's name in a path, which it cannot leave. */
function modelPath({ model }: CodecContext): string {
  return model
    .split('/')
    .map((part) => encodeURIComponent(part).replace(/^\.+$/, '_'))
    .join('/')
}

/** Of the forms that are neither Cohere's nor like it. */
const ownDecisions: Decisions<'rerank'> = {
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
  const list = body['results'] ?? body['data'] ?? body['rankings'] ?? scored(body, request)
  if (!Array.isArray(list))
    throw new GatewayError('upstream_garbled', 'The upstream answered without results')
  const answer = {
    id: someText(body['id'] ?? body['request_id']),
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

function scored({ scores }: Fields, { documents }: RerankRequest): unknown {
  if (!Array.isArray(scores) || scores.length !== documents.length) return undefined
  return scores.map((score: unknown, index) => ({ index, score }))
}

function usageOf(body: Fields) {
  const usage = readInputUsage(body['usage'])
  if (usage !== undefined) return usage
  const { tokens = body } = objectOf(body['meta'])
  const inputTokens = countOf(objectOf(tokens)['input_tokens'])
  return inputTokens === undefined ? undefined : { inputTokens, outputTokens: 0 }
}
