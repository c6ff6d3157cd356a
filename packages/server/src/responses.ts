import { invalidRequest, parseJson } from '@sluice/contract'
import { deleteResponse } from '@sluice/gateway/stored/delete-response.ts'
import { findResponse } from '@sluice/gateway/stored/responses.ts'
import type { Address, Exchange } from './address.ts'
import { one, whole } from './models.ts'
import { answer, deletion, pageOf, paging } from './openapi-written.ts'

const response = { $ref: '#/components/schemas/ResponsesReply' }

/** Stored responses of POST /v1/responses (OpenAI API, responses). */
export const responseAddresses: readonly Address[] = [
  {
    method: 'GET',
    path: '/v1/responses/{id}',
    access: 'caller',
    operation: 'chat',
    description: {
      operationId: 'getResponse',
      summary: 'Retrieve a stored response',
      tags: ['Responses'],
      reply: answer(response),
    },
    serve: find,
  },
  {
    method: 'DELETE',
    path: '/v1/responses/{id}',
    access: 'caller',
    operation: 'chat',
    description: {
      operationId: 'deleteResponse',
      summary: 'Delete a stored response',
      tags: ['Responses'],
      reply: answer(deletion('response')),
    },
    serve: remove,
  },
  {
    method: 'GET',
    path: '/v1/responses/{id}/input_items',
    access: 'caller',
    operation: 'chat',
    description: {
      operationId: 'listInputItems',
      summary: 'List the input items of a stored response',
      tags: ['Responses'],
      parameters: paging,
      reply: answer(pageOf({ type: 'object' })),
    },
    serve: listItems,
  },
  {
    method: 'POST',
    path: '/v1/responses/{id}/cancel',
    access: 'caller',
    operation: 'chat',
    description: {
      operationId: 'cancelResponse',
      summary: 'Cancel a background response (not supported: always refused)',
      tags: ['Responses'],
      reply: answer(response),
    },
    serve: cancel,
  },
]

async function find({ gateway, key, reply, parameters }: Exchange): Promise<void> {
  const { response } = await findResponse(gateway, key, parameters['id'] ?? '')
  reply.header('content-type', 'application/json; charset=utf-8').send(response)
}

async function remove(exchange: Exchange): Promise<void> {
  const { gateway, key, reply, parameters, cancellation } = exchange
  const id = parameters['id'] ?? ''
  await deleteResponse(gateway, key, { id, cancellation })
  reply.send({ id, object: 'response', deleted: true })
}

/** Only background responses can be cancelled, and these are not supported. */
async function cancel({ gateway, key, parameters }: Exchange): Promise<void> {
  await findResponse(gateway, key, parameters['id'] ?? '')
  throw invalidRequest('Only background responses can be cancelled', 'response_id')
}

/** limit 1 to 100, default 20; newest first unless order is asc. */
async function listItems({ gateway, key, reply, request, parameters }: Exchange): Promise<void> {
  const { input } = await findResponse(gateway, key, parameters['id'] ?? '')
  const { query } = request
  const limit = whole(one(query, 'limit'), 'limit', { minimum: 1, maximum: 100, fallback: 20 })
  const order = one(query, 'order') ?? 'desc'
  if (order !== 'asc' && order !== 'desc')
    throw invalidRequest("'order' must be asc or desc", 'order')
  const items = parseJson(input) as readonly { readonly id: string }[]
  const ordered = order === 'asc' ? items : items.toReversed()
  const after = one(query, 'after')
  const from = after === undefined ? 0 : ordered.findIndex(({ id }) => id === after) + 1
  const data = ordered.slice(from, from + limit)
  reply.send({
    object: 'list',
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: from + data.length < ordered.length,
  })
}
