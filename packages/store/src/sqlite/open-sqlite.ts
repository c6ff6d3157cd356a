import { chmodSync, closeSync, openSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import type { Sql } from 'sql-template-tag'
import type { Store } from '@sluice/gateway/ports/store.ts'
import type { Database } from '../database.ts'
import type { Upgrading } from '../migrations.ts'
import { migrate } from './migrate.ts'
import { openAppendThread } from './append-thread.ts'
import { WaitingChanges } from './waiting-changes.ts'
import { rowsOf, run, transaction } from './connection.ts'
import { openUsageThread } from './usage-thread.ts'
import { openStore, type StoreOptions } from '../store.ts'
import { isLocked, sqliteError } from '../unavailable.ts'
import { isFolded } from '../usage/usage-store.ts'

export interface SqliteOptions extends StoreOptions {
  /** The database file; created if absent. Its folder must exist. */
  readonly file: string
}

/** How long to wait for a write of another process, such as the CLI, in milliseconds. */
const lockWaitMs = 2_000

/**
 * Opens a store in a file (SQLite in WAL mode, https://sqlite.org/wal.html). Several processes may have it open. The caller
 * disposes it, which writes pending usage.
 *
 * @throws Error if the file cannot be opened or migrated, or is too new for this program.
 */
export function openSqlite({ file, upgrading, ...options }: SqliteOptions): Store {
  const database = openSqliteDatabase(file, upgrading)
  const thread = openUsageThread(file)
  // An idle gateway does not need the thread, which takes 15 MB.
  const fold = async () => ((await isFolded(database)) ? 0 : await thread.fold())
  return openStore(database, { ...options, usage: { ...thread, fold } })
}

/** The same without what a store does with it: opens the database in a file and migrates it. The caller disposes it. */
export function openSqliteDatabase(file: string, upgrading?: Upgrading): Database {
  makePrivate(file)
  const db = new DatabaseSync(file, { timeout: lockWaitMs })
  try {
    switchToWal(db)
    db.exec('PRAGMA synchronous = NORMAL')
    migrate(db, file, upgrading)
  } catch (error) {
    db.close()
    throw error
  }
  return sqliteDatabase(db, file)
}

/**
 * Statements run in this thread, which costs less than using another one, except `append` and `changeTogether`. Writes do not wait
 * for the disk unless they are durable.
 */
function sqliteDatabase(db: DatabaseSync, file: string): Database {
  const thread = openAppendThread(file)
  const opened = inodeOf(file)
  const change = (statements: readonly Sql[]) => transaction(db, () => run(db, statements))
  const changes = new WaitingChanges(thread, (statements) =>
    withStoreErrors(() => change(statements)),
  )

  return {
    rows: async (query) => withStoreErrors(() => rowsOf(db, query)),
    change: async (...statements) => withStoreErrors(() => change(statements)),
    async changeDurably(...statements) {
      db.exec('PRAGMA synchronous = FULL')
      try {
        return withStoreErrors(() => change(statements))
      } finally {
        db.exec('PRAGMA synchronous = NORMAL')
      }
    },
    changeTogether: (...statements) => changes.add(statements),
    append: (rows) => thread.append(rows),
    checkPresent() {
      if (inodeOf(file) !== opened)
        throw new Error('The database file was deleted or replaced while the gateway runs')
    },
    async [Symbol.asyncDispose]() {
      await changes.done()
      await thread[Symbol.asyncDispose]()
      if (db.isOpen) db.close()
    },
  }
}

/** Undefined for a file that is missing, and for a database in memory. */
function inodeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.ino
}

function withStoreErrors<Result>(work: () => Result): Result {
  try {
    return work()
  } catch (thrown) {
    throw sqliteError(thrown)
  }
}

/**
 * Key hashes, prompts and responses must be readable by the owner only. SQLite gives its additional files the mode of the
 * database file.
 */
function makePrivate(file: string): void {
  if (file === ':memory:') return
  closeSync(openSync(file, 'a', 0o600))
  for (const name of [file, `${file}-wal`, `${file}-shm`])
    try {
      chmodSync(name, 0o600)
    } catch {
      // The file is missing or owned by another user; opening the database reports it if it matters.
    }
}

/**
 * SQLite's lock timeout does not apply here: while another process is creating the database and has not switched it to WAL
 * yet, the switch is refused at once.
 */
function switchToWal(db: DatabaseSync): void {
  const giveUpAt = performance.now() + lockWaitMs
  for (;;)
    try {
      return db.exec('PRAGMA journal_mode = WAL')
    } catch (error) {
      if (!isLocked(error) || performance.now() > giveUpAt) throw error
      // Waits for the lock without changing anything.
      db.exec('BEGIN IMMEDIATE; COMMIT')
    }
}
