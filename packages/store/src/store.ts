import sql from 'sql-template-tag'
import type { Store } from '@sluice/gateway/ports/store.ts'
import type { UsageStore } from '@sluice/gateway/ports/usage-store.ts'
import { accountTable } from './tables/accounts.ts'
import { alertTable } from './tables/alerts.ts'
import { conversationTable } from './tables/conversations.ts'
import { contentTable } from './tables/contents.ts'
import type { Database } from './database.ts'
import type { Upgrading } from './migrations.ts'
import { keptFileTable } from './tables/kept-files.ts'
import { keyTable } from './tables/keys.ts'
import { ledgerWriters } from './ledger/writers.ts'
import { refusalTable } from './tables/refusals.ts'
import { responseTable } from './tables/responses.ts'
import { sessionTable } from './tables/sessions.ts'
import { settingTable } from './tables/settings.ts'
import { lastUse, newestRecords } from './ledger/usage-records.ts'
import { createUsageStore } from './usage/usage-store.ts'
import { plainUsage } from './usage/fold.ts'
import { Ledger, type LedgerOptions } from './ledger/ledger.ts'
import { videoJobTable } from './tables/video-jobs.ts'

export interface StoreOptions
  extends Pick<LedgerOptions, 'journalFolder' | 'journalFailed' | 'journalUnreadable'> {
  /** Called when usage could not be written. Default: ignored. */
  readonly writeFailed?: LedgerOptions['writeFailed']
  /**
   * Builds missing indexes of large tables, and the partitions of the coming months, in the background, if the database has them;
   * `failed` is called when one could not be made, and it is tried again. Default: not done here.
   */
  readonly keepsTables?: { readonly failed: (error: unknown) => void }
  /**
   * Called before tables of an existing database are changed, which takes minutes if it is large. SQLite blocks the thread until
   * that is done. Default: ignored.
   */
  readonly upgrading?: Upgrading
}

interface Opened extends StoreOptions {
  /** Reads the ledger outside of calls; disposed with the store. Default: reads from the database itself. */
  readonly usage?: UsageStore
  /**
   * Whether replicas share the database. While a shared database is unreachable, calls continue with the journal, so the
   * replicas stay ready; otherwise none of them would get calls. Default: a local database, whose failure makes the gateway
   * not ready.
   */
  readonly isShared?: boolean
}

/** The store on a migrated database. Disposing it writes pending usage and disposes the database. */
export function openStore(
  database: Database,
  {
    writeFailed = () => {},
    usage = createUsageStore(plainUsage(database)),
    isShared = false,
    ...options
  }: Opened,
): Store {
  const ledger = new Ledger(database, { writeFailed, ...options })
  const writers = ledgerWriters(database, ledger.journalName)
  let closed: Promise<void> | undefined

  async function close(): Promise<void> {
    try {
      await ledger[Symbol.asyncDispose]()
      await writers[Symbol.asyncDispose]()
    } finally {
      await usage[Symbol.asyncDispose]()
      await database[Symbol.asyncDispose]()
    }
  }

  return {
    ...keyTable(database),
    ...accountTable(database),
    ...sessionTable(database),
    ...settingTable(database),
    ...videoJobTable(database),
    ...responseTable(database),
    ...conversationTable(database),
    ...alertTable(database),
    ...keptFileTable(database),
    beginUsage: ledger.beginUsage.bind(ledger),
    recordUsage: ledger.recordUsage.bind(ledger),
    recorded: ledger.recorded.bind(ledger),
    flush: ledger.flush.bind(ledger),
    waitingUsage: ledger.waitingUsage.bind(ledger),
    settleOrphaned: ledger.settleOrphaned.bind(ledger),
    async lastUse() {
      await ledger.flush()
      return lastUse(database)
    },
    async listUsage({ limit }) {
      await ledger.flush()
      return newestRecords(database, limit)
    },
    ledgerWriters: writers,
    contents: contentTable(database),
    refusals: refusalTable(database),
    usage,
    async checkWritable() {
      ledger.checkJournal()
      database.checkPresent?.()
      if (isShared) return
      await database.change(
        sql`INSERT INTO versions (name, version) VALUES ('written', 1)
          ON CONFLICT (name) DO UPDATE SET version = versions.version + 1`,
      )
    },
    [Symbol.asyncDispose]: () => (closed ??= close()),
  }
}
