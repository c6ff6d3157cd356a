import { invalidRequest, parseJson } from '@sluice/contract'
import { deleteResponse, findResponse } from '@sluice/gateway/stored/responses.ts'
import { addressOf, endpoint } from './endpoint.ts'
import { success } from './openapi-endpoint.ts'
import { pageOfItems, paging, pagingOf } from './query.ts'
import { anyObject, deletion, pageOf } from './shapes.ts'

const response = success({
  'application/json': { schema: { $ref: '#/components/schemas/ResponsesReply' } },
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
    responses: response,
    async send({ path: { id } }, { gateway, key, reply }) {
      const found = await findResponse(gateway, key, id)
      reply.header('content-type', 'application/json; charset=utf-8').send(found.response)
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

export const responseAddresses = endpoints.map(addressOf)
