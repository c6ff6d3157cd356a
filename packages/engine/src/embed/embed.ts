import { invalidRequest } from '@sluice/contract'
import { createPause } from '../chat/pause.ts'
import type { Operation } from '../operation.ts'
import { countWithin, readTexts, type SentText } from '../tokens.ts'
import { weighFeatures } from './features.ts'
import { dimensionsDefault, dimensionsMax, foldFeatures, toBase64 } from './vector.ts'

/** Limits of one input and of one request, in tokens (OpenAI API, CreateEmbeddingRequest). */
export const embedTokensMax = 8192
const requestTokensMax = 300_000

/**
 * Embeddings by hashed word and letter sequences, so that texts with similar words, spellings and everyday meanings have
 * similar vectors. `dimensions` is 1 to 3,072, by default 1,536. A shorter vector is the beginning of the longer one,
 * normalised again.
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
