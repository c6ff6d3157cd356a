import sql, { join, raw } from 'sql-template-tag'
import { type UsagePeriod, type UsageScope, usageDimensions } from '../ports/usage-book.ts'
import { dimensionColumns, faceOf, hourMs, periodEnd, periodStart } from './usage-faces.ts'
import type { UsageDatabase } from './usage-fold.ts'
import { readState } from './usage-state.ts'

/** From a moment until before another, in milliseconds. */
export interface Span {
  readonly from: number
  readonly to: number
}

/**
 * The times in which there is something of the scope's dimensions, the newest first and without overlap. The sums know it by
 * the hour, so that the records need an index for time alone: one for each dimension would cost every call. What is not
 * summed yet is in the first span.
 */
export async function* spansOf(
  database: Pick<UsageDatabase, 'rows'>,
  scope: UsageScope,
): AsyncGenerator<Span> {
  const { from, to, only } = scope
  if (usageDimensions.every((dimension) => only[dimension] === undefined)) {
    yield { from, to }
    return
  }
  const [oldest] = await database.rows(sql`SELECT MIN(started_at) AS at FROM usage_records`)
  const first = Math.max(from, Number(oldest?.['at'] ?? to))
  const summedTo = Math.max(first, Math.min(to, await unsummedFrom(database)))
  if (summedTo < to) yield { from: summedTo, to }
  if (first < summedTo) yield* summedSpans(database, { from: first, to: summedTo, only }, 'month')
}

/** The hour from which on there may be records that no sum holds. */
async function unsummedFrom(database: Pick<UsageDatabase, 'rows'>): Promise<number> {
  const { folded, foldedFurther, clearing } = await readState(database)
  if (clearing > 0) return 0
  // Not read from the index of times, which would be looked through to its end.
  const [unsummed] = await database.rows(
    sql`SELECT MIN(started_at + 0) AS at FROM usage_records WHERE sequence > ${Math.min(folded, foldedFurther)}`,
  )
  const at = unsummed?.['at']
  return at == null ? Infinity : Number(at) - (Number(at) % hourMs)
}

const finer: Readonly<Record<UsagePeriod, UsagePeriod | undefined>> = {
  month: 'day',
  day: 'hour',
  hour: undefined,
}

/** The hours of the periods that have something of the scope. */
async function* summedSpans(
  database: Pick<UsageDatabase, 'rows'>,
  { from, to, only }: UsageScope,
  period: UsagePeriod,
): AsyncGenerator<Span> {
  const filtered = usageDimensions.filter((dimension) => only[dimension] !== undefined)
  const conditions = filtered.map(
    (dimension) => sql`g.${raw(dimensionColumns[dimension])} = ${only[dimension] ?? ''}`,
  )
  const rows = await database.rows(
    sql`SELECT DISTINCT r.start_at FROM usage_rollups r JOIN usage_groups g ON g.id = r.group_id
      WHERE r.face = ${faceOf(filtered)} AND r.period = ${period}
        AND r.start_at >= ${periodStart(period, from)} AND r.start_at < ${to} AND ${join(conditions, ' AND ')}
      ORDER BY r.start_at DESC`,
  )
  const next = finer[period]
  for (const row of rows) {
    const start = Number(row['start_at'])
    const span = { from: Math.max(from, start), to: Math.min(to, periodEnd(period, start)) }
    if (next) yield* summedSpans(database, { ...span, only }, next)
    else yield span
  }
}
