import {
  costOf,
  GatewayError,
  microUsdOf,
  type OperationName,
  operations,
  type UsageRecord,
} from '@sluice/contract'
import type { Gateway } from '../gateway.ts'
import type { RequestCursor } from '@sluice/gateway/ports/usage-store.ts'
import { addressOf, endpoint, readers } from '../endpoint.ts'
import { parameter, success } from '../openapi-endpoint.ts'
import { whole } from '../query.ts'
import { list, object, text, textOrNull } from '../shapes.ts'
import { badCursor, readCursor, withinTeam, writeCursor } from '../usage-query.ts'
import { sendLive } from './live-requests.ts'
import { type RefusalPlace, refusedRequests } from './refused-requests.ts'
import { readRequestScope, requestFilters, without } from './request-query.ts'
import {
  requestDetailSchema,
  shownAttempt,
  shownRequest,
  shownRequestSchema,
} from './shown-request.ts'

const pageMax = 500
const pageUsual = 50
const tag = 'Requests'

const listRequests = endpoint({
  method: 'GET',
  path: '/admin/v1/requests',
  access: readers,
  operationId: 'listRequests',
  summary: 'Search the calls that were made or refused, the newest first',
  tag,
  query: {
    ...requestFilters,
    limit: parameter(
      { type: 'integer', minimum: 1, maximum: pageMax, default: pageUsual },
      'Calls per page.',
    ),
    cursor: parameter(text, 'The `nextCursor` of the page before.'),
  },
  refusesUnknown: true,
  reply: object({ data: list(shownRequestSchema), nextCursor: textOrNull }),
  async answer({ query }, { gateway, key }) {
    const scope = readRequestScope(query, key, gateway.now())
    const limit = whole(query.limit, 'limit', {
      minimum: 1,
      maximum: pageMax,
      fallback: pageUsual,
    })
    const turned = placeIn(readCursor(query.cursor))
    await gateway.store.flush()
    const asOf = turned?.asOf ?? (await gateway.store.usage.newest())
    const found = await gateway.store.usage.requests({
      ...scope,
      limit: limit + 1,
      asOfSequence: asOf,
      ...(turned && { before: turned }),
    })
    const refused = await refusedRequests(gateway, scope, {
      limit: limit + 1,
      ...(turned && { before: turned.refused }),
    })
    const rows = [
      ...found.map((call) => ({ at: call.startedAt, call })),
      ...refused.map((one) => ({ at: one.refused.at, refused: one })),
    ].toSorted((one, other) => other.at - one.at)
    const page = rows.slice(0, limit)
    return {
      data: page.flatMap((row) =>
        'call' in row ? (shownRequest(row.call) ?? []) : [row.refused.shown],
      ),
      nextCursor: rows.length > limit ? cursorAfter(page, asOf, turned) : null,
    }
  },
})

type PageRow =
  | { readonly call: RequestCursor }
  | { readonly refused: { readonly refused: RefusalPlace } }

/** Both lists go on behind their last shown row, or where they were if the page had none of them. */
function cursorAfter(page: readonly PageRow[], asOf: number, before: TurnedPage | undefined) {
  const call = page.findLast((row) => 'call' in row)?.call ?? before ?? newestPlace
  const refused = page.findLast((row) => 'refused' in row)?.refused.refused ?? before?.refused
  const { at, callId } = refused ?? { at: newestPlace.startedAt, callId: '' }
  return writeCursor([call.startedAt, call.sequence, asOf, at, callId])
}

const newestPlace: RequestCursor = {
  startedAt: Number.MAX_SAFE_INTEGER,
  sequence: Number.MAX_SAFE_INTEGER,
}

const watchRequests = endpoint({
  method: 'GET',
  path: '/admin/v1/requests/live',
  access: readers,
  uncounted: true,
  operationId: 'watchRequests',
  summary: 'Watch calls as they begin and end',
  tag,
  query: without(without(requestFilters, 'from'), 'to'),
  refusesUnknown: true,
  responses: success(
    { 'text/event-stream': { schema: text } },
    'Server-sent events. `begin`: a call has begun in this process; without the filters `provider`, `outcome` and `status`, since none of these is known yet. `request`: an attempt of a call of any process has ended, and this is the call as it stands in the list; of processes with one database all calls are told, within a second or two. `refused`: a call of a key that is valid was refused before any upstream was asked, in any process of this gateway; told without the filters `model`, `provider` and `tag`, and without another `outcome`. `skipped`: more came than could be told.',
  ),
  send: ({ query }, exchange) =>
    sendLive(readRequestScope(query, exchange.key, exchange.gateway.now()), exchange),
})

const getRequest = endpoint({
  method: 'GET',
  path: '/admin/v1/requests/{id}',
  access: readers,
  operationId: 'getRequest',
  summary: 'Retrieve a call with each of its attempts',
  tag,
  reply: requestDetailSchema,
  async answer({ path: { id } }, { gateway, key }) {
    const scope = withinTeam({ from: 0, to: Number.MAX_SAFE_INTEGER, only: {} }, key)
    await gateway.store.flush()
    const found = await gateway.store.usage.requests({ ...scope, id, limit: pageUsual })
    // A caller's `x-request-id` may equal the gateway's id of another call.
    const exact = found.find(({ attempts }) => attempts[0]?.callId === id) ?? found[0]
    const shown = exact && shownRequest(exact)
    if (!shown) {
      const refused = await refusedRequests(gateway, { ...scope, id }, { limit: pageUsual })
      const one = refused.find((each) => each.refused.callId === id) ?? refused[0]
      if (one) return { ...one.shown, skipped: [], timeline: [] }
      throw new GatewayError('not_found', 'There is no record of a call with this id')
    }
    const timeline = await Promise.all(
      exact.attempts.map(async (attempt) =>
        shownAttempt(attempt, await costPartsOf(gateway, attempt)),
      ),
    )
    const skipped = [...(exact.attempts.at(-1)?.skipped ?? [])]
    return { ...shown, skipped, timeline }
  },
})

/** Ended and live calls, from the records of their attempts. */
export const requestEndpoints = { list: listRequests, watch: watchRequests, get: getRequest }

export const requestAddresses = Object.values(requestEndpoints).map(addressOf)

interface TurnedPage extends RequestCursor {
  /** The newest sequence number in the ledger when the first page was read. */
  readonly asOf: number
  readonly refused: RefusalPlace
}

function placeIn(cursor: readonly (string | number)[] | undefined): TurnedPage | undefined {
  if (!cursor) return undefined
  // Cursors of an earlier version lack the later values.
  const [startedAt, sequence, asOf = Number.MAX_SAFE_INTEGER, at = startedAt, id = ''] = cursor
  const areNumbers = [startedAt, sequence, asOf, at].every((each) => typeof each === 'number')
  if (!areNumbers || cursor.length > 5) throw badCursor()
  return {
    startedAt: Number(startedAt),
    sequence: Number(sequence),
    asOf: Number(asOf),
    refused: { at: Number(at), callId: String(id) },
  }
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
