import { invalidRequest, Type } from '@sluice/contract'
import type { TSchema } from 'typebox'
import { administer } from '@sluice/gateway/accounts/administer.ts'
import type { Gateway } from './gateway.ts'
import { turn } from '@sluice/gateway/turns/turn.ts'
import type { Caller } from '@sluice/gateway/ports/api-key.ts'
import type { Store } from '@sluice/gateway/ports/store.ts'
import type {
  LedgerQuestion,
  LedgerRow,
  UsageAnswer,
  UsageStore,
  UsageQuestion,
} from '@sluice/gateway/ports/usage-store.ts'
import type { Exchange } from './address.ts'
import { addressOf, changers, endpoint, readers } from './endpoint.ts'
import { success } from './openapi-endpoint.ts'
import type { Values } from './query.ts'
import {
  count,
  described,
  integerOrNull,
  list,
  numberOrNull,
  object,
  text,
  textOrNull,
} from './shapes.ts'
import {
  allDimensions,
  badCursor,
  byParameter,
  formatParameter,
  pageParameters,
  readCursor,
  readFormat,
  readLimit,
  readQuestion,
  readScope,
  scopeParameters,
  withinTeam,
  writeCursor,
} from './usage-query.ts'
import {
  type FlatRow,
  flatRecord,
  flatRecordSchema,
  recordNames,
  sendRows,
  type ShownSums,
  shownAnswer,
  shownGroup,
  streamRows,
} from './usage-rows.ts'

/** The schema of sums; in groups the group's keys come first. */
export const sumsSchema = Type.Unsafe<ShownSums>({
  type: 'object',
  description:
    'Sums. `costMicroUsd` is in millionths of a US dollar, with decimals, and without attempts whose cost is unknown, which `unknownCosts` counts; null where no cost is known. `firstTokenP50Ms` and `firstTokenP95Ms` are of streams, from counts between fixed bounds (50, 100, 200, 300, 500, 750 ms, 1, 1.5, 2, 3, 5, 7.5, 10, 20, 60 s), between which all are taken to lie evenly; null where nothing streamed.',
  properties: {
    attempts: count,
    calls: count,
    unknownCosts: count,
    estimated: count,
    unsettled: count,
    costMicroUsd: numberOrNull,
    inputTokens: count,
    outputTokens: count,
    firstTokenP50Ms: integerOrNull,
    firstTokenP95Ms: integerOrNull,
  },
  additionalProperties: { type: ['string', 'number', 'null'] },
})

/** A page of rows, and the streams of all of them. */
function rowsOf<Page extends TSchema>(page: Page) {
  const streams = { 'text/csv': { schema: text }, 'application/jsonl': { schema: text } }
  return {
    reply: page,
    responses: success({ 'application/json': { schema: page }, ...streams }),
  }
}

const pending = described(count, 'Records that the sums do not hold yet; usually 0.')
const tag = 'Usage'
const filters = scopeParameters(allDimensions)
const paging = { ...pageParameters, format: formatParameter }
const sumsQuery = { by: byParameter(allDimensions), ...filters, ...paging }
const recordsQuery = { ...filters, ...paging }

