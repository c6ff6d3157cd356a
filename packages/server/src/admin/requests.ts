import {
  costOf,
  GatewayError,
  microUsdOf,
  type OperationName,
  operations,
  type UsageRecord,
} from '@sluice/contract'
import type { Gateway } from '../gateway.ts'
import type { RequestCursor } from '@sluice/gateway/ports/usage-book.ts'
import type { Address, Exchange } from '../address.ts'
import { whole, one } from '../models.ts'
import { object, query, text } from '../openapi-written.ts'
import { assertKnown, badCursor, readCursor, withinTeam, writeCursor } from '../usage-query.ts'
import { readers } from './endpoint.ts'
import { gatewayAddress } from './gateway-endpoint.ts'
import { serveLive } from './live-requests.ts'
import { readRequestScope, requestFilters, requestParameters } from './request-query.ts'
import {
  requestDetailSchema,
  shownAttempt,
  shownRequest,
  shownRequestSchema,
} from './shown-request.ts'

const pageMax = 500
const pageUsual = 50
const tag = 'Requests'

/** Ended and live calls, from the records of their attempts. */
export const requestAddresses: readonly Address[] = [
  gatewayAddress({
    method: 'GET',
    path: '/admin/v1/requests',
    roles: readers,
    operationId: 'listRequests',
    summary: 'Search the calls that were made, the newest first',
    tag,
    parameters: [
      ...requestParameters,
      query(
        'limit',
        { type: 'integer', minimum: 1, maximum: pageMax, default: pageUsual },
        'Calls per page.',
      ),
      query('cursor', text, 'The `nextCursor` of the page before.'),
    ],
    reply: object({
      data: { type: 'array', items: shownRequestSchema },
      nextCursor: { type: ['string', 'null'] },
    }),
    serve: list,
  }),
  {
    method: 'GET',
    path: '/admin/v1/requests/live',
    access: 'administrator',
    roles: readers,
    uncounted: true,
    description: {
      operationId: 'watchRequests',
      summary: 'Watch calls as they begin and end',
      tags: [tag],
      parameters: requestParameters.filter(({ name }) => name !== 'from' && name !== 'to'),
      reply: {
        '200': {
          description:
            'Server-sent events. `begin`: a call has begun in this process; without the filters `provider`, `outcome` and `status`, since none of these is known yet. `request`: an attempt of a call of any process has ended, and this is the call as it stands in the list; of processes with one database all calls are told, within a second or two. `refused`: a call of a key that is valid was refused before any upstream was asked, in any process of this gateway; told without the filters `model`, `provider`, `outcome` and `tag`. `skipped`: more came than could be told.',
          content: { 'text/event-stream': { schema: text } },
        },
      },
    },
    serve: serveLive,
  },
  gatewayAddress({
    method: 'GET',
    path: '/admin/v1/requests/{id}',
    roles: readers,
    operationId: 'getRequest',
    summary: 'Retrieve a call with each of its attempts',
    tag,
    reply: requestDetailSchema,
    serve: retrieve,
  }),
]

async function list({ gateway, key, request }: Exchange): Promise<object> {
  assertKnown(request.query, [...requestFilters, 'limit', 'cursor'])
  const scope = readRequestScope(request.query, key, gateway.now())
  const limit = whole(one(request.query, 'limit'), 'limit', {
    minimum: 1,
    maximum: pageMax,
    fallback: pageUsual,
  })
  const turned = placeIn(readCursor(request.query))
  await gateway.store.flush()
  const asOf = turned?.asOf ?? (await gateway.store.book.newest())
  const found = await gateway.store.book.requests({
    ...scope,
    limit: limit + 1,
    asOfSequence: asOf,
    ...(turned && { before: turned }),
  })
  const page = found.slice(0, limit)
  const last = page.at(-1)
  return {
    data: page.flatMap((one) => shownRequest(one) ?? []),
    nextCursor:
      found.length > limit && last ? writeCursor([last.startedAt, last.sequence, asOf]) : null,
  }
}

interface TurnedPage extends RequestCursor {
  /** The newest sequence number in the ledger when the first page was read. */
  readonly asOf: number
}

function placeIn(cursor: readonly (string | number)[] | undefined): TurnedPage | undefined {
  if (!cursor) return undefined
  // Cursors of an earlier version lack this value.
  const [startedAt, sequence, asOf = Number.MAX_SAFE_INTEGER, ...more] = cursor
  const areNumbers = [startedAt, sequence, asOf].every((each) => typeof each === 'number')
  if (!areNumbers || more.length > 0) throw badCursor()
  return { startedAt: Number(startedAt), sequence: Number(sequence), asOf: Number(asOf) }
}

async function retrieve({ gateway, key, parameters }: Exchange): Promise<object> {
  const { id = '' } = parameters
  const scope = withinTeam({ from: 0, to: Number.MAX_SAFE_INTEGER, only: {} }, key)
  await gateway.store.flush()
  const found = await gateway.store.book.requests({ ...scope, id, limit: pageUsual })
  // A caller's `x-request-id` may equal the gateway's id of another call.
  const exact = found.find(({ attempts }) => attempts[0]?.callId === id) ?? found[0]
  const shown = exact && shownRequest(exact)
  if (!shown) throw new GatewayError('not_found', 'There is no record of a call with this id')
  const timeline = await Promise.all(
    exact.attempts.map(async (attempt) =>
      shownAttempt(attempt, await costPartsOf(gateway, attempt)),
    ),
  )
  return { ...shown, timeline }
}

/**
 * Recomputed from the price at the time of the attempt, so that calls need not store it. Null if the result differs from the
 * recorded cost.
 */
async function costPartsOf({ current }: Pick<Gateway, 'current'>, record: UsageRecord) {
  const { provider, model, operation, startedAt, costRestPicoUsd } = record
  const cost = costOf(record)
  if (cost === undefined || !isOperation(operation)) return null
  if (cost === 0n) return []
  const price = current.routing.priceOf(provider, model)
  await price.open()
  const parts = price.parts(record, operation, startedAt)
  const whole = parts?.reduce((sum, { microUsd }) => sum + microUsd, 0)
  // Records of earlier versions were rounded to whole millionths.
  const rounding = costRestPicoUsd === undefined ? 0.51 : 0.001
  return whole !== undefined && Math.abs(whole - microUsdOf(cost)) < rounding ? parts : null
}

function isOperation(name: string): name is OperationName {
  return Object.hasOwn(operations, name)
}
