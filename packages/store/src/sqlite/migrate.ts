import { existsSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { type Migration, migrationsAfter, type SchemaState, type Upgrading } from '../migrations.ts'
import { transaction } from './connection.ts'
import { copyDatabase } from './copy-database.ts'

/** How long a start waits for another process that migrates, in milliseconds: indexes of millions of records take minutes. */
const migrationWaitMs = 600_000

/**
 * Migrates the database to the newest version, each migration in its own transaction. SQLite's `user_version` holds the last
 * one. Of processes that start together one migrates and the others wait.
 *
 * An existing database is first copied beside itself, as `sluice.db.before-9` for version 9.
 *
 * @throws Error if the database is too new for this program, or if there is no room for the copy.
 */
export function migrate(db: DatabaseSync, file = ':memory:', upgrading?: Upgrading): void {
  const state = stateOf(db)
  const missing = migrationsAfter(state)
  const newest = missing.at(-1)
  const copy = `${file}.before-${newest?.version}`
  if (newest && state.version > 0) upgrading?.({ from: state.version, to: newest.version })
  if (newest && state.version > 0 && file !== ':memory:' && !existsSync(copy))
    copyDatabase(db, copy)
  const waitMs = numberFrom(db, 'PRAGMA busy_timeout') ?? 0
  db.exec(`PRAGMA busy_timeout = ${migrationWaitMs}`)
  try {
    for (const migration of missing) apply(db, migration)
  } finally {
    db.exec(`PRAGMA busy_timeout = ${waitMs}`)
  }
}

function apply(db: DatabaseSync, { version, sql }: Migration): void {
  transaction(db, () => {
    // Another process may have applied it while this one waited for the lock.
    if (userVersion(db) >= version) return
    db.exec(sql)
    db.exec(`PRAGMA user_version = ${version}`)
  })
}

function stateOf(db: DatabaseSync): SchemaState {
  const version = userVersion(db)
  // The table was added by version 2.
  if (version < 2) return { version }
  const oldestProgram = numberFrom(db, "SELECT version FROM versions WHERE name = 'oldest_program'")
  return { version, ...(oldestProgram !== undefined && { oldestProgram }) }
}

function userVersion(db: DatabaseSync): number {
  return numberFrom(db, 'PRAGMA user_version') ?? 0
}

function numberFrom(db: DatabaseSync, query: string): number | undefined {
  const [value] = Object.values(db.prepare(query).get() ?? {})
  return typeof value === 'number' ? value : undefined
}
