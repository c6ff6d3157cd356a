import { DatabaseSync } from 'node:sqlite'
import type { Store } from '@sluice/contract'
import { keyTable } from './sqlite-keys.ts'
import { migrate } from './sqlite-migrate.ts'
import { responseTable } from './sqlite-responses.ts'
import { usageTable, type WriteFailed } from './sqlite-usage.ts'
import { videoJobTable } from './sqlite-video-jobs.ts'

export interface SqliteOptions {
  /** The database file; made when absent. Its folder must exist. */
  readonly file: string
  /** Told when usage could not be written; the rows are kept and tried again. Default: nobody is told. */
  readonly writeFailed?: WriteFailed
}

/** How long one process waits for another one's write, such as the command line's. */
const lockWaitMs = 2_000

/**
 * Opens the store that needs nothing but a file (SQLite in WAL mode, https://sqlite.org/wal.html).
 * Several processes may have it open. The caller disposes it; usage still waiting is written then.
 */
export function openSqlite({ file, writeFailed = () => {} }: SqliteOptions): Store {
  const db = new DatabaseSync(file, { timeout: lockWaitMs })
  try {
    switchToWal(db)
    db.exec('PRAGMA synchronous = NORMAL')
    migrate(db)
  } catch (error) {
    db.close()
    throw error
  }
  const usage = usageTable(db, writeFailed)
  return {
    ...keyTable(db),
    ...videoJobTable(db),
    ...responseTable(db),
    recordUsage: usage.recordUsage,
    flush: usage.flush,
    listUsage: usage.listUsage,
    async [Symbol.asyncDispose]() {
      if (!db.isOpen) return
      usage.stop()
      try {
        await usage.flush()
      } finally {
        db.close()
      }
    },
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
