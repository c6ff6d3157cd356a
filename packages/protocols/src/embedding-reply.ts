import { type EmbedReply, type EmbedRequest, GatewayError, type Usage } from '@sluice/contract'
import type { CodecContext, Decoded } from './protocol.ts'

/** The reply for an upstream that returns only numbers, in the encoding that the caller asked for. */
export function embeddingReply(
  vectors: readonly (readonly number[])[],
  usage: Usage | undefined,
  request: EmbedRequest,
  { publicModel }: Pick<CodecContext, 'publicModel'>,
): Decoded<'embed'> {
  assertCount(vectors.length, inputCount(request.input))
  const tokens = usage?.inputTokens ?? 0
  const reply: EmbedReply = {
    object: 'list',
    data: vectors.map((vector, index) => ({
      object: 'embedding',
      index,
      embedding: request.encoding_format === 'base64' ? vectorToBase64(vector) : [...vector],
    })),
    model: publicModel,
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  }
  return { reply, ...(usage === undefined ? {} : { usage }) }
}

/** The number of vectors that a request asks for. */
export function inputCount(input: unknown): number {
  return Array.isArray(input) && typeof input[0] !== 'number' ? input.length : 1
}

/** Throws if there is not one vector for each input: after a gap, vectors would be assigned to the wrong inputs. */
export function assertCount(vectors: number, inputs: number): void {
  if (vectors === inputs) return
  throw new GatewayError(
    'upstream_garbled',
    `The upstream sent ${vectors} vectors for ${inputs} inputs`,
  )
}

/** Splits a request for an upstream that accepts only a limited number of inputs per call. */
export function inBatches(request: EmbedRequest, inputsMax: number): readonly EmbedRequest[] {
  const { input } = request
  if (inputCount(input) <= inputsMax || typeof input === 'string') return [request]
  const starts = Array.from(
    { length: Math.ceil(input.length / inputsMax) },
    (_, i) => i * inputsMax,
  )
  // A part of a list has the same kind as the list.
  const partFrom = (start: number) => input.slice(start, start + inputsMax) as EmbedRequest['input']
  return starts.map((start) => ({ ...request, input: partFrom(start) }))
}

/** The texts of a request; undefined if it contains token ids, which only the model's own tokenizer can decode. */
export function inputTexts({ input }: EmbedRequest): readonly string[] | undefined {
  if (typeof input === 'string') return [input]
  return input.every((item) => typeof item === 'string') ? input : undefined
}

/** A vector in OpenAI's `encoding_format: base64`: little-endian float32 (OpenAI API, embeddings). */
export function vectorToBase64(vector: readonly number[]): string {
  const bytes = Buffer.alloc(vector.length * 4)
  for (const [index, value] of vector.entries()) bytes.writeFloatLE(value, index * 4)
  return bytes.toString('base64')
}

export function vectorFromBase64(text: string): number[] {
  const bytes = Buffer.from(text, 'base64')
  const vector: number[] = []
  for (let at = 0; at + 4 <= bytes.length; at += 4) vector.push(bytes.readFloatLE(at))
  return vector
}
