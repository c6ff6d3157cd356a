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
    db.exec('PRAGMA journal_mode = WAL')
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
