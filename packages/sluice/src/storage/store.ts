import sql from 'sql-template-tag'
import type { Store } from '../ports/store.ts'
import type { UsageBook } from '../ports/usage-book.ts'
import { accountTable } from './accounts.ts'
import { alertTable } from './alerts.ts'
import { contentTable } from './contents.ts'
import type { Database } from './database.ts'
import { keptFileTable } from './kept-files.ts'
import { keyTable } from './keys.ts'
import { refusalTable } from './refusals.ts'
import { responseTable } from './responses.ts'
import { sessionTable } from './sessions.ts'
import { usageTable } from './usage.ts'
import { createUsageBook } from './usage-book.ts'
import { plainUsage } from './usage-fold.ts'
import type { LedgerOptions } from './usage-ledger.ts'
import { videoJobTable } from './video-jobs.ts'

export interface StoreOptions extends Pick<LedgerOptions, 'journalFolder' | 'journalFailed'> {
  /** Told when usage could not be written. Default: nobody is told. */
  readonly writeFailed?: LedgerOptions['writeFailed']
  /**
   * Has indexes that large tables lack built in the background, where the database can; told when one could not be built.
   * Default: somebody else does.
   */
  readonly buildsIndexes?: { readonly failed: (error: unknown) => void }
}

interface Opened extends StoreOptions {
  /** Reads the ledger beside the calls; disposed with the store. Default: over the database itself, a row at a time. */
  readonly book?: UsageBook
  /**
   * The database is shared by replicas, and while it is away calls go on and the journal keeps them: were none of the
   * replicas ready then, nobody would call them. Default: it lies on this machine, and what it cannot write nothing can.
   */
  readonly isShared?: boolean
}

/** The store on a database that is up to date. Disposing it writes the usage that is left and disposes the database. */
export function openStore(
  database: Database,
  {
    writeFailed = () => {},
    book = createUsageBook(plainUsage(database)),
    isShared = false,
    ...options
  }: Opened,
): Store {
  const usage = usageTable(database, { writeFailed, ...options })
  let closed: Promise<void> | undefined

  async function close(): Promise<void> {
    try {
      await usage[Symbol.asyncDispose]()
    } finally {
      await book[Symbol.asyncDispose]()
      await database[Symbol.asyncDispose]()
    }
  }

  return {
    ...keyTable(database),
    ...accountTable(database),
    ...sessionTable(database),
    ...videoJobTable(database),
    ...responseTable(database),
    ...alertTable(database),
    ...keptFileTable(database),
    ...usage,
    contents: contentTable(database),
    refusals: refusalTable(database),
    book,
    async checkWritable() {
      usage.checkJournal()
      if (isShared) return
      await database.change(
        sql`INSERT INTO versions (name, version) VALUES ('written', 1)
          ON CONFLICT (name) DO UPDATE SET version = versions.version + 1`,
      )
    },
    [Symbol.asyncDispose]: () => (closed ??= close()),
  }
}
