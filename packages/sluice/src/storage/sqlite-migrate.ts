import type { DatabaseSync } from 'node:sqlite'
import { migrationsAfter } from './migrations.ts'

/**
 * Brings the database to the newest version, each migration in a transaction of its own. SQLite's `user_version` says
 * which was the last; of processes that start together one applies it, and the others wait.
 *
 * @throws Error when the database was written by a newer version of this program.
 */
export function migrate(db: DatabaseSync): void {
  for (const { version, sql } of migrationsAfter(userVersion(db))) {
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

function userVersion(db: DatabaseSync): number {
  const row = db.prepare('PRAGMA user_version').get()
  return Number(row?.['user_version'] ?? 0)
}
