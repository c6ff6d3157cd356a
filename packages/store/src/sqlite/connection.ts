import { DatabaseSync } from 'node:sqlite'
import type { Sql } from 'sql-template-tag'
import { boundValues } from '../bound-values.ts'
import type { Row } from '../database.ts'

/** How long a thread waits for a write of another one, in milliseconds: longer than the main thread, because it blocks no call. */
const lockWaitMs = 5_000

/** The connection of a thread to a database that the main thread has opened. Writes do not wait for the disk. */
export function connectThread(file: unknown): DatabaseSync {
  const db = new DatabaseSync(String(file), { timeout: lockWaitMs })
  db.exec('PRAGMA synchronous = NORMAL')
  return db
}

/** The rows of a query. */
export function rowsOf(db: DatabaseSync, query: Sql): readonly Row[] {
  return db.prepare(query.sql).all(...boundValues(query))
}

/** Runs statements, and returns how many rows each has changed. */
export function run(db: DatabaseSync, statements: readonly Sql[]): readonly number[] {
  return statements.map((statement) =>
    Number(db.prepare(statement.sql).run(...boundValues(statement)).changes),
  )
}

/** Runs the work in a transaction that takes the write lock at once; an error rolls it back. */
export function transaction<Result>(db: DatabaseSync, work: () => Result): Result {
  db.exec('BEGIN IMMEDIATE')
  try {
    const result = work()
    db.exec('COMMIT')
    return result
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK')
    throw error
  }
}
