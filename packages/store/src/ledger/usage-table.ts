import sql, { join } from 'sql-template-tag'
import type { OrphanedReservation, Store } from '@sluice/gateway/ports/store.ts'
import { fieldsOf } from '../tables/columns.ts'
import type { Database } from '../database.ts'
import { forgetWriters } from './writers.ts'
import { type Ledger, type LedgerOptions, openLedger } from './ledger.ts'
import type { ReservedCall } from './recover-usage.ts'
import { readRecord, recordColumns } from '../usage/record-columns.ts'
import { spentByRecord, spentIn } from '../usage/spent.ts'
import { readState } from '../usage/state.ts'

/** The part of the store for the ledger. Disposing writes pending records. */
export function usageTable(
  database: Database,
  options: Omit<LedgerOptions, 'write' | 'orphanedOf' | 'recovered'>,
): Ledger & Pick<Store, 'lastUse' | 'listUsage'> {
  const ledger = openLedger({
    ...options,
    write: (batch) => database.append({ ...table, documents: batch }),
    orphanedOf: (calls) => orphanedOf(database, calls),
    recovered: (journal) => forgetWriters(database, [journal]),
  })
  return {
    journalName: ledger.journalName,
    beginUsage: (begun, reservation) => ledger.beginUsage(begun, reservation),
    recordUsage: (record) => ledger.recordUsage(record),
    recorded: () => ledger.recorded(),
    flush: () => ledger.flush(),
    checkJournal: () => ledger.checkJournal(),
    waitingUsage: () => ledger.waitingUsage(),
    settleOrphaned: (settle) => ledger.settleOrphaned(settle),
    async lastUse() {
      await ledger.flush()
      const { folded, rebuiltTo } = await readState(database)
      const rows = await database.rows(
        sql`SELECT key_id, MAX(used_at) AS last FROM (
          SELECT key_id, last_used_at AS used_at FROM key_uses UNION ALL
          SELECT key_id, started_at AS used_at FROM usage_records WHERE sequence > ${Math.max(folded, rebuiltTo)}
        ) AS uses GROUP BY key_id`,
      )
      return new Map(rows.map((row) => [String(row['key_id']), Number(row['last'])]))
    },
    async listUsage({ limit }) {
      await ledger.flush()
      const rows = await database.rows(
        sql`SELECT * FROM usage_records ORDER BY sequence DESC LIMIT ${limit}`,
      )
      return rows.map(readRecord)
    },
    [Symbol.asyncDispose]: () => ledger[Symbol.asyncDispose](),
  }
}

/** Unique ids make it safe to write a batch again if it is unknown whether it was written. */
const table = {
  table: 'usage_records',
  columns: [['id', { column: 'id', as: 'text' }] as const, ...fieldsOf(recordColumns)],
} as const

/** Calls per query. */
const callsAtOnce = 500

/** The attempts of calls whose process was killed. Those with unknown cost count as reserved. */
async function orphanedOf(
  database: Pick<Database, 'rows'>,
  calls: readonly ReservedCall[],
): Promise<readonly OrphanedReservation[]> {
  const orphaned: OrphanedReservation[] = []
  for (let from = 0; from < calls.length; from += callsAtOnce) {
    const some = calls.slice(from, from + callsAtOnce)
    const rows = await database.rows(
      // Calls that a budget redirected do not count for the model they asked for.
      sql`SELECT call_id, provider, model, CASE WHEN over_budget IS NULL THEN requested_model END AS asked,
          ${spentByRecord}
        FROM usage_records WHERE call_id IN (${join(some.map(({ callId }) => callId))})`,
    )
    const byCall = Map.groupBy(rows, (row) => String(row['call_id']))
    for (const { callId, reservation } of some)
      orphaned.push({
        reservation,
        attempts: (byCall.get(callId) ?? []).map((row) => ({
          provider: String(row['provider']),
          model: String(row['model']),
          ...(typeof row['asked'] === 'string' && { requestedModel: row['asked'] }),
          money: spentIn(row),
        })),
      })
  }
  return orphaned
}
