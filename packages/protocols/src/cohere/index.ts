import { countOf, listOf, objectOf, someText } from '@sluice/contract'
import type { Protocol, Received, UpstreamFailure } from '../protocol.ts'
import { failureBody } from '../read-json.ts'
import { chat } from './chat.ts'
import { embed } from './embed.ts'
import { rerank } from './rerank.ts'

/** Cohere's API, relative to https://api.cohere.com. */
export const cohere: Protocol = {
  id: 'cohere',
  codecs: { chat, embed, rerank },
  native: {},
  failure,
  models: {
    path: '/v1/models?page_size=1000',
    decode: (body) =>
      listOf(objectOf(body)['models']).flatMap((entry) => {
        const { name, context_length: limit } = objectOf(entry)
        const id = someText(name)
        const inputTokenLimit = countOf(limit)
        if (id === undefined) return []
        return [inputTokenLimit === undefined ? { id } : { id, inputTokenLimit }]
      }),
  },
}

/** Reads the error body: `{message}`, and in v2 `{id, message}`. */
function failure(received: Received): UpstreamFailure {
  const { message } = objectOf(failureBody(received))
  return { message: someText(message) ?? `Cohere answered with status ${received.status}` }
}
