import { countOf, type EmbedRequest, GatewayError, listOf, objectOf } from '@sluice/contract'
import { applyDecisions } from '../../decisions.ts'
import { shapedEmbed, vectorOf } from '../../embed-codec.ts'
import type { Codec, CodecContext, Decoded } from '../../protocol.ts'
import { embeddingReply, inBatches, inputTexts } from '../../embedding-reply.ts'
import { taskTypeOf } from '../embed-task.ts'
import { readUsage } from '../usage.ts'
import { type AddressOf, callModel, geminiAddress } from './address.ts'
import { bodyOf } from './failure.ts'

/** Maximum size of a batch ("at most 100 requests can be in one batch"). */
const batchMax = 100

/** batchEmbedContents (https://ai.google.dev/api/embeddings). A single text is sent as a batch of one. */
export const geminiEmbed: Codec<'embed'> = {
  parts: (request) => inBatches(request, batchMax),
  encode(request, context) {
    const settings = settingsOf(request, context)
    const requests = textsOf(request).map((text) => ({
      model: `models/${context.model.replace(/^models\//, '')}`,
      content: { parts: [{ text }] },
      ...(settings.task === undefined ? {} : { taskType: settings.task }),
      ...(settings.dimensions === undefined ? {} : { outputDimensionality: settings.dimensions }),
    }))
    return callModel(geminiAddress, 'batchEmbedContents', { requests }, context)
  },
  decode(received, context, request) {
    const body = bodyOf(received)
    const vectors = listOf(body['embeddings'] ?? [body['embedding']]).map((each) =>
      valuesOf(objectOf(each)['values']),
    )
    const usage = readUsage(body['usageMetadata'])
    return answer(vectors, usage?.inputTokens, request, context)
  },
}

/** Text embeddings on Vertex AI (https://cloud.google.com/vertex-ai/docs, text embeddings API): `:predict`. */
export function vertexEmbed(address: AddressOf): Codec<'embed'> {
  return {
    parts: (request, { model }) => inBatches(request, instancesMax(model)),
    encode(request, context) {
      const { task, dimensions } = settingsOf(request, context)
      const instances = textsOf(request).map((content) => ({
        content,
        ...(task === undefined ? {} : { task_type: task }),
      }))
      const parameters =
        dimensions === undefined ? {} : { parameters: { outputDimensionality: dimensions } }
      return callModel(address, 'predict', { instances, ...parameters }, context)
    },
    decode(received, context, request) {
      const embeddings = listOf(bodyOf(received)['predictions']).map((prediction) =>
        objectOf(objectOf(prediction)['embeddings']),
      )
      const counts = embeddings.map((each) => countOf(objectOf(each['statistics'])['token_count']))
      const known = counts.filter((count) => count !== undefined)
      const tokens =
        known.length < counts.length ? undefined : known.reduce((sum, count) => sum + count, 0)
      const vectors = embeddings.map((each) => valuesOf(each['values']))
      return answer(vectors, tokens, request, context)
    },
  }
}

/**
 * There, Gemini's own models accept one text per call; the models before them accept 250 (text embeddings API, request body).
 */
function instancesMax(model: string): number {
  return model.includes('gemini-embedding') ? 1 : 250
}

function settingsOf(request: EmbedRequest, context: CodecContext) {
  applyDecisions('embed', request, shapedEmbed, context)
  const { input_type: inputType, dimensions } = request
  const task = inputType == null ? undefined : taskTypeOf(inputType)
  if (inputType != null && task === undefined) context.unsupported('input_type')
  return { task, dimensions: dimensions ?? undefined }
}

/** Only texts: token ids belong to another tokenizer than Gemini's. */
function textsOf(request: EmbedRequest): readonly string[] {
  const texts = inputTexts(request)
  if (texts !== undefined) return texts
  throw new GatewayError('unsupported_value', 'The model takes texts, not token ids', {
    param: 'input',
  })
}

function valuesOf(values: unknown): readonly number[] {
  const numbers = vectorOf(values)
  if (numbers.length === 0)
    throw new GatewayError('upstream_garbled', 'The upstream sent an embedding without values')
  return numbers
}

/** `tokens` is undefined if the upstream did not count them. */
function answer(
  vectors: readonly (readonly number[])[],
  tokens: number | undefined,
  request: EmbedRequest,
  context: CodecContext,
): Decoded<'embed'> {
  const expected = textsOf(request).length
  if (vectors.length !== expected)
    throw new GatewayError(
      'upstream_garbled',
      `The upstream sent ${vectors.length} embeddings for ${expected} texts`,
    )
  const usage = tokens === undefined ? undefined : { inputTokens: tokens, outputTokens: 0 }
  return embeddingReply(vectors, usage, request, context)
}
