import {
  countOf,
  type EmbedReply,
  type EmbedRequest,
  GatewayError,
  isObject,
  listOf,
} from '@sluice/contract'
import { withoutFields } from '../../decisions.ts'
import { bodyOf } from '../../failure.ts'
import type { Codec, CodecContext, Decoded, Received } from '../../protocol.ts'
import { readUsage } from '../../usage.ts'
import { vectorFromBase64, vectorToBase64 } from '../../vectors.ts'
import { type PathOf, usualPath } from './options.ts'

export interface EmbedOptions {
  readonly path?: PathOf
  /**
   * Request fields that the upstream does not have. Without `encoding_format` the vectors come as numbers and are
   * encoded here, so that one is never refused.
   */
  readonly lacks?: readonly ('encoding_format' | 'dimensions' | 'user')[]
  /** True where the upstream takes `input_type`; OpenAI does not. */
  readonly inputType?: boolean
}

/** Embeddings (https://platform.openai.com/docs/api-reference/embeddings). */
export function openaiEmbed(options: EmbedOptions = {}): Codec<'embed'> {
  const path = options.path ?? usualPath
  return {
    encode: (request, context) => ({
      method: 'POST',
      path: path('/embeddings', context),
      body: { kind: 'json', value: embedBody(request, context, options) },
    }),
    decode: decodeEmbed,
  }
}

function embedBody(request: EmbedRequest, context: CodecContext, options: EmbedOptions): unknown {
  const { input_type: inputType, ...rest } = request
  const { lacks = [], inputType: knowsType = false } = options
  const { encoding_format: encoding, ...body } = { ...rest, model: context.model }
  const format =
    lacks.includes('encoding_format') || encoding == null ? {} : { encoding_format: encoding }
  const type = inputType == null ? {} : { input_type: inputType }
  const unknown = [...lacks, ...(knowsType ? [] : ['input_type'])]
  return { ...withoutFields({ ...body, ...type }, unknown, context), ...format }
}

function decodeEmbed(
  received: Received,
  context: CodecContext,
  request: EmbedRequest,
): Decoded<'embed'> {
  const body = bodyOf(received)
  const encoded = request.encoding_format === 'base64'
  const data = listOf(body['data'])
    .filter(isObject)
    .map((item, position) => ({
      object: 'embedding' as const,
      index: countOf(item['index']) ?? position,
      embedding: vectorOf(item['embedding'], encoded),
    }))
    .toSorted((one, other) => one.index - other.index)
  if (data.length === 0)
    throw new GatewayError('upstream_garbled', 'The upstream answered without a vector')
  const usage = readUsage(body['usage'])
  const tokens = usage?.inputTokens ?? 0
  const reply: EmbedReply = {
    object: 'list',
    data,
    model: context.publicModel,
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  }
  return usage === undefined ? { reply } : { reply, usage: { ...usage, outputTokens: 0 } }
}

/** A vector in the form that was asked for, whichever the upstream chose. */
function vectorOf(value: unknown, encoded: boolean): number[] | string {
  if (typeof value === 'string') return encoded ? value : vectorFromBase64(value)
  const vector = listOf(value).filter((number) => typeof number === 'number')
  if (vector.length === 0)
    throw new GatewayError('upstream_garbled', 'The upstream answered with an empty vector')
  return encoded ? vectorToBase64(vector) : vector
}
