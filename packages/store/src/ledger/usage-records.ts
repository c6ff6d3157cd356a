import sql, { join } from 'sql-template-tag'
import type { UsageRecord } from '@sluice/contract'
import type { OrphanedReservation } from '@sluice/gateway/ports/store.ts'
import type { Database } from '../database.ts'
import { fieldsOf, readRows } from '../tables/columns.ts'
import { readRecord, recordColumns } from '../usage/record-columns.ts'
import { type Spending, spendingByRecord, spendingColumns, spendingOf } from '../usage/spent.ts'
import { readState } from '../usage/state.ts'
import type { ReservedCall } from './recover-usage.ts'

const columns = [['id', { column: 'id', as: 'text' }] as const, ...fieldsOf(recordColumns)]

/**
 * Writes records to the database, all of them or none. Those whose id exists are skipped, so it is safe to write some again if it
 * is unknown whether they were written.
 */
export function appendRecords(
  database: Pick<Database, 'append'>,
  documents: readonly string[],
): Promise<void> {
  return database.append({ table: 'usage_records', columns, documents })
}

/** See `Store.lastUse`. */
export async function lastUse(
  database: Pick<Database, 'rows'>,
): Promise<ReadonlyMap<string, number>> {
  const { folded, rebuiltTo } = await readState(database)
  const rows = await readRows<{ readonly keyId: string; readonly last: number }>(
    database,
    { keyId: 'text', last: 'integer' },
    sql`SELECT key_id, MAX(used_at) AS last FROM (
      SELECT key_id, last_used_at AS used_at FROM key_uses UNION ALL
      SELECT key_id, started_at AS used_at FROM usage_records WHERE sequence > ${Math.max(folded, rebuiltTo)}
    ) AS uses GROUP BY key_id`,
  )
  return new Map(rows.map(({ keyId, last }) => [keyId, last]))
}

/** The newest records, newest first. */
export async function newestRecords(
  database: Pick<Database, 'rows'>,
  limit: number,
): Promise<readonly UsageRecord[]> {
  const rows = await database.rows(
    sql`SELECT * FROM usage_records ORDER BY sequence DESC LIMIT ${limit}`,
  )
  return rows.map(readRecord)
}

/** Calls per query. */
const callsAtOnce = 500

/** The attempts of calls whose process was killed. Those with unknown cost count as reserved. */
export async function orphanedOf(
  database: Pick<Database, 'rows'>,
  calls: readonly ReservedCall[],
): Promise<readonly OrphanedReservation[]> {
  const orphaned: OrphanedReservation[] = []
  for (let from = 0; from < calls.length; from += callsAtOnce) {
    const some = calls.slice(from, from + callsAtOnce)
    const rows = await readRows<Spending & { readonly callId: string }>(
      database,
      { callId: 'text', ...spendingColumns },
      sql`SELECT call_id, ${spendingByRecord}
        FROM usage_records WHERE call_id IN (${join(some.map(({ callId }) => callId))})`,
    )
    const byCall = Map.groupBy(rows, ({ callId }) => callId)
    for (const { callId, reservation } of some)
      orphaned.push({
        reservation,
        attempts: (byCall.get(callId) ?? []).map(({ callId: _, ...spent }) => spendingOf(spent)),
      })
  }
  return orphaned
}
