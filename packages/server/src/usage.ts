import { invalidRequest } from '@sluice/contract'
import { administer } from '@sluice/gateway/accounts/administer.ts'
import type { Gateway } from './gateway.ts'
import { turn } from '@sluice/gateway/turns/turn.ts'
import type { AdminRole, Caller } from '@sluice/gateway/ports/api-key.ts'
import type { Store } from '@sluice/gateway/ports/store.ts'
import type {
  LedgerQuestion,
  LedgerRow,
  UsageAnswer,
  UsageBook,
  UsageQuestion,
} from '@sluice/gateway/ports/usage-book.ts'
import type { Address, Exchange } from './address.ts'
import { parseJsonObject, readBody } from './body.ts'
import { limitsOf } from './inference.ts'
import type { JsonSchema } from './openapi-schema.ts'
import { answer, object, text } from './openapi-written.ts'
import {
  allDimensions,
  assertKnown,
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
  shownAnswer,
  shownGroup,
  streamRows,
} from './usage-rows.ts'

const count = { type: 'integer', minimum: 0 }
const textOrNull = { type: ['string', 'null'] }

/** The schema of sums; in groups the group's keys come first. */
export const sumsSchema: JsonSchema = {
  type: 'object',
  description:
    'Sums. `costMicroUsd` is in millionths of a US dollar, with decimals, and without attempts whose cost is unknown, which `unknownCosts` counts; null where no cost is known. `firstTokenP50Ms` and `firstTokenP95Ms` are of streams, from counts between fixed bounds (50, 100, 200, 300, 500, 750 ms, 1, 1.5, 2, 3, 5, 7.5, 10, 20, 60 s), between which all are taken to lie evenly; null where nothing streamed.',
  properties: {
    attempts: count,
    calls: count,
    unknownCosts: count,
    estimated: count,
    unsettled: count,
    costMicroUsd: { type: ['number', 'null'] },
    inputTokens: count,
    outputTokens: count,
    firstTokenP50Ms: { type: ['integer', 'null'] },
    firstTokenP95Ms: { type: ['integer', 'null'] },
  },
  additionalProperties: { type: ['string', 'number', 'null'] },
}

const page = (items: JsonSchema, further: Record<string, JsonSchema> = {}) =>
  object({ data: { type: 'array', items }, ...further, nextCursor: textOrNull })

const streams = {
  'text/csv': { schema: { type: 'string' } },
  'application/jsonl': { schema: { type: 'string' } },
}

const pending = {
  ...count,
  description: 'Records that the sums do not hold yet; usually 0.',
}

const erasedSchema = object({ replacement: text, records: count, contents: count })

const readers: readonly AdminRole[] = ['owner', 'operator', 'viewer', 'team']
const changers: readonly AdminRole[] = ['owner', 'operator']

/** Usage endpoints for administrators. */
export const usageAddresses: readonly Address[] = [
  {
    method: 'GET',
    path: '/admin/v1/usage',
    access: 'administrator',
    roles: readers,
    description: {
      operationId: 'getUsage',
      summary: 'Get what was used and what it cost, in sums',
      tags: ['Usage'],
      parameters: [
        byParameter(allDimensions),
        ...scopeParameters(allDimensions),
        ...pageParameters,
        formatParameter,
      ],
      reply: withStreams(
        answer(page(sumsSchema, { from: text, to: text, total: sumsSchema, pending })),
      ),
    },
    serve: serveSums,
  },
  {
    method: 'GET',
    path: '/admin/v1/usage/records',
    access: 'administrator',
    roles: readers,
    description: {
      operationId: 'listUsageRecords',
      summary: 'List the records of the ledger, one for each attempt, oldest first',
      tags: ['Usage'],
      parameters: [...scopeParameters(allDimensions), ...pageParameters, formatParameter],
      reply: withStreams(answer(page(flatRecordSchema))),
    },
    serve: serveRecords,
  },
  {
    method: 'POST',
    path: '/admin/v1/usage/rebuild',
    access: 'administrator',
    roles: changers,
    description: {
      operationId: 'rebuildUsage',
      summary: 'Make the sums of usage anew from the records',
      tags: ['Usage'],
      reply: answer(object({ pending })),
    },
    serve: serveRebuild,
  },
  {
    method: 'POST',
    path: '/admin/v1/usage/erase',
    access: 'administrator',
    roles: changers,
    description: {
      operationId: 'eraseUsage',
      summary:
        'Replace the id of a user or a key in all records and sums by one that says nothing, and remove its prompts and answers',
      tags: ['Usage'],
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: {
              type: 'object',
              description: 'One of both. With a user, the ids of the user’s keys are replaced too.',
              properties: { user: text, key: text },
            },
            example: { user: 'user_1' },
          },
        },
      },
      reply: answer(erasedSchema),
    },
    serve: serveErase,
  },
]

function withStreams(reply: ReturnType<typeof answer>): Readonly<Record<string, JsonSchema>> {
  const { description, content } = reply['200']
  return { '200': { description, content: { ...content, ...streams } } }
}

/** How long a response waits for the sums to include what was recorded before the request, in milliseconds. */
const catchUpMs = 4_000

