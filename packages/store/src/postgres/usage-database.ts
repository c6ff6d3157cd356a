import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises'
import sql, { join, raw, type Sql } from 'sql-template-tag'
import type { Database } from '../database.ts'
import { readRows } from '../tables/columns.ts'
import type { AddedRows, Horizon, UsageDatabase } from '../usage/fold.ts'
import { lastRecord } from '../usage/state.ts'

const checksMax = 5
const checkEveryMs = 20

/**
 * Records get their numbers before they become visible, and may become visible in another order. Every writer holds a lock on
 * the table from before its first number until its records are visible (PostgreSQL, "Explicit Locking", ROW EXCLUSIVE). So the
 * newest visible record is a safe horizon once all holders of that lock have released it. Nobody waits for this query.
 */
export function postgresHorizon(database: UsageDatabase): Horizon {
  let candidate: { readonly last: number; readonly writers: ReadonlySet<string> } | undefined

  async function writersNow(): Promise<ReadonlySet<string>> {
    const rows = await readRows<{ readonly writer: string }>(
      database,
      { writer: 'text' },
      sql`SELECT virtualtransaction AS writer FROM pg_locks
        WHERE locktype = 'relation' AND mode = 'RowExclusiveLock' AND granted
          AND relation = 'usage_records'::regclass
          AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    )
    return new Set(rows.map(({ writer }) => writer))
  }

  return async () => {
    candidate ??= { last: await lastRecord(database), writers: await writersNow() }
    const { last, writers } = candidate
    for (let check = 0; check < checksMax; check++) {
      const now = writers.size === 0 ? writers : await writersNow()
      if (![...writers].some((writer) => now.has(writer))) {
        candidate = undefined
        return last
      }
      await wait(checkEveryMs)
    }
    return undefined
  }
}

/** With more records per step, the same sums are written less often. */
const recordsPerFoldMax = 8_000
const recordsPerFoldMin = 250
/** Maximum duration of a step, well below the statement timeout. After a slower step the next one is half as large. */
const stepMsMax = 3_000

/** Rows are sent as one array per column. A step is as large as the server can process in a few seconds. */
export function postgresUsage(database: Pick<Database, 'rows' | 'change'>): UsageDatabase {
  let records = recordsPerFoldMax
  const smaller = () => Math.max(recordsPerFoldMin, records >> 1)
  return {
    get recordsPerFold() {
      return records
    },
    rows: (query) => database.rows(query),
    change: (...statements) => database.change(...statements),
    async changeWith(statements, added) {
      const inserts: Sql[] = []
      for (const one of added) if (one.rows.length > 0) inserts.push(await insertOf(one))
      const begun = performance.now()
      try {
        await database.change(...statements, ...inserts)
      } catch (error) {
        records = smaller()
        throw error
      }
      const tookMs = performance.now() - begun
      if (tookMs > stepMsMax) records = smaller()
      else if (2 * tookMs < stepMsMax) records = Math.min(recordsPerFoldMax, 2 * records)
    },
  }
}

async function insertOf({ table, columns, rows, zeros, onConflict }: AddedRows): Promise<Sql> {
  const arrays: Sql[] = []
  for (const at of columns.keys()) {
    arrays.push(arrayOf(rows.map((row) => row[at])))
    await nextTurn()
  }
  const names = raw(columns.join(', '))
  const all = raw([...columns, ...zeros].join(', '))
  const values = raw([...columns, ...zeros.map(() => '0')].join(', '))
  return sql`INSERT INTO ${raw(table)} (${all}) SELECT ${values}
    FROM unnest(${join(arrays)}) AS given (${names}) ${raw(onConflict)}`
}

function arrayOf(values: readonly (string | number | undefined)[]): Sql {
  if (typeof values[0] === 'string')
    return sql`CAST(${`{${values.map(quoted).join(',')}}`} AS TEXT[])`
  const type = raw(values.every(Number.isInteger) ? 'BIGINT' : 'DOUBLE PRECISION')
  return sql`CAST(${`{${values.join(',')}}`} AS ${type}[])`
}

/** Formats an array literal (PostgreSQL, "Array Input and Output Syntax"). */
function quoted(value: string | number | undefined): string {
  const text = String(value)
  return /[\\"]/.test(text) ? `"${text.replaceAll(/[\\"]/g, '\\$&')}"` : `"${text}"`
}
