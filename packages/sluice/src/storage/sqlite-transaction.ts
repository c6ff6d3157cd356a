import type { DatabaseSync } from 'node:sqlite'

/** Does the work in one transaction, which takes the lock for writing at once; what the work throws takes all of it back. */
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
