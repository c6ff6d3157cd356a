import {
  countOf,
  type EmbedReply,
  type EmbedRequest,
  GatewayError,
  listOf,
  objectOf,
} from '@sluice/contract'
import { applyDecisions, type Decisions } from '../../decisions.ts'
import type { Codec, CodecContext, Decoded } from '../../protocol.ts'
import { inBatches } from '../../embedding-reply.ts'
import { usualEmbed } from '../../usual-decisions.ts'
import { taskTypeOf } from '../embed-task.ts'
import { readUsage } from '../usage.ts'
import { type AddressOf, geminiAddress } from './address.ts'
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
    return {
      method: 'POST',
      path: geminiAddress(context.model, 'batchEmbedContents', context.settings),
      body: { kind: 'json', value: { requests } },
    }
  },
  decode(received, context, request) {
    const body = bodyOf(received)
    const vectors = listOf(body['embeddings'] ?? [body['embedding']]).map((each) =>
      vectorOf(objectOf(each)['values']),
    )
    const usage = readUsage(body['usageMetadata'])
    return answer(vectors, { request, context, tokens: usage?.inputTokens })
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
      return {
        method: 'POST',
        path: address(context.model, 'predict', context.settings),
        body: { kind: 'json', value: { instances, ...parameters } },
      }
    },
    decode(received, context, request) {
      const embeddings = listOf(bodyOf(received)['predictions']).map((prediction) =>
        objectOf(objectOf(prediction)['embeddings']),
      )
      const counts = embeddings.map((each) => countOf(objectOf(each['statistics'])['token_count']))
      const tokens = counts.some((count) => count === undefined)
        ? undefined
        : counts.reduce<number>((sum, count) => sum + (count ?? 0), 0)
      const vectors = embeddings.map((each) => vectorOf(each['values']))
      return answer(vectors, { request, context, tokens })
    },
  }
}

/**
 * There, Gemini's own models accept one text per call; the models before them accept 250 (text embeddings API, request body).
 */
function instancesMax(model: string): number {
  return model.includes('gemini-embedding') ? 1 : 250
}

const decisions: Decisions<'embed'> = {
  ...usualEmbed,
  dimensions: 'sent',
  input_type: 'sent',
}

interface Settings {
  readonly task: string | undefined
  readonly dimensions: number | undefined
}

function settingsOf(request: EmbedRequest, context: CodecContext): Settings {
  applyDecisions('embed', request, decisions, context)
  const { input_type: inputType, dimensions } = request
  const task = inputType == null ? undefined : taskTypeOf(inputType)
  if (inputType != null && task === undefined) context.unsupported('input_type')
  return { task, dimensions: dimensions ?? undefined }
}

/** Only texts: token ids belong to another tokenizer than Gemini's. */
function textsOf({ input }: EmbedRequest): readonly string[] {
  const list: readonly unknown[] = typeof input === 'string' ? [input] : input
  const texts = list.filter((item) => typeof item === 'string')
  if (texts.length === list.length) return texts
  throw new GatewayError('unsupported_value', 'The model takes texts, not token ids', {
    param: 'input',
  })
}

function vectorOf(values: unknown): readonly number[] {
  const numbers = listOf(values).filter((value) => typeof value === 'number')
  if (numbers.length === 0)
    throw new GatewayError('upstream_garbled', 'The upstream sent an embedding without values')
  return numbers
}

interface EmbedContext {
  readonly request: EmbedRequest
  readonly context: CodecContext
  /** Undefined if the upstream did not count them. */
  readonly tokens: number | undefined
}

function answer(
  vectors: readonly (readonly number[])[],
  { request, context, tokens }: EmbedContext,
): Decoded<'embed'> {
  const expected = textsOf(request).length
  if (vectors.length !== expected)
    throw new GatewayError(
      'upstream_garbled',
      `The upstream sent ${vectors.length} embeddings for ${expected} texts`,
    )
  const isBase64 = request.encoding_format === 'base64'
  const reply: EmbedReply = {
    object: 'list',
    data: vectors.map((vector, index) => ({
      object: 'embedding',
      index,
      embedding: isBase64 ? base64Of(vector) : [...vector],
    })),
    model: context.publicModel,
    usage: { prompt_tokens: tokens ?? 0, total_tokens: tokens ?? 0 },
  }
  return {
    reply,
    ...(tokens === undefined ? {} : { usage: { inputTokens: tokens, outputTokens: 0 } }),
  }
}

/** Little-endian float32, independent of this machine's byte order. */
function base64Of(vector: readonly number[]): string {
  const bytes = Buffer.alloc(vector.length * 4)
  for (const [index, value] of vector.entries()) bytes.writeFloatLE(value, index * 4)
  return bytes.toString('base64')
}
