import { countOf, GatewayError, isObject, listOf, objectOf } from '@sluice/contract'
import { applyDecisions, type Decisions } from '../decisions.ts'
import { type PurposeWords, purposeIn } from '../embed-purpose.ts'
import { embeddingReply, inBatches, inputTexts } from '../embedding-reply.ts'
import type { Codec } from '../protocol.ts'
import { readInputUsage } from '../usage.ts'
import { usualEmbed } from '../usual-decisions.ts'

const decisions: Decisions<'embed'> = {
  ...usualEmbed,
  dimensions: 'sent',
  input_type: 'sent',
}

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
  return {
    parts: (request) => inBatches(request, names.textsMax),
    encode(request, context) {
      applyDecisions('embed', request, decisions, context)
      const texts = inputTexts(request)
      if (texts === undefined) context.unsupported('input', 'it takes texts, not token ids')
      const type = request.input_type
      return {
        method: 'POST',
        path: '/embeddings',
        body: {
          kind: 'json',
          value: {
            model: context.model,
            input: texts ?? [],
            ...(type == null ? {} : { [names.inputType]: purposeIn(names.purposes, type) }),
            ...(request.dimensions == null ? {} : { [names.dimensions]: request.dimensions }),
          },
        },
      }
    },
    decode(received, context, request) {
      const body = objectOf(received.json())
      const data = listOf(body['data'])
        .filter(isObject)
        .map((item, position) => ({ ...item, index: countOf(item['index']) ?? position }))
        .toSorted((one, other) => one.index - other.index)
      const vectors = data.map((item: Readonly<Record<string, unknown>>) =>
        listOf(item['embedding']).filter((value) => typeof value === 'number'),
      )
      if (vectors.length === 0 || vectors.some((vector) => vector.length === 0))
        throw new GatewayError('upstream_garbled', 'The upstream answered without vectors')
      return embeddingReply(vectors, readInputUsage(body['usage']), request, context)
    },
  }
}
