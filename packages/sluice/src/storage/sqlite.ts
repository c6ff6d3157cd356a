import { chmodSync, closeSync, openSync } from 'node:fs'
import { DatabaseSync, type StatementResultingChanges } from 'node:sqlite'
import type { Sql } from 'sql-template-tag'
import type { Store } from '../ports/store.ts'
import { boundValues } from './bound-values.ts'
import type { Database } from './database.ts'
import { migrate } from './sqlite-migrate.ts'
import { openSqliteThread } from './sqlite-thread.ts'
import { transaction } from './sqlite-transaction.ts'
import { openUsageThread } from './sqlite-usage-thread.ts'
import { openStore, type StoreOptions } from './store.ts'
import { sqliteError } from './unavailable.ts'
import { isFolded } from './usage-book.ts'

export interface SqliteOptions extends StoreOptions {
  /** The database file; made when absent. Its folder must exist. */
  readonly file: string
}

/** How long one process waits for another one's write, such as the command line's. */
const lockWaitMs = 2_000

/**
 * Opens the store that needs nothing but a file (SQLite in WAL mode, https://sqlite.org/wal.html).
 * Several processes may have it open. The caller disposes it; usage still waiting is written then.
 */
export function openSqlite({ file, ...options }: SqliteOptions): Store {
  const database = openSqliteDatabase(file)
  const thread = openUsageThread(file)
  // A gateway that nobody calls needs no thread, which takes 15 MB.
  const fold = async () => ((await isFolded(database)) ? 0 : await thread.fold())
  return openStore(database, { ...options, book: { ...thread, fold } })
}

/** The database in a file, brought up to date. The caller disposes it. */
export function openSqliteDatabase(file: string): Database {
  makePrivate(file)
  const db = new DatabaseSync(file, { timeout: lockWaitMs })
  try {
    switchToWal(db)
    db.exec('PRAGMA synchronous = NORMAL')
    migrate(db, file)
  } catch (error) {
    db.close()
    throw error
  }
  return sqliteDatabase(db, file)
}

/**
 * The database answers within this thread, which costs less than asking another one, but for `append`. A write does
 * not wait for the disk unless it is to be durable.
 */
function sqliteDatabase(db: DatabaseSync, file: string): Database {
  const thread = openSqliteThread(file)
  const run = (statement: Sql): StatementResultingChanges =>
    db.prepare(statement.sql).run(...boundValues(statement))
  const change = (statements: readonly Sql[]) =>
    transaction(db, () => statements.map((statement) => Number(run(statement).changes)))

  return {
    rows: async (query) => meant(() => db.prepare(query.sql).all(...boundValues(query))),
    change: async (...statements) => meant(() => change(statements)),
    async changeDurably(...statements) {
      db.exec('PRAGMA synchronous = FULL')
      try {
        return meant(() => change(statements))
      } finally {
        db.exec('PRAGMA synchronous = NORMAL')
      }
    },
    append: (rows) => thread.append(rows),
    async [Symbol.asyncDispose]() {
      await thread[Symbol.asyncDispose]()
      if (db.isOpen) db.close()
    },
  }
}

function meant<Result>(work: () => Result): Result {
  try {
    return work()
  } catch (thrown) {
    throw sqliteError(thrown)
  }
}

/** Hashes of keys, prompts and answers are for their owner. What SQLite makes beside the file has the file's mode. */
function makePrivate(file: string): void {
  if (file === ':memory:') return
  closeSync(openSync(file, 'a', 0o600))
  for (const name of [file, `${file}-wal`, `${file}-shm`])
    try {
      chmodSync(name, 0o600)
    } catch {
      // It is not there, or another's: opening it says so if it matters.
    }
}

/**
 * SQLite waits for locks by itself, but not in this: while another process writes to a database that is not in WAL mode
 * yet, because it is just making it, the switch is refused at once.
 */
function switchToWal(db: DatabaseSync): void {
  const giveUpAt = performance.now() + lockWaitMs
  for (;;)
    try {
      return db.exec('PRAGMA journal_mode = WAL')
    } catch (error) {
      if (!isLocked(error) || performance.now() > giveUpAt) throw error
      // This waits for the lock, and changes nothing.
      db.exec('BEGIN IMMEDIATE; COMMIT')
    }
}

/** True for SQLITE_BUSY, https://sqlite.org/rescode.html#busy. */
function isLocked(error: unknown): boolean {
  if (!(error instanceof Error) || !('errcode' in error)) return false
  return typeof error.errcode === 'number' && (error.errcode & 0xff) === 5
}
