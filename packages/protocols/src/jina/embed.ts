import { countOf, GatewayError, isObject, listOf, objectOf } from '@sluice/contract'
import { embedCodec, vectorOf } from '../embed-codec.ts'
import { type PurposeWords, purposeIn } from '../embed-purpose.ts'
import type { Codec } from '../protocol.ts'
import { readInputUsage } from '../usage.ts'

interface RetrievalNames {
  readonly dimensions: string
  readonly inputType: string
  /** Maps input types to the provider's names. */
  readonly purposes: PurposeWords
  /** Maximum number of texts per call. */
  readonly textsMax: number
}

/** `POST /embeddings` of providers that distinguish queries from documents. Vectors come as numbers and are encoded here. */
export function retrievalEmbed(names: RetrievalNames): Codec<'embed'> {
  return embedCodec({
    taker: 'it',
    textsMax: () => names.textsMax,
    request: (texts, { input_type: type, dimensions }, { model }) => ({
      path: '/embeddings',
      value: {
        model,
        input: texts,
        ...(type == null ? {} : { [names.inputType]: purposeIn(names.purposes, type) }),
        ...(dimensions == null ? {} : { [names.dimensions]: dimensions }),
      },
    }),
    answer(received) {
      const body = objectOf(received.json())
      const vectors = listOf(body['data'])
        .filter(isObject)
        .map(({ embedding, index }, position) => ({ embedding, at: countOf(index) ?? position }))
        .toSorted((one, other) => one.at - other.at)
        .map(({ embedding }) => vectorOf(embedding))
      if (vectors.length === 0 || vectors.some((vector) => vector.length === 0))
        throw new GatewayError('upstream_garbled', 'The upstream answered without vectors')
      return { vectors, usage: readInputUsage(body['usage']) }
    },
  })
}