/** Waits until the sums include everything recorded so far, but at most `waitMs`. */
export async function catchUp(
  store: Pick<Store, 'book' | 'flush'>,
  waitMs = catchUpMs,
): Promise<void> {
  await store.flush()
  const until = performance.now() + waitMs
  while ((await store.book.fold()) > 0 && performance.now() < until);
}

const scopeNames = ['from', 'to', ...allDimensions, 'limit', 'cursor', 'format']

async function serveSums({ gateway, key, reply, request }: Exchange): Promise<void> {
  const { query } = request
  assertKnown(query, ['by', ...scopeNames])
  const askable = { dimensions: allDimensions, now: gateway.now() }
  const question = withinTeam(readQuestion(query, askable), key)
  const format = readFormat(query)
  const { book } = gateway.store
  await catchUp(gateway.store)
  if (format === 'json') {
    return sendRows(reply, await pageOf(question, await book.sums(question)))
  }
  const [first] = (await book.sums({ ...question, limit: 1 })).groups
  const names = Object.keys(
    shownGroup(
      question.by,
      first ?? { of: question.by.map(() => ''), sums: await noSums(book, question) },
    ),
  )
  const { type, body } = streamRows(format, groupPages(book, question), names)
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
  book: UsageBook,
  question: UsageQuestion,
): AsyncGenerator<readonly FlatRow[]> {
  if (question.by.length === 0) {
    yield [shownGroup([], { of: [], sums: (await book.sums(question)).total })]
    return
  }
  for (let after = question.after; ; ) {
    const found = await book.sums({ ...question, limit: groupsPerRead, ...(after && { after }) })
    for (let from = 0; from < found.groups.length; from += groupsPerTurn) {
      await turn()
      const groups = found.groups.slice(from, from + groupsPerTurn)
      yield groups.map((group) => shownGroup(question.by, group))
    }
    after = found.groups.at(-1)?.of
    if (!found.hasMore) return
  }
}

async function noSums(book: UsageBook, question: UsageQuestion) {
  return (await book.sums({ ...question, by: [], to: question.from })).total
}

/**
 * Records per read: few, so that others get a turn after some milliseconds and a slow reader of a stream holds little memory.
 */
const recordsPerRead = 250

async function serveRecords({ gateway, key, reply, request }: Exchange): Promise<void> {
  const { query } = request
  assertKnown(query, scopeNames)
  const askable = { dimensions: allDimensions, now: gateway.now() }
  const scope = withinTeam(readScope(query, askable, 1), key)
  const limit = readLimit(query)
  const after = placeOf(readCursor(query))
  const format = readFormat(query)
  const { book } = gateway.store
  await gateway.store.flush()
  const question = { ...scope, ...(after && { after }) }
  if (format === 'json') {
    const data: FlatRow[] = []
    let last: LedgerRow | undefined
    let next: (string | number)[] | undefined
    for await (const rows of recordPages(book, question, limit + 1))
      for (const row of rows) {
        if (data.length === limit && last) next = [last.record.startedAt, last.sequence]
        else data.push(flatRecord(row.record))
        last = row
      }
    return sendRows(reply, { data, nextCursor: next ? writeCursor(next) : null })
  }
  const { type, body } = streamRows(format, flatPages(book, question), recordNames)
  reply.type(type).send(body)
}

async function* flatPages(book: UsageBook, question: Omit<LedgerQuestion, 'limit'>) {
  for await (const rows of recordPages(book, question))
    yield rows.map(({ record }) => flatRecord(record))
}

/** The records in parts, at most `most` in total. */
async function* recordPages(
  book: UsageBook,
  question: Omit<LedgerQuestion, 'limit'>,
  most = Infinity,
): AsyncGenerator<readonly LedgerRow[]> {
  let place = question.after
  for (let left = most; left > 0; ) {
    const limit = Math.min(recordsPerRead, left)
    const rows = await book.records({ ...question, limit, ...(place && { after: place }) })
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

async function serveRebuild({ gateway, key, reply }: Exchange): Promise<void> {
  const { book } = gateway.store
  await book.rebuild()
  await audit(gateway, key, { action: 'usage.rebuild', target: 'usage' })
  const { pending: left } = await book.sums({ from: 0, to: 1, only: {}, by: [], limit: 1 })
  reply.send({ pending: left })
}

async function serveErase(exchange: Exchange): Promise<void> {
  const { gateway, key, options, reply, request } = exchange
  const raw = await readBody(request.raw, limitsOf(exchange))
  const body = await parseJsonObject(raw, request.headers['content-type'], options.bodyUnitsMax)
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
  const erased = { ...(await gateway.store.book.erase({ kind, id })), contents }
  // Records the replacement: the audit log is kept forever and must not contain the erased id.
  const { replacement: target, records } = erased
  await audit(gateway, key, { action: 'usage.erase', target, after: { kind, records, contents } })
  reply.send(erased)
}

async function audit(
  { store, now }: Gateway,
  { id: actor }: Caller,
  facts: { readonly action: string; readonly target: string; readonly after?: object },
): Promise<void> {
  await administer({ store, actor, at: now() }, () => ({ ...facts, writes: [], result: undefined }))
}
