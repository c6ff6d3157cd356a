import {
  countOf,
  type EmbedRequest,
  GatewayError,
  isObject,
  listOf,
  objectOf,
  someText,
} from '@sluice/contract'
import { applyDecisions, type Decisions } from '../decisions.ts'
import { embeddingReply, inBatches, inputTexts } from '../embedding-reply.ts'
import type { Codec, CodecContext } from '../protocol.ts'
import { coherePurposes, knownPurposeIn, type PurposeWords, purposeIn } from '../embed-purpose.ts'
import { usualEmbed } from '../usual-decisions.ts'

const decisions: Decisions<'embed'> = {
  ...usualEmbed,
  dimensions: 'sent',
  input_type: 'sent',
}

/**
 * InvokeModel with the body of the embedding model's vendor: Titan and Nova take one text per call, Cohere many. Token usage
 * is in the response (Titan) or in `x-amzn-bedrock-input-token-count`.
 */
export const embed: Codec<'embed'> = {
  parts(request, { model }) {
    return inBatches(request, isSingle(model) ? 1 : cohereTextsMax)
  },
  encode(request, context) {
    applyDecisions('embed', request, decisions, context)
    const value = bodyOf(request, context)
    return {
      method: 'POST',
      path: `/model/${encodeURIComponent(context.model)}/invoke`,
      body: { kind: 'json', value },
    }
  },
  decode(received, context, request) {
    const body = objectOf(received.json())
    const found = body['embedding'] === undefined ? floats(body['embeddings']) : [body['embedding']]
    const vectors = found.map((vector) =>
      // Nova wraps each vector in an object with its type.
      listOf(isObject(vector) ? vector['embedding'] : vector).filter(
        (value) => typeof value === 'number',
      ),
    )
    if (vectors.length === 0 || vectors.some((vector) => vector.length === 0))
      throw new GatewayError('upstream_garbled', 'Bedrock answered without embeddings')
    const header = someText(received.headers['x-amzn-bedrock-input-token-count'])
    const tokens = countOf(body['inputTextTokenCount']) ?? countOf(Number(header ?? NaN))
    const usage = tokens === undefined ? undefined : { inputTokens: tokens, outputTokens: 0 }
    return embeddingReply(vectors, usage, request, context)
  },
}

/** Maximum number of texts per call for Cohere's models. */
const cohereTextsMax = 96

/** Titan and Nova take one text per call. */
function isSingle(model: string): boolean {
  return !model.includes('cohere.')
}

function bodyOf(request: EmbedRequest, context: CodecContext): object {
  const { model } = context
  if (!isSingle(model)) return cohereBody(request, context)
  return /\bnova\b/.test(model) ? novaBody(request, context) : titanBody(request, context)
}

/** A list of vectors, or `{float: […]}` if types were requested. */
function floats(embeddings: unknown): readonly unknown[] {
  return Array.isArray(embeddings) ? embeddings : listOf(objectOf(embeddings)['float'])
}

function textsOf(request: EmbedRequest, context: CodecContext): readonly string[] {
  const texts = inputTexts(request)
  if (texts === undefined) context.unsupported('input', 'Bedrock takes texts, not token ids')
  return texts ?? []
}

function titanBody(request: EmbedRequest, context: CodecContext): object {
  const [text] = textsOf(request, context)
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
function novaBody(request: EmbedRequest, context: CodecContext): object {
  const [value] = textsOf(request, context)
  const { input_type: type, dimensions } = request
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

function cohereBody(request: EmbedRequest, context: CodecContext): object {
  const newest = context.model.includes('embed-v4')
  if (request.dimensions != null && !newest) context.unsupported('dimensions')
  return {
    texts: textsOf(request, context),
    input_type: purposeIn(coherePurposes, request.input_type ?? 'document'),
    embedding_types: ['float'],
    ...(request.dimensions != null && newest ? { output_dimension: request.dimensions } : {}),
  }
}
