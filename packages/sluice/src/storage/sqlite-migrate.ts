import { readdirSync, readFileSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'

const folder = new URL('migrations/', import.meta.url)

/**
 * Brings the database to the newest numbered file of `migrations/`, forward only, each file in its own transaction.
 * SQLite's `user_version` says which was the last; two processes that start together take turns.
 *
 * @throws Error when the database was written by a newer version of this program.
 */
export function migrate(db: DatabaseSync): void {
  const files = readdirSync(folder)
    .filter((name) => /^\d{3}-.*\.sql$/.test(name))
    .sort()
  const newest = Number(files.at(-1)?.slice(0, 3) ?? 0)
  const current = userVersion(db)
  if (current > newest)
    throw new Error(
      `The database is of version ${current}, and this program knows versions up to ${newest}: start the newer program again`,
    )
  for (const file of files.slice(current)) applyOnce(db, file)
}

function applyOnce(db: DatabaseSync, file: string): void {
  const version = Number(file.slice(0, 3))
  db.exec('BEGIN IMMEDIATE')
  try {
    // Another process may have applied it while this one waited for the lock.
    if (userVersion(db) < version) {
      db.exec(readFileSync(new URL(file, folder), 'utf8'))
      db.exec(`PRAGMA user_version = ${version}`)
    }
    db.exec('COMMIT')
  } catch (error) {
    db.exec('ROLLBACK')
    throw error
  }
}

function userVersion(db: DatabaseSync): number {
  const row = db.prepare('PRAGMA user_version').get()
  return Number(row?.['user_version'] ?? 0)
}