/** Usage endpoints for administrators. */
export const usageEndpoints = {
  get: endpoint({
    method: 'GET',
    path: '/admin/v1/usage',
    access: readers,
    operationId: 'getUsage',
    summary: 'Get sums of usage and cost',
    tag,
    query: sumsQuery,
    refusesUnknown: true,
    ...rowsOf(
      object({
        data: list(sumsSchema),
        from: text,
        to: text,
        total: sumsSchema,
        pending,
        nextCursor: textOrNull,
      }),
    ),
    send: ({ query }, exchange) => sendSums(query, exchange),
  }),
  records: endpoint({
    method: 'GET',
    path: '/admin/v1/usage/records',
    access: readers,
    operationId: 'listUsageRecords',
    summary: 'List the records of the ledger, one for each attempt, oldest first',
    tag,
    query: recordsQuery,
    refusesUnknown: true,
    ...rowsOf(object({ data: list(flatRecordSchema), nextCursor: textOrNull })),
    send: ({ query }, exchange) => sendRecords(query, exchange),
  }),
  rebuild: endpoint({
    method: 'POST',
    path: '/admin/v1/usage/rebuild',
    access: changers,
    operationId: 'rebuildUsage',
    summary: 'Rebuild the sums of usage from the records',
    tag,
    changes: false,
    reply: object({ pending }),
    async answer(_, { gateway, key }) {
      const { usage } = gateway.store
      await usage.rebuild()
      await audit(gateway, key, { action: 'usage.rebuild', target: 'usage' })
      const { pending: left } = await usage.sums({ from: 0, to: 1, only: {}, by: [], limit: 1 })
      return { pending: left }
    },
  }),
  erase: endpoint({
    method: 'POST',
    path: '/admin/v1/usage/erase',
    access: changers,
    operationId: 'eraseUsage',
    summary:
      'Replace the id of a user or a key in all records and sums by one that says nothing, and remove its prompts and answers, stored responses and conversations',
    tag,
    changes: false,
    body: Type.Unsafe<Readonly<Partial<Record<'user' | 'key', unknown>>>>({
      type: 'object',
      description: 'One of both. With a user, the ids of the user’s keys are replaced too.',
      properties: { user: text, key: text },
    }),
    checksBody: true,
    example: { user: 'user_1' },
    reply: object({ replacement: text, records: count, contents: count, stored: count }),
    answer: ({ body }, exchange) => erase(body, exchange),
  }),
}

export const usageAddresses = Object.values(usageEndpoints).map(addressOf)

/** How long a response waits for the sums to include what was recorded before the request, in milliseconds. */
const catchUpMs = 4_000

/** Waits until the sums include everything recorded so far, but at most `waitMs`. */
export async function catchUp(
  store: Pick<Store, 'usage' | 'flush'>,
  waitMs = catchUpMs,
): Promise<void> {
  await store.flush()
  const until = performance.now() + waitMs
  while ((await store.usage.fold()) > 0 && performance.now() < until);
}

async function sendSums(
  query: Values<typeof sumsQuery>,
  { gateway, key, reply }: Exchange,
): Promise<void> {
  const askable = { dimensions: allDimensions, now: gateway.now() }
  const question = withinTeam(readQuestion(query, askable), key)
  const format = readFormat(query.format)
  const { usage } = gateway.store
  await catchUp(gateway.store)
  if (format === 'json') {
    return sendRows(reply, await pageOf(question, await usage.sums(question)))
  }
  const [first] = (await usage.sums({ ...question, limit: 1 })).groups
  const names = Object.keys(
    shownGroup(
      question.by,
      first ?? { of: question.by.map(() => ''), sums: await noSums(usage, question) },
    ),
  )
  const { type, body } = streamRows(format, groupPages(usage, question), names)
  reply.type(type).send(body)
}

async function pageOf(question: UsageQuestion, found: UsageAnswer) {
  const last = found.groups.at(-1)
  return {
    from: new Date(question.from).toISOString(),
    to: new Date(question.to).toISOString(),
    ...(await shownAnswer(question.by, found)),
    nextCursor: found.hasMore && last ? writeCursor(last.of) : null,
  }
}

/** Groups per read when streaming. Smaller reads take the database just as long. */
const groupsPerRead = 4_000
/** Groups written per turn of the event loop. */
const groupsPerTurn = 400

/** Without grouping, the total is the only row. */
async function* groupPages(
  usage: UsageStore,
  question: UsageQuestion,
): AsyncGenerator<readonly FlatRow[]> {
  if (question.by.length === 0) {
    yield [shownGroup([], { of: [], sums: (await usage.sums(question)).total })]
    return
  }
  for (let after = question.after; ; ) {
    const found = await usage.sums({ ...question, limit: groupsPerRead, ...(after && { after }) })
    for (let from = 0; from < found.groups.length; from += groupsPerTurn) {
      await turn()
      const groups = found.groups.slice(from, from + groupsPerTurn)
      yield groups.map((group) => shownGroup(question.by, group))
    }
    after = found.groups.at(-1)?.of
    if (!found.hasMore) return
  }
}

