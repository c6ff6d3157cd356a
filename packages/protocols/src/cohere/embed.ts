import { GatewayError, listOf, objectOf } from '@sluice/contract'
import { applyDecisions, type Decisions } from '../decisions.ts'
import { coherePurposes, purposeIn } from '../embed-purpose.ts'
import { embeddingReply, inBatches, inputTexts } from '../embedding-reply.ts'
import type { Codec } from '../protocol.ts'
import { usualEmbed } from '../usual-decisions.ts'
import { readBilledUnits } from './usage.ts'

/** Cohere's maximum number of texts per request (API reference, embed). */
const textsMax = 96

const decisions: Decisions<'embed'> = {
  ...usualEmbed,
  dimensions: 'sent',
  input_type: 'sent',
}

/** Cohere API v2, embed. The input type is required there; the default is documents. */
export const embed: Codec<'embed'> = {
  parts: (request) => inBatches(request, textsMax),
  encode(request, context) {
    applyDecisions('embed', request, decisions, context)
    const texts = inputTexts(request)
    if (texts === undefined) context.unsupported('input', 'Cohere takes texts, not token ids')
    const type = request.input_type ?? 'search_document'
    return {
      method: 'POST',
      path: '/v2/embed',
      body: {
        kind: 'json',
        value: {
          model: context.model,
          texts: texts ?? [],
          input_type: purposeIn(coherePurposes, type),
          embedding_types: ['float'],
          ...(request.dimensions == null ? {} : { output_dimension: request.dimensions }),
        },
      },
    }
  },
  decode(received, context, request) {
    const body = objectOf(received.json())
    const { float } = objectOf(body['embeddings'])
    if (!Array.isArray(float))
      throw new GatewayError('upstream_garbled', 'Cohere answered without embeddings')
    const vectors = float.map((vector) =>
      listOf(vector).filter((value) => typeof value === 'number'),
    )
    return embeddingReply(vectors, readBilledUnits(objectOf(body['meta'])), request, context)
  },
}
