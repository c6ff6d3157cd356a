import { type EmbedRequest, listOf, type Usage } from '@sluice/contract'
import { applyDecisions, type Decisions } from './decisions.ts'
import { embeddingReply, inBatches, inputTexts } from './embedding-reply.ts'
import { jsonRequest } from './json-request.ts'
import type { Codec, CodecContext, Received } from './protocol.ts'
import { usualEmbed } from './usual-decisions.ts'

/** For upstreams that can give vectors of other lengths and for other purposes. */
export const shapedEmbed: Decisions<'embed'> = {
  ...usualEmbed,
  dimensions: 'sent',
  input_type: 'sent',
}

/** What distinguishes the embeddings of one upstream from those of others. */
interface Embedding {
  /** Who takes only texts, for the reason why token ids are rejected. */
  readonly taker: string
  /** The most texts in one call. */
  readonly textsMax: (model: string) => number
  request(
    texts: readonly string[],
    request: EmbedRequest,
    context: CodecContext,
  ): { readonly path: string; readonly value: object }
  /** Reads a response: one vector for each text, in order. */
  answer(received: Received): {
    readonly vectors: readonly (readonly number[])[]
    readonly usage: Usage | undefined
  }
}

/** Embeddings of texts at an upstream that returns them as numbers. */
export function embedCodec({ taker, textsMax, ...embedding }: Embedding): Codec<'embed'> {
  return {
    parts: (request, { model }) => inBatches(request, textsMax(model)),
    encode(request, context) {
      applyDecisions('embed', request, shapedEmbed, context)
      const texts = inputTexts(request)
      if (texts === undefined) context.unsupported('input', `${taker} takes texts, not token ids`)
      const { path, value } = embedding.request(texts ?? [], request, context)
      return jsonRequest(path, value)
    },
    decode(received, context, request) {
      const { vectors, usage } = embedding.answer(received)
      return embeddingReply(vectors, usage, request, context)
    },
  }
}

/** The numbers of a vector. */
export function vectorOf(value: unknown): readonly number[] {
  return listOf(value).filter((number) => typeof number === 'number')
}
