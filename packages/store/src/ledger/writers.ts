import sql from 'sql-template-tag'
import type { LedgerWriters } from '@sluice/gateway/ports/store.ts'
import type { Database } from '../database.ts'
import { readRows } from '../tables/columns.ts'

/** A sign of life is written this often, in milliseconds. */
const signMs = 60_000
/** A process that has given none for so long is forgotten, in milliseconds: its journal will not be read any more. */
const forgottenMs = 7 * 86_400_000

/** Names in the table of versions, which has the time of the last sign of life as a version. */
const prefix = 'writer '

/** The processes that write to the ledger. Disposing removes this one, whose records are written. */
export function ledgerWriters(
  database: Pick<Database, 'rows' | 'change'>,
  name: string | undefined,
): LedgerWriters & AsyncDisposable {
  let timer: NodeJS.Timeout | undefined
  const sign = async () => {
    const now = Date.now()
    await database.change(
      sql`INSERT INTO versions (name, version) VALUES (${prefix + name}, ${now})
        ON CONFLICT (name) DO UPDATE SET version = excluded.version`,
      sql`DELETE FROM versions WHERE name LIKE ${`${prefix}%`} AND version < ${now - forgottenMs}`,
    )
  }
  return {
    name,
    async enrol() {
      if (name === undefined || timer) return
      await sign()
      timer = setInterval(() => void sign().catch(() => {}), signMs).unref()
    },
    async list() {
      const rows = await readRows<{ readonly name: string }>(
        database,
        { name: 'text' },
        sql`SELECT name FROM versions WHERE name LIKE ${`${prefix}%`} ORDER BY name`,
      )
      return rows.map((row) => row.name.slice(prefix.length))
    },
    forget: (names) => forgetWriters(database, names),
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      if (timer && name !== undefined) await forgetWriters(database, [name])
    },
  }
}

export async function forgetWriters(
  database: Pick<Database, 'change'>,
  names: readonly string[],
): Promise<void> {
  if (names.length === 0) return
  await database.change(
    ...names.map((name) => sql`DELETE FROM versions WHERE name = ${prefix + name}`),
  )
}
