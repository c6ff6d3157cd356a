import { invalidRequest } from '@sluice/contract'
import { createPause } from '../chat/pause.ts'
import type { Operation } from '../engine.ts'
import { countWithin, readTexts, type SentText } from '../tokens.ts'
import { type Features, weighFeatures } from './features.ts'
import { hashOf } from './words.ts'

/** Limits of one input and of one request, in tokens (OpenAI API, CreateEmbeddingRequest). */
const embedTokensMax = 8192
const requestTokensMax = 300_000

/**
 * Embeddings by hashed word and letter sequences, so that texts with similar words, spellings and everyday meanings have
 * similar vectors. `dimensions` is 1 to 3,072, by default 1,536. A shorter vector is the beginning of the longer one,
 * normalized again.
 */
export const embed: Operation<'embed'> = async (request, context) => {
  const dimensions = request.dimensions ?? dimensionsDefault
  if (dimensions > dimensionsMax)
    throw invalidRequest(`dimensions must be at most ${dimensionsMax}`, 'dimensions')
  const texts = await readTexts(request.input, 'input')
  const pause = createPause(context.signal)
  const data: { object: 'embedding'; index: number; embedding: number[] | string }[] = []
  let tokens = 0
  for (const [index, input] of texts.entries()) {
    tokens += countInput(input)
    if (tokens > requestTokensMax)
      throw invalidRequest(`The inputs have more than ${requestTokensMax} tokens together`, 'input')
    const vector = foldFeatures(weighFeatures(input.text), dimensions)
    const embedding = request.encoding_format === 'base64' ? toBase64(vector) : [...vector]
    data.push({ object: 'embedding', index, embedding })
    await pause()
  }
  return {
    kind: 'reply',
    reply: {
      object: 'list',
      data,
      model: context.model,
      usage: { prompt_tokens: tokens, total_tokens: tokens },
    },
    usage: { inputTokens: tokens, outputTokens: 0 },
  }
}

function countInput({ text, param }: SentText): number {
  if (text === '') throw invalidRequest('The input must not be empty', param)
  return countWithin(text, embedTokensMax, param)
}

const dimensionsMax = 3072
const dimensionsDefault = 1536

/**
 * Every feature adds its weight, with a sign, at one place in each block of this many numbers. The first n blocks are
 * therefore a complete vector themselves, and shortening a long vector gives exactly the short one.
 */
const blockSize = 256

/** Folds features into 1 to 3,072 numbers (`dimensions`) of length one (feature hashing, Weinberger et al. 2009). */
function foldFeatures(features: Features, dimensions: number): Float32Array {
  const sums = new Float64Array(dimensions)
  for (const [feature, weight] of features) {
    const hash = hashOf(feature)
    for (let start = 0; start < dimensions; start += blockSize) {
      const place = mix(hash + start)
      const at = start + (place & (blockSize - 1))
      if (at < dimensions) sums[at] = (sums[at] ?? 0) + (place & 0x10000 ? weight : -weight)
    }
  }
  return normalise(sums)
}

function normalise(sums: Float64Array): Float32Array {
  let squares = 0
  for (const value of sums) squares += value * value
  const vector = new Float32Array(sums.length)
  // With very few dimensions opposite signs can cancel out, but the vector must always have length one.
  if (squares === 0) vector[0] = 1
  else for (let i = 0; i < vector.length; i++) vector[i] = (sums[i] ?? 0) / Math.sqrt(squares)
  return vector
}

/** The finaliser of MurmurHash3: similar inputs give very different results. */
function mix(input: number): number {
  let hash = input | 0
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return hash ^ (hash >>> 16)
}

/** Little-endian float32 in base64, as OpenAI's clients read it. */
function toBase64(vector: Float32Array): string {
  const bytes = Buffer.alloc(vector.length * 4)
  for (let i = 0; i < vector.length; i++) bytes.writeFloatLE(vector[i] ?? 0, i * 4)
  return bytes.toString('base64')
}
