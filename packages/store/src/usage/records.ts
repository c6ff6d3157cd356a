import sql, { join, raw, type Sql } from 'sql-template-tag'
import {
  type LedgerQuestion,
  type LedgerRow,
  type SpentGroup,
  type UsageStore,
  type UsageDimension,
  usageDimensions,
} from '@sluice/gateway/ports/usage-store.ts'
import { searchSpans, orderedStart, type Span } from './record-spans.ts'
import { readRecord } from './record-columns.ts'
import { dimensionColumns, hourMs } from './groupings.ts'
import type { UsageDatabase } from './fold.ts'
import { numberIn, readerOf } from '../tables/columns.ts'
import {
  type Spending,
  spendingByGroup,
  spendingColumns,
  spendingGroup,
  spendingOf,
} from './spent.ts'

/** A page of the ledger's records, ordered by start time. */
export async function listRecords(
  database: Pick<UsageDatabase, 'rows'>,
  { from, to, only, limit, after }: LedgerQuestion,
): Promise<readonly LedgerRow[]> {
  const begin = Math.max(from, after?.startedAt ?? 0)
  const place = after
    ? [sql`(started_at > ${after.startedAt} OR sequence > ${after.sequence})`]
    : []
  const rows = await searchSpans(
    database,
    { from: begin, to, only, first: 'oldest', limit },
    (spans, most) =>
      database.rows(
        sql`SELECT * FROM usage_records WHERE ${join([withinSpans(spans), ...conditionsOf(only), ...place], ' AND ')}
          ORDER BY ${orderedStart(spans, 'started_at')}, sequence LIMIT ${most}`,
      ),
  )
  return rows.map((row) => ({ sequence: numberIn(row, 'sequence'), record: readRecord(row) }))
}

const readSpending = readerOf<Spending & { readonly hour: number }>({
  ...spendingColumns,
  hour: 'integer',
})

/** The cost of records that began from a moment on; see `UsageStore.spent`. */
export async function spentGroups(
  database: UsageDatabase,
  { from, to = endOfTime, only, isUnknown = false }: Parameters<UsageStore['spent']>[0],
): Promise<readonly SpentGroup[]> {
  const unknown = isUnknown ? [sql`cost_micro_usd IS NULL`] : []
  const hour = raw(`started_at - started_at % ${hourMs}`)
  const search = (spans: readonly Span[]) =>
    database.rows(
      sql`SELECT ${hour} AS hour, ${spendingByGroup} FROM usage_records
        WHERE ${join([withinSpans(spans), ...conditionsOf(only), ...unknown], ' AND ')}
        GROUP BY ${spendingGroup}, ${hour}`,
    )
  const scope = { from, to, only, first: 'oldest', limit: Infinity } as const
  // Records with unknown cost have their own index.
  const rows = isUnknown ? await search([scope]) : await searchSpans(database, scope, search)
  return rows.map((row) => spendingOf(readSpending(row)))
}

/** Later than any clock, so that records that began a moment ago are included. */
const endOfTime = Number.MAX_SAFE_INTEGER

function withinSpans(spans: readonly Span[]): Sql {
  const times = spans.map(({ from, to }) => sql`(started_at >= ${from} AND started_at < ${to})`)
  return sql`(${join(times, ' OR ')})`
}

function conditionsOf(only: LedgerQuestion['only']): readonly Sql[] {
  return usageDimensions.flatMap((dimension) => {
    const value = only[dimension]
    return value === undefined ? [] : [isOf(dimension, value)]
  })
}

/** The condition that a record has this value of a dimension. */
export function isOf(
  dimension: UsageDimension,
  value: string,
  named: (column: string) => string = (column) => column,
): Sql {
  const column = raw(named(dimension === 'tag' ? 'tags' : dimensionColumns[dimension]))
  if (value === '') return sql`${column} IS NULL`
  // Tags are stored as a JSON list; the quoted tag occurs in it only as a whole entry.
  if (dimension === 'tag')
    return sql`${column} IS NOT NULL AND REPLACE(${column}, ${JSON.stringify(value)}, '') <> ${column}`
  return sql`${column} = ${value}`
}
