import { setTimeout as wait } from 'node:timers/promises'
import sql, { raw } from 'sql-template-tag'
import type { Database } from './database.ts'
import type { Horizon, UsageDatabase } from './usage-fold.ts'

const looks = 5
const betweenLooksMs = 20

/**
 * Records get their numbers before they can be seen, and may be seen in another order. Whoever adds some holds a lock on the
 * table, from before the first number until all of them can be seen (PostgreSQL, "Explicit Locking", ROW EXCLUSIVE). So the
 * newest record that is seen is a horizon as soon as everybody who held that lock then has let go of it. Nobody waits for
 * this one.
 */
export function postgresHorizon(database: UsageDatabase): Horizon {
  let candidate: { readonly last: number; readonly writers: ReadonlySet<string> } | undefined

  async function writersNow(): Promise<ReadonlySet<string>> {
    const rows = await database.rows(
      sql`SELECT virtualtransaction AS writer FROM pg_locks
        WHERE locktype = 'relation' AND mode = 'RowExclusiveLock' AND granted
          AND relation = 'usage_records'::regclass
          AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    )
    return new Set(rows.map((row) => String(row['writer'])))
  }

  return async () => {
    if (!candidate) {
      const [row] = await database.rows(sql`SELECT MAX(sequence) AS last FROM usage_records`)
      candidate = { last: Number(row?.['last'] ?? 0), writers: await writersNow() }
    }
    const { last, writers } = candidate
    for (let look = 0; look < looks; look++) {
      const now = writers.size === 0 ? writers : await writersNow()
      if (![...writers].some((writer) => now.has(writer))) {
        candidate = undefined
        return last
      }
      await wait(betweenLooksMs)
    }
    return undefined
  }
}

/** Rows travel as one JSON text, whose fields take the types of the table's columns. */
export function postgresUsage(database: Pick<Database, 'rows' | 'change'>): UsageDatabase {
  return {
    rows: (query) => database.rows(query),
    change: (...statements) => database.change(...statements),
    async changeWith(statements, added) {
      const inserts = added.map(({ table, columns, rows, onConflict }) => {
        const names = raw(columns.join(', '))
        const objects = rows.map((row) =>
          Object.fromEntries(columns.map((name, at) => [name, row[at]])),
        )
        return sql`INSERT INTO ${raw(table)} (${names}) SELECT ${names}
          FROM json_populate_recordset(NULL::${raw(table)}, CAST(${JSON.stringify(objects)} AS JSON)) ${raw(onConflict)}`
      })
      await database.change(...statements, ...inserts)
    },
  }
}
