import sql, { join, raw, type Sql } from 'sql-template-tag'
import {
  type UsageAnswer,
  type UsageDimension,
  type UsagePeriod,
  type UsageQuestion,
  type UsageScope,
  usageDimensions,
  usagePeriods,
} from '@sluice/gateway/ports/usage-store.ts'
import type { Row } from '../database.ts'
import { textIn } from '../tables/columns.ts'
import {
  dayMs,
  dimensionColumns,
  type Grouping,
  groupingOf,
  hourMs,
  measureColumns,
  periodEnd,
  periodStart,
  summedMeasures,
  sumsOf,
} from './groupings.ts'
import type { UsageDatabase } from './fold.ts'

/** Answers a question from the sums. */
export async function answerSums(
  database: UsageDatabase,
  question: UsageQuestion,
): Promise<Omit<UsageAnswer, 'pending'>> {
  const { by, limit } = question
  const [rows, [total = {}]] = await Promise.all([
    by.length === 0 ? [] : database.rows(groupsQuery(question)),
    database.rows(totalQuery(question)),
  ])
  const page = rows.slice(0, limit)
  return {
    groups: page.map((row) => ({ of: by.map((_, at) => keyOf(row, at)), sums: sumsOf(row) })),
    hasMore: rows.length > limit,
    total: sumsOf(total),
  }
}

function keyOf(row: Row, at: number): string | number {
  const value = row[`by_${at}`]
  return typeof value === 'number' ? value : textIn(row, `by_${at}`)
}

function groupsQuery({ by, after, limit, ...scope }: UsageQuestion): Sql {
  const period = by.find(isPeriod)
  const keys = by.map((one) => (isPeriod(one) ? 'r.bucket' : `g.${dimensionColumns[one]}`))
  const dimensions = by.filter((one): one is UsageDimension => !isPeriod(one))
  const names = keys.map((key, at) => `${key} AS by_${at}`).join(', ')
  const grouping = groupingFor(scope, dimensions)
  const conditions = [
    ...conditionsOf(grouping, scope.only),
    ...(after ? [pageAfter(keys, after)] : []),
  ]
  return sql`SELECT ${raw(names)}, ${raw(summedMeasures)} FROM (${rowsOf(scope, grouping, period)}) r
    CROSS JOIN usage_groups g WHERE ${join(conditions, ' AND ')}
    GROUP BY ${raw(keys.join(', '))} ORDER BY ${raw(keys.join(', '))} LIMIT ${limit + 1}`
}

/** Uses a grouping without tags unless a tag is requested, because a call with two tags would count twice. */
function totalQuery(scope: UsageScope): Sql {
  const grouping = groupingFor(scope, [])
  const rows = sql`SELECT ${raw(summedMeasures)} FROM (${rowsOf(scope, grouping, undefined)}) r`
  if (filteredBy(scope).length === 0) return rows
  return sql`${rows} CROSS JOIN usage_groups g WHERE ${join(conditionsOf(grouping, scope.only), ' AND ')}`
}

const filteredBy = ({ only }: Pick<UsageScope, 'only'>) =>
  usageDimensions.filter((dimension) => only[dimension] !== undefined)

function groupingFor(scope: UsageScope, dimensions: readonly UsageDimension[]): Grouping {
  return groupingOf([...dimensions, ...filteredBy(scope)])
}

function isPeriod(by: UsagePeriod | UsageDimension): by is UsagePeriod {
  return usagePeriods.some((period) => period === by)
}

/** The fewest sums that cover the requested time: whole months, days before and after them, and hours before and after those. */
function rowsOf(
  { from, to }: UsageScope,
  grouping: Grouping,
  period: UsagePeriod | undefined,
): Sql {
  const columns = ['group_id', ...measureColumns].join(', ')
  const selects = segmentsOf(from, to, period).map(
    (
      segment,
    ) => sql`SELECT ${raw(`${bucketOf(segment, period)} AS bucket, ${columns}`)} FROM usage_rollups
      WHERE face = ${grouping} AND period = ${segment.period} AND start_at >= ${segment.from} AND start_at < ${segment.to}`,
  )
  return join(selects, ' UNION ALL ')
}

interface Segment {
  readonly period: UsagePeriod
  readonly from: number
  readonly to: number
}

/** The day or month of an hour follows from its segment, because no segment crosses the end of a larger period. */
function bucketOf(segment: Segment, period: UsagePeriod | undefined): string {
  if (period === undefined || period === segment.period) return 'start_at'
  return String(periodStart(period, segment.from))
}

/** Splits the time from `from` to `to` into periods of the largest kinds, none larger than `largest`. */
export function segmentsOf(
  from: number,
  to: number,
  largest: UsagePeriod = 'month',
): readonly Segment[] {
  const kinds = usagePeriods.slice(0, usagePeriods.indexOf(largest) + 1).toReversed()
  const segments: Segment[] = []
  for (let at = from; at < to; ) {
    const period = kinds.find((kind) => periodStart(kind, at) === at && periodEnd(kind, at) <= to)
    const kind = period ?? 'hour'
    const end = Math.max(periodEnd('hour', at), endOfRun(kind, at, { to, kinds }))
    segments.push({ period: kind, from: at, to: end })
    at = end
  }
  return segments.length > 0 ? segments : [{ period: 'hour', from, to }]
}

/** A run of one kind ends where a period of a larger kind can begin, or where no further one fits. */
function endOfRun(
  kind: UsagePeriod,
  at: number,
  { to, kinds }: { readonly to: number; readonly kinds: readonly UsagePeriod[] },
): number {
  const larger = kinds[kinds.indexOf(kind) - 1]
  if (larger !== undefined) {
    const end = Math.min(periodEnd(larger, at), to)
    return kind === 'day' ? end - ((end - at) % dayMs) : end - ((end - at) % hourMs)
  }
  return periodStart(kind, to)
}

/**
 * Conditions that join a sum `r` with its group `g` and filter it. CROSS JOIN fixes the reading order in SQLite, which would
 * otherwise scan the sums once per group of a grouping.
 */
export function conditionsOf(grouping: Grouping, only: UsageScope['only']): readonly Sql[] {
  return [
    sql`g.id = r.group_id`,
    sql`g.face = ${grouping}`,
    ...usageDimensions.flatMap((dimension) => {
      const value = only[dimension]
      return value === undefined ? [] : [sql`${raw(`g.${dimensionColumns[dimension]}`)} = ${value}`]
    }),
  ]
}

function pageAfter(keys: readonly string[], after: readonly (string | number)[]): Sql {
  return sql`(${raw(keys.join(', '))}) > (${join(after)})`
}
