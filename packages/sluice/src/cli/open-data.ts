import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import type { Store } from '../ports/store.ts'
import { makeFolder } from '../storage/make-folder.ts'
import { openSqlite } from '../storage/sqlite.ts'
import type { StoreOptions } from '../storage/store.ts'
import { CommandError } from './command-error.ts'
import { tightenFolder } from './tighten-folder.ts'

/** The settings that say where things are kept. */
export type DataConfig = Pick<Config, 'dataFolder' | 'storage'>

export interface DataOptions extends StoreOptions {
  /** Told what is not as safe as it should be. Default: nobody is told. */
  readonly warn?: (message: string) => void
}

/**
 * Makes the data folder, its owner's alone, unless it is there, and opens the store: the database server that the
 * settings name, or else a file in the folder. The caller disposes it.
 */
export async function openData(
  { dataFolder, storage: { url } }: DataConfig,
  { warn = () => {}, ...options }: DataOptions = {},
): Promise<Store> {
  try {
    makeFolder(dataFolder, 0o700)
    tightenFolder(dataFolder, warn)
    if (url === undefined) return openSqlite({ file: join(dataFolder, 'sluice.db'), ...options })
  } catch (cause) {
    throw new CommandError(
      `The data folder ${dataFolder} cannot be used: ${reasonOf(cause)}. Set SLUICE_DATA to a folder that can be written`,
      { cause },
    )
  }
  try {
    // Loaded only where it is configured: a driver is a tenth of a start.
    const { openPostgres } = await import('../storage/postgres.ts')
    return await openPostgres({ url, ...options })
  } catch (cause) {
    throw new CommandError(
      `The database (${databaseName(url)}) cannot be used: ${reasonOf(cause)}`,
      { cause },
    )
  }
}

/** What a database is called in messages: without the password, which only its URL says. */
export function databaseName(url: string): string {
  if (!URL.canParse(url)) return 'PostgreSQL'
  const { host, pathname } = new URL(url)
  return `PostgreSQL at ${host}${pathname}`
}

/** A refused connection to several addresses of one name has no message of its own. */
function reasonOf(cause: unknown): string {
  if (cause instanceof AggregateError && cause.message === '')
    return cause.errors.map(reasonOf).join(', ')
  return cause instanceof Error ? cause.message : 'unknown reason'
}
