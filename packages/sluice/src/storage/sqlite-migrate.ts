import { existsSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { type Migration, migrationsAfter, type SchemaState } from './migrations.ts'
import { copyDatabase } from './sqlite-copy.ts'

/** How long a start waits for another process that migrates: indexes of millions of records are made in minutes. */
const migrationWaitMs = 600_000

/**
 * Brings the database to the newest version, each migration in a transaction of its own. SQLite's `user_version` says
 * which was the last; of processes that start together one applies it, and the others wait.
 *
 * A database that is not new is copied beside itself before, as `sluice.db.before-9` for version 9.
 *
 * @throws Error when the database is so new that this program cannot use it, and when there is no room for the copy.
 */
export function migrate(db: DatabaseSync, file = ':memory:'): void {
  const state = stateOf(db)
  const missing = migrationsAfter(state)
  const newest = missing.at(-1)
  const copy = `${file}.before-${newest?.version}`
  if (newest && state.version > 0 && file !== ':memory:' && !existsSync(copy))
    copyDatabase(db, copy)
  const waitMs = Number(db.prepare('PRAGMA busy_timeout').get()?.['timeout'])
  db.exec(`PRAGMA busy_timeout = ${migrationWaitMs}`)
  try {
    for (const migration of missing) apply(db, migration)
  } finally {
    db.exec(`PRAGMA busy_timeout = ${waitMs}`)
  }
}

function apply(db: DatabaseSync, { version, sql }: Migration): void {
  db.exec('BEGIN IMMEDIATE')
  try {
    // Another process may have applied it while this one waited for the lock.
    if (userVersion(db) < version) {
      db.exec(sql)
      db.exec(`PRAGMA user_version = ${version}`)
    }
    db.exec('COMMIT')
  } catch (error) {
    db.exec('ROLLBACK')
    throw error
  }
}

function stateOf(db: DatabaseSync): SchemaState {
  const version = userVersion(db)
  // The table came with the second one.
  if (version < 2) return { version }
  const row = db.prepare("SELECT version FROM versions WHERE name = 'oldest_program'").get()
  return { version, ...(row && { oldestProgram: Number(row['version']) }) }
}

function userVersion(db: DatabaseSync): number {
  const row = db.prepare('PRAGMA user_version').get()
  return Number(row?.['user_version'] ?? 0)
}
