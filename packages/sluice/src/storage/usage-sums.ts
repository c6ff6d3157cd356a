import sql, { join, raw, type Sql } from 'sql-template-tag'
import {
  type UsageAnswer,
  type UsageDimension,
  type UsagePeriod,
  type UsageQuestion,
  type UsageScope,
  usageDimensions,
  usagePeriods,
} from '../ports/usage-book.ts'
import type { Row } from './database.ts'
import {
  dayMs,
  dimensionColumns,
  type Face,
  faceOf,
  hourMs,
  measureColumns,
  periodEnd,
  periodStart,
  summed,
  sumsOf,
} from './usage-faces.ts'
import type { UsageDatabase } from './usage-fold.ts'

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
  return typeof value === 'number' ? value : String(value)
}

function groupsQuery({ by, after, limit, ...scope }: UsageQuestion): Sql {
  const period = by.find(isPeriod)
  const keys = by.map((one) => (isPeriod(one) ? 'r.bucket' : `g.${dimensionColumns[one]}`))
  const dimensions = by.filter((one): one is UsageDimension => !isPeriod(one))
  const names = keys.map((key, at) => `${key} AS by_${at}`).join(', ')
  const sums = measureColumns.map((column) => summed(column)).join(', ')
  const face = faceFor(scope, dimensions)
  const conditions = [...conditionsOf(face, scope.only), ...(after ? [pageAfter(keys, after)] : [])]
  return sql`SELECT ${raw(names)}, ${raw(sums)} FROM (${rowsOf(scope, face, period)}) r
    CROSS JOIN usage_groups g WHERE ${join(conditions, ' AND ')}
    GROUP BY ${raw(keys.join(', '))} ORDER BY ${raw(keys.join(', '))} LIMIT ${limit + 1}`
}

/** Without the tags, unless one of them is asked for: a call that has two would count twice. */
function totalQuery(scope: UsageScope): Sql {
  const sums = measureColumns.map((column) => summed(column)).join(', ')
  const face = faceFor(scope, [])
  const rows = sql`SELECT ${raw(sums)} FROM (${rowsOf(scope, face, undefined)}) r`
  if (filteredBy(scope).length === 0) return rows
  return sql`${rows} CROSS JOIN usage_groups g WHERE ${join(conditionsOf(face, scope.only), ' AND ')}`
}

const filteredBy = ({ only }: Pick<UsageScope, 'only'>) =>
  usageDimensions.filter((dimension) => only[dimension] !== undefined)

function faceFor(scope: UsageScope, dimensions: readonly UsageDimension[]): Face {
  return faceOf([...dimensions, ...filteredBy(scope)])
}

function isPeriod(by: UsagePeriod | UsageDimension): by is UsagePeriod {
  return usagePeriods.some((period) => period === by)
}

/** The smallest number of sums that make up the time that is asked for: whole months, days at their sides, hours at theirs. */
function rowsOf({ from, to }: UsageScope, face: Face, period: UsagePeriod | undefined): Sql {
  const columns = ['group_id', ...measureColumns].join(', ')
  const selects = segmentsOf(from, to, period).map(
    (
      segment,
    ) => sql`SELECT ${raw(`${bucketOf(segment, period)} AS bucket, ${columns}`)} FROM usage_rollups
      WHERE face = ${face} AND period = ${segment.period} AND start_at >= ${segment.from} AND start_at < ${segment.to}`,
  )
  return join(selects, ' UNION ALL ')
}

interface Segment {
  readonly period: UsagePeriod
  readonly from: number
  readonly to: number
}

/** An hour's day and month are told from where its segment lies: none reaches over the end of a larger period. */
function bucketOf(segment: Segment, period: UsagePeriod | undefined): string {
  if (period === undefined || period === segment.period) return 'start_at'
  return String(periodStart(period, segment.from))
}

/** The time from `from` to `to` in periods of the largest kinds, none larger than `largest`. */
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

/** Periods of one kind go on until one of a larger kind may begin, or none fits any more. */
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
 * The group `g` of a sum `r`, and what it has to be. With CROSS JOIN, which SQLite takes for the order to read them in: it would
 * else look through the sums once for each group of a face.
 */
export function conditionsOf(face: Face, only: UsageScope['only']): readonly Sql[] {
  return [
    sql`g.id = r.group_id`,
    sql`g.face = ${face}`,
    ...usageDimensions.flatMap((dimension) => {
      const value = only[dimension]
      return value === undefined ? [] : [sql`${raw(`g.${dimensionColumns[dimension]}`)} = ${value}`]
    }),
  ]
}

function pageAfter(keys: readonly string[], after: readonly (string | number)[]): Sql {
  return sql`(${raw(keys.join(', '))}) > (${join(after)})`
}
