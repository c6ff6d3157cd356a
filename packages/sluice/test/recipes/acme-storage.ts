import { fileURLToPath } from 'node:url'
import type { Store } from '../../../gateway/src/ports/store.ts'
import type { Database } from '../../../store/src/database.ts'
import { openSqliteDatabase } from '../../../store/src/sqlite/open-sqlite.ts'
import { openStore, type StoreOptions } from '../../../store/src/store.ts'

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