async function noSums(usage: UsageStore, question: UsageQuestion) {
  return (await usage.sums({ ...question, by: [], to: question.from })).total
}

/**
 * Records per read: few, so that others get a turn after some milliseconds and a slow reader of a stream holds little memory.
 */
const recordsPerRead = 250

async function sendRecords(
  query: Values<typeof recordsQuery>,
  { gateway, key, reply }: Exchange,
): Promise<void> {
  const askable = { dimensions: allDimensions, now: gateway.now() }
  const scope = withinTeam(readScope(query, askable, 1), key)
  const limit = readLimit(query.limit)
  const after = placeOf(readCursor(query.cursor))
  const format = readFormat(query.format)
  const { usage } = gateway.store
  await gateway.store.flush()
  const question = { ...scope, ...(after && { after }) }
  if (format === 'json') {
    const data: FlatRow[] = []
    let last: LedgerRow | undefined
    let next: (string | number)[] | undefined
    for await (const rows of recordPages(usage, question, limit + 1))
      for (const row of rows) {
        if (data.length === limit && last) next = [last.record.startedAt, last.sequence]
        else data.push(flatRecord(row.record))
        last = row
      }
    return sendRows(reply, { data, nextCursor: next ? writeCursor(next) : null })
  }
  const { type, body } = streamRows(format, flatPages(usage, question), recordNames)
  reply.type(type).send(body)
}

async function* flatPages(usage: UsageStore, question: Omit<LedgerQuestion, 'limit'>) {
  for await (const rows of recordPages(usage, question))
    yield rows.map(({ record }) => flatRecord(record))
}

/** The records in parts, at most `most` in total. */
async function* recordPages(
  usage: UsageStore,
  question: Omit<LedgerQuestion, 'limit'>,
  most = Infinity,
): AsyncGenerator<readonly LedgerRow[]> {
  let place = question.after
  for (let left = most; left > 0; ) {
    const limit = Math.min(recordsPerRead, left)
    const rows = await usage.records({ ...question, limit, ...(place && { after: place }) })
    yield rows
    left -= rows.length
    const last = rows.at(-1)
    if (rows.length < limit || !last) return
    place = { startedAt: last.record.startedAt, sequence: last.sequence }
  }
}

function placeOf(cursor: readonly (string | number)[] | undefined) {
  if (!cursor) return undefined
  const [startedAt, sequence, ...more] = cursor
  if (typeof startedAt !== 'number' || typeof sequence !== 'number' || more.length > 0)
    throw badCursor()
  return { startedAt, sequence }
}

async function erase(
  body: Readonly<Partial<Record<'user' | 'key', unknown>>>,
  { gateway, key }: Exchange,
) {
  const kinds = (['user', 'key'] as const).filter((kind) => body[kind] !== undefined)
  const [kind, another] = kinds
  if (kind === undefined || another !== undefined)
    throw invalidRequest("Either 'user' or 'key' must be given", another ?? 'user')
  const id = body[kind]
  if (typeof id !== 'string' || id === '') throw invalidRequest(`'${kind}' must be an id`, kind)
  await gateway.store.flush()
  // The contents go first, because they are found by the ids that are replaced next.
  await gateway.contents.flush()
  const contents = await gateway.store.contents.erase({ kind, id })
  const stored = await gateway.store.eraseStored({ kind, id })
  const erased = { ...(await gateway.store.usage.erase({ kind, id })), contents, stored }
  // Records the replacement: the audit log is kept forever and must not contain the erased id.
  const { replacement: target, records } = erased
  await audit(gateway, key, {
    action: 'usage.erase',
    target,
    after: { kind, records, contents, stored },
  })
  return erased
}

async function audit(
  { store, now }: Gateway,
  { id: actor }: Caller,
  facts: { readonly action: string; readonly target: string; readonly after?: object },
): Promise<void> {
  await administer({ store, actor, at: now() }, () => ({ ...facts, writes: [], result: undefined }))
}
