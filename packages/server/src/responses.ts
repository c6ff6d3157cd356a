import { invalidRequest, objectOf, parseJson } from '@sluice/contract'
import { replayed } from '@sluice/protocols/openai-responses/client/replay.ts'
import { deleteResponse, findResponse } from '@sluice/gateway/stored/kept-responses.ts'
import { addressOf, endpoint } from './endpoint.ts'
import { parameter, success } from './openapi-endpoint.ts'
import { pageOfItems, paging, pagingOf, whole } from './query.ts'
import { anyObject, deletion, pageOf } from './shapes.ts'

const response = success({
  'application/json': { schema: { $ref: '#/components/schemas/ResponsesReply' } },
})
const readResponses = success({
  'application/json': { schema: { $ref: '#/components/schemas/ResponsesReply' } },
  'text/event-stream': { schema: { type: 'string' } },
})
const path = '/v1/responses/{id}'
const facts = { access: 'caller', operation: 'chat', tag: 'Responses' } as const

/** Stored responses of POST /v1/responses (OpenAI API, responses). */
const endpoints = [
  endpoint({
    ...facts,
    method: 'GET',
    path,
    operationId: 'getResponse',
    summary: 'Retrieve a stored response',
    query: {
      stream: parameter(
        { type: 'boolean', default: false },
        'Whether the events of its stream are sent instead, with each text in one piece.',
      ),
      starting_after: parameter(
        { type: 'integer', minimum: 0 },
        'With stream: the sequence number of the last event that is known; later ones are sent.',
      ),
    },
    responses: readResponses,
    async send({ path: { id }, query }, { gateway, key, reply }) {
      const isStream = isTrue(query.stream, 'stream')
      const after = whole(query.starting_after, 'starting_after', {
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        fallback: -1,
      })
      const { response: text } = await findResponse(gateway, key, id)
      if (!isStream) {
        reply.header('content-type', 'application/json; charset=utf-8').send(text)
        return
      }
      const events = replayed(objectOf(parseJson(text)), after)
      reply.header('content-type', 'text/event-stream; charset=utf-8').send(events)
    },
  }),
  endpoint({
    ...facts,
    method: 'DELETE',
    path,
    operationId: 'deleteResponse',
    summary: 'Delete a stored response',
    reply: deletion('response'),
    async answer({ path: { id } }, { gateway, key, cancellation }) {
      await deleteResponse(gateway, key, { id, cancellation })
      return { id, object: 'response' as const, deleted: true as const }
    },
  }),
  endpoint({
    ...facts,
    method: 'GET',
    path: `${path}/input_items`,
    operationId: 'listInputItems',
    summary: 'List the input items of a stored response',
    query: paging,
    reply: pageOf(anyObject),
    async answer({ path: { id }, query }, { gateway, key }) {
      const { input } = await findResponse(gateway, key, id)
      const { limit, after, isAscending } = pagingOf(query)
      const items = parseJson(input) as readonly { readonly id: string }[]
      const ordered = isAscending ? items : items.toReversed()
      const from = after === undefined ? 0 : ordered.findIndex((item) => item.id === after) + 1
      return pageOfItems(ordered.slice(from, from + limit + 1), limit)
    },
  }),
  endpoint({
    ...facts,
    method: 'POST',
    path: `${path}/cancel`,
    operationId: 'cancelResponse',
    summary: 'Cancel a background response (not supported: always refused)',
    responses: response,
    /** Only background responses can be cancelled, and these are not supported. */
    async send({ path: { id } }, { gateway, key }) {
      await findResponse(gateway, key, id)
      throw invalidRequest('Only background responses can be cancelled', 'response_id')
    },
  }),
]

function isTrue(given: string | undefined, param: string): boolean {
  if (given === undefined || given === '' || given === 'false') return false
  if (given === 'true') return true
  throw invalidRequest(`${param} must be true or false`, param)
}

export const responseAddresses = endpoints.map(addressOf)
