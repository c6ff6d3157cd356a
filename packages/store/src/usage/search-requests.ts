import sql, { join, raw, type Sql } from 'sql-template-tag'
import {
  type FoundRequest,
  type RequestCursor,
  type RequestQuestion,
  type RequestScope,
  usageDimensions,
} from '@sluice/gateway/ports/usage-store.ts'
import { type Columns, readRows } from '../tables/columns.ts'
import { searchSpans, orderedStart, type Span } from './record-spans.ts'
import { recordColumns } from './record-columns.ts'
import type { UsageDatabase } from './fold.ts'
import { isOf } from './records.ts'

/**
 * Searches calls by properties of their attempts, newest first. A call is sorted by its newest matching attempt, so it appears
 * on one page only.
 */
export async function searchRequests(
  database: Pick<UsageDatabase, 'rows'>,
  { limit, before, asOfSequence, sinceSequence, ...scope }: RequestQuestion,
): Promise<readonly FoundRequest[]> {
  const found =
    sinceSequence === undefined
      ? await pageOf(database, scope, { limit, before, asOf: asOfSequence })
      : await readRows(database, foundColumns, newestOf(scope, limit, sinceSequence))
  if (found.length === 0) return []
  const ids = [...new Set(found.map(({ callId }) => callId))]
  const records = await readRows(
    database,
    recordColumns,
    sql`SELECT * FROM usage_records WHERE call_id IN (${join(ids)}) ORDER BY attempt, sequence`,
  )
  const attempts = Map.groupBy(records, ({ callId }) => callId)
  return found.map(({ callId, ...cursor }) => ({
    ...cursor,
    attempts: attempts.get(callId) ?? [],
  }))
}

/** A call by its newest matching attempt. */
interface Found extends RequestCursor {
  readonly callId: string
}

const foundColumns: Columns<Found> = { callId: 'text', startedAt: 'integer', sequence: 'integer' }

interface Page {
  readonly limit: number
  readonly before: RequestCursor | undefined
  readonly asOf: number | undefined
}

async function pageOf(
  database: Pick<UsageDatabase, 'rows'>,
  scope: RequestScope,
  { limit, before, asOf }: Page,
): Promise<readonly Found[]> {
  const to = before ? Math.min(scope.to, before.startedAt + 1) : scope.to
  const found = await Promise.all(
    searchPaths(scope).map(({ only, conditions }) =>
      searchSpans(database, { from: scope.from, to, only, first: 'newest', limit }, (spans, most) =>
        readRows(
          database,
          foundColumns,
          within(spans, scope, { limit: most, before, asOf, conditions }),
        ),
      ),
    ),
  )
  return found.flat().toSorted(newestFirst).slice(0, limit)
}

/** One way to find matching records. Those of a search never overlap. */
interface SearchPath {
  /** The conditions that the sums can check. */
  readonly only: RequestScope['only']
  readonly conditions: readonly Sql[]
}

/** A requested model name may be a route, found by an index, or a target, found by the sums. */
function searchPaths({ only, id, requestedModel: name }: RequestScope): readonly SearchPath[] {
  // An id is found by its index, whatever its time.
  if (id !== undefined) return [{ only: {}, conditions: [] }]
  if (name === undefined) return [{ only, conditions: [] }]
  const byRoute = { only, conditions: [sql`r.requested_model = ${name}`] }
  const isDirect = sql`COALESCE(r.requested_model, '') = ''`
  const byModel = { only: { ...only, model: name }, conditions: [isDirect, sql`r.model = ${name}`] }
  const slash = name.indexOf('/')
  if (slash < 0) return [byRoute, byModel]
  const [provider, model] = [name.slice(0, slash), name.slice(slash + 1)]
  const conditions = [isDirect, sql`r.provider = ${provider}`, sql`r.model = ${model}`]
  return [byRoute, byModel, { only: { ...only, provider, model }, conditions }]
}

function newestFirst(one: RequestCursor, other: RequestCursor): number {
  return other.startedAt - one.startedAt || other.sequence - one.sequence
}

interface FoundOn extends Page, Pick<SearchPath, 'conditions'> {}

/**
 * The offset keeps PostgreSQL from joining: it misjudges how few the other attempts of a call are, and would read whole partitions
 * instead of the index of calls.
 */
