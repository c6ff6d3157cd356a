import {
  countOf,
  type EmbedReply,
  type EmbedRequest,
  type Fields,
  GatewayError,
  isObject,
  listOf,
  objectOf,
} from '@sluice/contract'
import { withoutFields } from '../../decisions.ts'
import { bodyOf } from '../../failure.ts'
import { type PurposeWords, purposeIn } from '../../embed-purpose.ts'
import {
  assertCount,
  inBatches,
  inputCount,
  vectorFromBase64,
  vectorToBase64,
} from '../../embedding-reply.ts'
import { withoutNull } from '../../neutral-values.ts'
import type { Codec, CodecContext, Decoded, Received } from '../../protocol.ts'
import { readUsage } from '../../usage.ts'

export interface EmbedOptions {
  /** Default `/embeddings`. */
  readonly path?: string
  /**
   * Request fields that the upstream does not support. Without `encoding_format` the vectors come as numbers and are encoded
   * here, so that field is never rejected.
   */
  readonly lacks?: readonly ('encoding_format' | 'dimensions' | 'user')[]
  /** Maps input types to the upstream's names, if it accepts `input_type`; OpenAI does not. */
  readonly purposes?: PurposeWords
  /** Maximum number of inputs per call, if it is less than this gateway accepts. */
  readonly inputsMax?: number
}

/** Embeddings (https://platform.openai.com/docs/api-reference/embeddings). */
export function openaiEmbed(options: EmbedOptions = {}): Codec<'embed'> {
  const { path = '/embeddings', inputsMax } = options
  return {
    ...(inputsMax !== undefined && { parts: (request) => inBatches(request, inputsMax) }),
    encode: (request, context) => ({
      method: 'POST',
      path,
      body: { kind: 'json', value: embedBody(request, context, options) },
    }),
    decode: decodeEmbed,
  }
}

function embedBody(request: EmbedRequest, context: CodecContext, options: EmbedOptions): unknown {
  const { input_type: inputType, encoding_format: encoding, ...rest } = request
  const { lacks = [], purposes } = options
  const body = { ...withoutNull(rest), model: context.model }
  const format =
    lacks.includes('encoding_format') || encoding == null ? {} : { encoding_format: encoding }
  const type =
    inputType == null ? {} : { input_type: purposes ? purposeIn(purposes, inputType) : inputType }
  const unknown = [...lacks, ...(purposes ? [] : ['input_type'])]
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
  assertCount(data.length, inputCount(request.input))
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

/**
 * Corrects a response that would be sent unchanged: vectors in another encoding than the requested one, which clients that
 * decode base64 cannot read (lmstudio-ai/lmstudio-bug-tracker#756), or missing usage.
 */
export function mendedEmbeddings(request: unknown): (body: Fields) => Fields | undefined {
  const { encoding_format: encoding, input } = objectOf(request)
  const isEncoded = encoding === 'base64'
  const inputs = inputCount(input)
  return (body) => {
    const { data, usage } = body
    if (!Array.isArray(data)) return undefined
    assertCount(data.length, inputs)
    const isRight = data.every((item) => isObject(item) && isOfForm(item['embedding'], isEncoded))
    if (isRight && isObject(usage)) return undefined
    return {
      ...body,
      data: data.filter(isObject).map((item) => ({
        ...item,
        embedding: vectorOf(item['embedding'], isEncoded),
      })),
      usage: isObject(usage) ? usage : { prompt_tokens: 0, total_tokens: 0 },
    }
  }
}

function isOfForm(vector: unknown, isEncoded: boolean): boolean {
  return isEncoded ? typeof vector === 'string' : Array.isArray(vector)
}

/** A vector in the requested encoding, whichever one the upstream used. */
function vectorOf(value: unknown, encoded: boolean): number[] | string {
  if (typeof value === 'string') return encoded ? value : vectorFromBase64(value)
  const vector = listOf(value).filter((number) => typeof number === 'number')
  if (vector.length === 0)
    throw new GatewayError('upstream_garbled', 'The upstream answered with an empty vector')
  return encoded ? vectorToBase64(vector) : vector
}
