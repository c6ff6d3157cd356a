import { GatewayError, objectOf } from '@sluice/contract'
import { embedCodec, vectorOf } from '../embed-codec.ts'
import { coherePurposes, purposeIn } from '../embed-purpose.ts'
import { readBilledUnits } from './usage.ts'

/** Cohere's maximum number of texts per request (API reference, embed). */
const textsMax = 96

/** Cohere API v2, embed. The input type is required there; the default is documents. */
export const embed = embedCodec({
  taker: 'Cohere',
  textsMax: () => textsMax,
  request: (texts, { input_type: type, dimensions }, { model }) => ({
    path: '/v2/embed',
    value: {
      model,
      texts,
      input_type: purposeIn(coherePurposes, type ?? 'search_document'),
      embedding_types: ['float'],
      ...(dimensions == null ? {} : { output_dimension: dimensions }),
    },
  }),
  answer(received) {
    const { embeddings, meta } = objectOf(received.json())
    const { float } = objectOf(embeddings)
    if (!Array.isArray(float))
      throw new GatewayError('upstream_garbled', 'Cohere answered without embeddings')
    return { vectors: float.map(vectorOf), usage: readBilledUnits(objectOf(meta)) }
  },
})
