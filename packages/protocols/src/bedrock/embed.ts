import {
  countOf,
  type EmbedRequest,
  GatewayError,
  isObject,
  listOf,
  objectOf,
  someText,
} from '@sluice/contract'
import { embedCodec, vectorOf } from '../embed-codec.ts'
import { coherePurposes, knownPurposeIn, purposeIn, type PurposeWords } from '../embed-purpose.ts'
import type { CodecContext } from '../protocol.ts'

/**
 * InvokeModel with the body of the embedding model's vendor: Titan and Nova take one text per call, Cohere many. Token usage
 * is in the response (Titan) or in `x-amzn-bedrock-input-token-count`.
 */
export const embed = embedCodec({
  taker: 'Bedrock',
  textsMax: (model) => (isSingle(model) ? 1 : cohereTextsMax),
  request: (texts, request, context) => ({
    path: `/model/${encodeURIComponent(context.model)}/invoke`,
    value: bodyOf(texts, request, context),
  }),
  answer(received) {
    const body = objectOf(received.json())
    const found = body['embedding'] === undefined ? floats(body['embeddings']) : [body['embedding']]
    // Nova wraps each vector in an object with its type.
    const vectors = found.map((one) => vectorOf(isObject(one) ? one['embedding'] : one))
    if (vectors.length === 0 || vectors.some((vector) => vector.length === 0))
      throw new GatewayError('upstream_garbled', 'Bedrock answered without embeddings')
    const header = someText(received.headers['x-amzn-bedrock-input-token-count'])
    const tokens = countOf(body['inputTextTokenCount']) ?? countOf(Number(header ?? NaN))
    const usage = tokens === undefined ? undefined : { inputTokens: tokens, outputTokens: 0 }
    return { vectors, usage }
  },
})

/** Maximum number of texts per call for Cohere's models. */
const cohereTextsMax = 96

/** Titan and Nova take one text per call. */
function isSingle(model: string): boolean {
  return !model.includes('cohere.')
}

function bodyOf(texts: readonly string[], request: EmbedRequest, context: CodecContext): object {
  if (!isSingle(context.family)) return cohereBody(texts, request, context)
  const body = /\bnova\b/.test(context.family) ? novaBody : titanBody
  return body(texts[0], request, context)
}

/** A list of vectors, or `{float: […]}` if types were requested. */
function floats(embeddings: unknown): readonly unknown[] {
  return Array.isArray(embeddings) ? embeddings : listOf(objectOf(embeddings)['float'])
}

function titanBody(text: string | undefined, request: EmbedRequest, context: CodecContext): object {
  const { dimensions } = request
  if (request.input_type != null) context.unsupported('input_type')
  return { inputText: text, ...(dimensions == null ? {} : titanSize(dimensions, context)) }
}

/**
 * Only the second generation of Titan's text models supports other dimensions; the image model uses a different field (Bedrock
 * user guide, Titan embeddings).
 */
function titanSize(dimensions: number, { model, unsupported }: CodecContext): object {
  if (/titan-embed-image/.test(model))
    return { embeddingConfig: { outputEmbeddingLength: dimensions } }
  if (!/titan-embed-(text-v1|g1)/.test(model)) return { dimensions }
  if (dimensions !== titanFirstSize)
    unsupported('dimensions', `This model gives vectors of ${titanFirstSize} numbers alone`)
  return {}
}

const titanFirstSize = 1536

const novaPurposes: PurposeWords = {
  query: 'TEXT_RETRIEVAL',
  document: 'GENERIC_INDEX',
  classification: 'CLASSIFICATION',
  clustering: 'CLUSTERING',
}

/** Amazon Nova multimodal embeddings (Amazon Nova user guide, embeddings request and response schema). */
function novaBody(
  value: string | undefined,
  { input_type: type, dimensions }: EmbedRequest,
  context: CodecContext,
): object {
  const purpose = type == null ? 'GENERIC_INDEX' : knownPurposeIn(novaPurposes, type)
  if (purpose === undefined) context.unsupported('input_type')
  return {
    taskType: 'SINGLE_EMBEDDING',
    singleEmbeddingParams: {
      embeddingPurpose: purpose ?? 'GENERIC_INDEX',
      ...(dimensions == null ? {} : { embeddingDimension: dimensions }),
      text: { truncationMode: 'NONE', value },
    },
  }
}

function cohereBody(
  texts: readonly string[],
  request: EmbedRequest,
  context: CodecContext,
): object {
  const newest = context.family.includes('embed-v4')
  if (request.dimensions != null && !newest) context.unsupported('dimensions')
  return {
    texts,
    input_type: purposeIn(coherePurposes, request.input_type ?? 'document'),
    embedding_types: ['float'],
    ...(request.dimensions != null && newest ? { output_dimension: request.dimensions } : {}),
  }
}
