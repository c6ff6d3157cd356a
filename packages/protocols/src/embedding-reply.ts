import type { EmbedReply, EmbedRequest, Usage } from '@sluice/contract'
import type { CodecContext, Decoded } from './protocol.ts'
import { vectorToBase64 } from './vectors.ts'

/** Vectors of an upstream that only gives numbers, as the caller asked for them. */
export function embeddingReply(
  vectors: readonly (readonly number[])[],
  usage: Usage | undefined,
  request: EmbedRequest,
  { publicModel }: Pick<CodecContext, 'publicModel'>,
): Decoded<'embed'> {
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

/** The texts of a request; undefined where it holds token ids, which only their own tokenizer can read. */
export function inputTexts({ input }: EmbedRequest): readonly string[] | undefined {
  if (typeof input === 'string') return [input]
  return input.every((item) => typeof item === 'string') ? input : undefined
}
