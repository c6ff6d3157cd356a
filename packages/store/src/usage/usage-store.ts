import sql from 'sql-template-tag'
import type { UsageStore } from '@sluice/gateway/ports/usage-store.ts'
import type { Database } from '../database.ts'
import { searchRequests } from './search-requests.ts'
import { eraseIds } from './erase-ids.ts'
import { dayMs } from './groupings.ts'
import { clearNext, foldNext, type Horizon, type UsageDatabase } from './fold.ts'
import { listRecords, spentGroups } from './records.ts'
import {
  assertUnchanged,
  foldedWhole,
  lastRecord,
  nextEpoch,
  readState,
  setState,
} from './state.ts'
import { answerSums } from './sums.ts'

/** Number of records removed per transaction. */
const recordsPerRemoval = 2_000

export interface UsageStoreOptions {
  /** Default: the newest record. */
  readonly horizon?: Horizon
  /**
   * Drops many records at once, all of which started before `before` and are in the sums. Returns their number, or undefined if
   * there are none to drop. Default: records are only deleted row by row.
   */
  readonly dropPart?: (before: number) => Promise<number | undefined>
}

/** The usage store of a database. Disposing it does not dispose the database. */
export function createUsageStore(
  database: UsageDatabase,
  { horizon = () => lastRecord(database), dropPart }: UsageStoreOptions = {},
): UsageStore {
  async function fold(): Promise<number> {
    const state = await readState(database)
    try {
      if (state.clearing > 0) {
        await clearNext(database, state)
        return await lastRecord(database)
      }
      const last = await horizon()
      return last === undefined ? 0 : await foldNext(database, state, last)
    } catch (error) {
      // Another process got there first, so the marks have changed.
      const now = await readState(database)
      if (JSON.stringify(now) === JSON.stringify(state)) throw error
      return 1
    }
  }

  return {
    fold,
    async sums(question) {
      const answer = await answerSums(database, question)
      const state = await readState(database)
      const last = await lastRecord(database)
      const { clearing } = state
      return { ...answer, pending: clearing > 0 ? last : Math.max(0, last - foldedWhole(state)) }
    },
    records: (question) => listRecords(database, question),
    spent: (scope) => spentGroups(database, scope),
    requests: (question) => searchRequests(database, question),
    newest: () => lastRecord(database),
    async rebuild() {
      const { clearing } = await readState(database)
      if (clearing === 0) await database.change(nextEpoch, assertUnchanged('clearing', 0, 1))
    },
    async forget(before) {
      const day = before - (before % dayMs)
      const state = await readState(database)
      if (day > state.keptFrom) await database.change(setState('keptFrom', day))
      const dropped = await dropPart?.(day)
      if (dropped !== undefined) return { records: dropped, hasMore: true }
      // The newest record stays, because SQLite would reuse its number for a record that would then count as already summed.
      const [removed = 0] = await database.change(
        sql`DELETE FROM usage_records WHERE sequence IN (
          SELECT sequence FROM usage_records
            WHERE started_at < ${day} AND sequence <= ${foldedWhole(state)}
              AND sequence < (SELECT MAX(sequence) FROM usage_records)
            ORDER BY started_at LIMIT ${recordsPerRemoval})`,
      )
      return { records: removed, hasMore: removed === recordsPerRemoval }
    },
    erase: (who) => eraseIds(database, who),
    async [Symbol.asyncDispose]() {},
  }
}

/** Whether there is nothing to fold. */
export async function isFolded(database: Pick<Database, 'rows'>): Promise<boolean> {
  const state = await readState(database)
  return state.clearing === 0 && foldedWhole(state) >= (await lastRecord(database))
}
