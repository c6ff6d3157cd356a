import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises'
import sql, { join, raw, type Sql } from 'sql-template-tag'
import type { Database } from './database.ts'
import type { AddedRows, Horizon, UsageDatabase } from './usage-fold.ts'

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

/** The more records at once the fewer sums are written again and again. */
const recordsPerFoldMax = 8_000
const recordsPerFoldMin = 250
/** So long may a step take, well below what a statement may: of a slower one the next is half as large. */
const stepMsMax = 3_000

/** Rows travel as an array for each column. Steps are as large as the server makes them in some seconds. */
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

/** In the words of an array (PostgreSQL, "Array Input and Output Syntax"). */
function quoted(value: string | number | undefined): string {
  const text = String(value)
  return /[\\"]/.test(text) ? `"${text.replaceAll(/[\\"]/g, '\\$&')}"` : `"${text}"`
}
