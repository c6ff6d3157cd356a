import sql, { join, raw, type Sql } from 'sql-template-tag'
import {
  type UsagePeriod,
  type UsageScope,
  usageDimensions,
} from '@sluice/gateway/ports/usage-store.ts'
import { findNumber, readRows } from '../tables/columns.ts'
import { groupingOf, periodEnd, periodStart } from './groupings.ts'
import type { UsageDatabase } from './fold.ts'
import { readState } from './state.ts'
import { conditionsOf } from './sums.ts'

/** A time span in milliseconds; `to` is exclusive. */
export interface Span {
  readonly from: number
  readonly to: number
}

/** Which end of a time range comes first. */
type Order = 'newest' | 'oldest'

interface OrderedScope extends UsageScope {
  readonly first: Order
}

/** Maximum number of hours searched at once. */
const hoursMax = 128
/** With more separate spans SQLite reads the whole table instead of the index once per span. */
const spansMax = 16

/**
 * Calls `search` for the time spans that contain records of the scope's dimensions: first one, then twice as many at once while
 * too little was found. Adjacent spans are joined.
 */
export async function searchSpans<Found>(
  database: Pick<UsageDatabase, 'rows'>,
  scope: OrderedScope & { readonly limit: number },
  search: (spans: readonly Span[], limit: number) => Promise<readonly Found[]>,
): Promise<readonly Found[]> {
  const { limit } = scope
  const found: Found[] = []
  let spans: Span[] = []
  let spanCount = 0
  let spansAtOnce = 1
  for await (const span of spansOf(database, scope)) {
    joinSpan(spans, span)
    if ((spanCount += 1) < spansAtOnce && spans.length < spansMax) continue
    found.push(...(await search(spans, limit - found.length)))
    if (found.length >= limit) return found
    spans = []
    spanCount = 0
    spansAtOnce = Math.min(2 * spansAtOnce, hoursMax)
  }
  if (spans.length > 0) found.push(...(await search(spans, limit - found.length)))
  return found
}

/**
 * The column with the start time of a record, for ordering within spans. For several spans SQLite must not use the index
 * order, because it would scan everything between them; for one it should read no more than needed.
 */
export function orderedStart(spans: readonly Span[], column: string): Sql {
  return raw(spans.length > 1 ? `+${column}` : column)
}

function joinSpan(spans: Span[], span: Span): void {
  const last = spans.at(-1)
  if (last?.from === span.to) spans[spans.length - 1] = { from: span.from, to: last.to }
  else if (last?.to === span.from) spans[spans.length - 1] = { from: last.from, to: span.to }
  else spans.push(span)
}

/**
 * The spans that contain records of the scope's dimensions, without overlap. The sums know them by the hour, so records need
 * an index on time only: an index per dimension would slow down every call. Unsummed records are in a span of their own, the
 * newest.
 */
async function* spansOf(
  database: Pick<UsageDatabase, 'rows'>,
  scope: OrderedScope,
): AsyncGenerator<Span> {
  const { from, to } = scope
  const only = summedOf(scope.only)
  if (Object.keys(only).length === 0) {
    yield { from, to }
    return
  }
  const oldest = await findNumber(database, sql`SELECT MIN(started_at) FROM usage_records`)
  const begin = Math.max(from, oldest ?? to)
  const summedTo = Math.max(begin, Math.min(to, await unsummedFrom(database)))
  const unsummed = summedTo < to ? [{ from: summedTo, to }] : []
  if (scope.first === 'newest') yield* unsummed
  if (begin < summedTo)
    yield* summedSpans(database, { ...scope, only, from: begin, to: summedTo }, 'month')
  if (scope.first === 'oldest') yield* unsummed
}

/** Records without tags are only summed together with all others. */
function summedOf(only: UsageScope['only']): UsageScope['only'] {
  return Object.fromEntries(
    usageDimensions.flatMap((dimension) => {
      const value = only[dimension]
      return value === undefined || (dimension === 'tag' && value === '')
        ? []
        : [[dimension, value]]
    }),
  )
}

/** The first hour that may contain records missing from the sums. */
async function unsummedFrom(database: Pick<UsageDatabase, 'rows'>): Promise<number> {
  const { folded, foldedFurther, clearing } = await readState(database)
  if (clearing > 0) return 0
  // Written so that the index on time is not used, which would be scanned to its end.
  const unsummed = await findNumber(
    database,
    sql`SELECT MIN(started_at + 0) FROM usage_records WHERE sequence > ${Math.min(folded, foldedFurther)}`,
  )
  return unsummed === undefined ? Infinity : periodStart('hour', unsummed)
}

const finer: Readonly<Record<UsagePeriod, UsagePeriod | undefined>> = {
  month: 'day',
  day: 'hour',
  hour: undefined,
}

/** The hours that contain something of the scope, narrowed down from months and days. */
async function* summedSpans(
  database: Pick<UsageDatabase, 'rows'>,
  scope: OrderedScope,
  period: UsagePeriod,
): AsyncGenerator<Span> {
  const { from, to, only, first } = scope
  const grouping = groupingOf(usageDimensions.filter((dimension) => only[dimension] !== undefined))
  const rows = await readRows<{ readonly startAt: number }>(
    database,
    { startAt: 'integer' },
    sql`SELECT DISTINCT r.start_at FROM usage_rollups r CROSS JOIN usage_groups g
      WHERE r.face = ${grouping} AND r.period = ${period} AND r.start_at >= ${periodStart(period, from)}
        AND r.start_at < ${to} AND ${join(conditionsOf(grouping, only), ' AND ')}
      ORDER BY r.start_at ${raw(first === 'newest' ? 'DESC' : 'ASC')}`,
  )
  const next = finer[period]
  for (const { startAt } of rows) {
    const span = { from: Math.max(from, startAt), to: Math.min(to, periodEnd(period, startAt)) }
    if (next) yield* summedSpans(database, { ...scope, ...span }, next)
    else yield span
  }
}
