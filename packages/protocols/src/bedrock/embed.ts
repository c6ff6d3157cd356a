import {
  countOf,
  type EmbedRequest,
  GatewayError,
  listOf,
  objectOf,
  someText,
} from '@sluice/contract'
import { applyDecisions, type Decisions } from '../decisions.ts'
import { embeddingReply, inputTexts } from '../embedding-reply.ts'
import type { Codec, CodecContext } from '../protocol.ts'
import { usualEmbed } from '../usual-decisions.ts'

const decisions: Decisions<'embed'> = {
  ...usualEmbed,
  dimensions: 'sent',
  input_type: 'sent',
}

/**
 * InvokeModel with the body of the embedding model's maker: Titan takes one text a call, Cohere many. What was read is
 * in the answer (Titan) or in `x-amzn-bedrock-input-token-count`.
 */
export const embed: Codec<'embed'> = {
  encode(request, context) {
    applyDecisions('embed', request, decisions, context)
    const value = context.model.includes('cohere.')
      ? cohereBody(request, context)
      : titanBody(request, context)
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
      listOf(vector).filter((value) => typeof value === 'number'),
    )
    if (vectors.length === 0)
      throw new GatewayError('upstream_garbled', 'Bedrock answered without embeddings')
    const header = someText(received.headers['x-amzn-bedrock-input-token-count'])
    const tokens = countOf(body['inputTextTokenCount']) ?? countOf(Number(header ?? NaN))
    const usage = tokens === undefined ? undefined : { inputTokens: tokens, outputTokens: 0 }
    return embeddingReply(vectors, usage, request, context)
  },
}

/** A list of vectors, or `{float: […]}` where types were asked for. */
function floats(embeddings: unknown): readonly unknown[] {
  return Array.isArray(embeddings) ? embeddings : listOf(objectOf(embeddings)['float'])
}

function textsOf(request: EmbedRequest, context: CodecContext): readonly string[] {
  const texts = inputTexts(request)
  if (texts === undefined) context.unsupported('input', 'Bedrock takes texts, not token ids')
  return texts ?? []
}

function titanBody(request: EmbedRequest, context: CodecContext): object {
  const [text, ...more] = textsOf(request, context)
  if (more.length > 0) context.unsupported('input', 'Titan takes one text a call')
  if (request.input_type != null) context.unsupported('input_type')
  return {
    inputText: text,
    ...(request.dimensions == null ? {} : { dimensions: request.dimensions }),
  }
}

function cohereBody(request: EmbedRequest, context: CodecContext): object {
  const newest = context.model.includes('embed-v4')
  if (request.dimensions != null && !newest) context.unsupported('dimensions')
  return {
    texts: textsOf(request, context),
    input_type: request.input_type ?? 'search_document',
    embedding_types: ['float'],
    ...(request.dimensions != null && newest ? { output_dimension: request.dimensions } : {}),
  }
}