function within(spans: readonly Span[], scope: RequestScope, page: FoundOn): Sql {
  const { limit, before, asOf, conditions } = page
  const times = spans.map((span) => sql`(${join(timeOf(indexed, span), ' AND ')})`)
  const place = before ? [isBefore(before)] : []
  if (asOf !== undefined) place.push(isAsOf('r', asOf))
  const newer = asOf === undefined ? sql`1 = 1` : isAsOf('n', asOf)
  return sql`SELECT r.call_id, r.started_at, r.sequence FROM usage_records r
    WHERE (${join(times, ' OR ')}) AND ${join([sql`1 = 1`, ...conditions, ...conditionsOf(indexed, scope), ...place], ' AND ')}
      AND NOT EXISTS (SELECT 1 FROM usage_records n
        WHERE n.call_id = r.call_id AND ${join([newer, ...timeOf(unindexed, scope), ...conditionsOf(unindexed, scope)], ' AND ')}
          AND (n.started_at > r.started_at OR (n.started_at = r.started_at AND n.sequence > r.sequence))
        LIMIT 1 OFFSET 0)
    ORDER BY ${orderedStart(spans, 'r.started_at')} DESC, r.sequence DESC LIMIT ${limit}`
}

/** Only this many of the newest records are searched, so that no index is read from its beginning. */
const newestMax = 2_000

function newestOf(scope: RequestScope, limit: number, sinceSequence: number): Sql {
  return sql`SELECT r.call_id, MAX(r.started_at) AS started_at, MAX(r.sequence) AS sequence FROM (
      SELECT * FROM usage_records WHERE sequence > ${sinceSequence} ORDER BY sequence DESC LIMIT ${newestMax}) r
    WHERE ${join([sql`1 = 1`, ...conditionsOf(indexed, scope)], ' AND ')}
    GROUP BY r.call_id ORDER BY 3 DESC LIMIT ${limit}`
}

function isBefore({ startedAt, sequence }: RequestCursor): Sql {
  return sql`r.started_at <= ${startedAt} AND (r.started_at < ${startedAt} OR r.sequence < ${sequence})`
}

/** Written so that no index is used: nearly all records match. */
function isAsOf(table: 'r' | 'n', sequence: number): Sql {
  return sql`(${raw(table)}.sequence + 0) <= ${sequence}`
}

/** How a condition refers to a column. */
type Named = (column: string) => string

/** The plain column, so that its index can be used. */
const indexed: Named = (column) => `r.${column}`

/** For other attempts of a call, which are few: an expression, so that only the index of calls is used. */
const unindexed: Named = (column) =>
  column === 'started_at' || column === 'status' ? `(n.${column} + 0)` : `(n.${column} || '')`

function timeOf(named: Named, { from, to }: Span): readonly Sql[] {
  const column = raw(named('started_at'))
  return [sql`${column} >= ${from}`, sql`${column} < ${to}`]
}

function conditionsOf(
  named: Named,
  { only, id, status, format, requestedModel }: RequestScope,
): readonly Sql[] {
  const column = (name: string) => raw(named(name))
  const conditions: Sql[] = []
  for (const dimension of usageDimensions) {
    const value = only[dimension]
    if (value !== undefined) conditions.push(isOf(dimension, value, named))
  }
  if (id !== undefined)
    conditions.push(
      sql`${column('call_id')} IN (SELECT call_id FROM usage_records WHERE call_id = ${id}
        UNION SELECT call_id FROM usage_records WHERE request_id = ${id})`,
    )
  if (status) conditions.push(...statusIn(column('status'), status))
  if (format !== undefined) conditions.push(sql`${column('format')} = ${format}`)
  if (requestedModel !== undefined) conditions.push(isAskedAs(column, requestedModel))
  // Selects the partial index of failures; a failure status implies an outcome other than completed.
  if ((only.outcome !== undefined && only.outcome !== 'completed') || (status && status[0] >= 400))
    conditions.push(sql`${column('outcome')} <> 'completed'`)
  return conditions
}

/** A record stores the requested name only if it differs from the target's name. */
function isAskedAs(column: (name: string) => Sql, name: string): Sql {
  const [asked, model] = [column('requested_model'), column('model')]
  return sql`(${asked} = ${name}
    OR (COALESCE(${asked}, '') = '' AND ${name} IN (${model}, ${column('provider')} || '/' || ${model})))`
}

/** A single failure status uses the partial index of failures. */
function statusIn(column: Sql, [first, last]: readonly [number, number]): readonly Sql[] {
  if (first !== last) return [sql`${column} >= ${first}`, sql`${column} <= ${last}`]
  return [sql`${column} = ${first}`, ...(first >= 400 ? [sql`${column} >= 400`] : [])]
}
