import { fileURLToPath } from 'node:url'
import type { Store } from '../../src/ports/store.ts'
import type { Database } from '../../src/storage/database.ts'
import { openSqliteDatabase } from '../../src/storage/sqlite/open-sqlite.ts'
import { openStore, type StoreOptions } from '../../src/storage/store.ts'

interface AcmeOptions extends StoreOptions {
  readonly url: string
}

/** The store in the database at a URL, which is brought up to date first. The caller disposes it. */
export async function openAcme({ url, ...options }: AcmeOptions): Promise<Store> {
  return openStore(await openAcmeDatabase(url), options)
}

/** A file stands for the database that another process would keep. */
export async function openAcmeDatabase(url: string): Promise<Database> {
  return openSqliteDatabase(fileURLToPath(url))
}
