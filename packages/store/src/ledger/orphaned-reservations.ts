import sql, { join } from 'sql-template-tag'
import type { OrphanedReservation } from '@sluice/gateway/ports/store.ts'
import type { Database } from '../database.ts'
import type { ReservedCall } from './recover-usage.ts'
import { spentByRecord, spentIn } from '../usage/spent.ts'

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
