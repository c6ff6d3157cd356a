import { chmodSync, existsSync, renameSync, rmSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { migrationsAfter, type SchemaState } from './migrations.ts'

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
  if (newest && state.version > 0 && file !== ':memory:')
    backUp(db, `${file}.before-${newest.version}`)
  for (const { version, sql } of missing) {
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
}

/** Whole or not at all: what stands under the name was not interrupted. */
function backUp(db: DatabaseSync, copy: string): void {
  if (existsSync(copy)) return
  const unfinished = `${copy}.${process.pid}`
  rmSync(unfinished, { force: true })
  db.prepare('VACUUM INTO ?').run(unfinished)
  chmodSync(unfinished, 0o600)
  renameSync(unfinished, copy)
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
