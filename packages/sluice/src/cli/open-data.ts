import { join } from 'node:path'
import { GatewayError } from '@sluice/contract'
import type { Config } from '../config/config.ts'
import type { Store } from '@sluice/gateway/ports/store.ts'
import { holdFolder } from '@sluice/store/folder-lock.ts'
import { makeFolder } from '@sluice/store/make-folder.ts'
import type { Upgrading } from '@sluice/store/migrations.ts'
import { openSqlite } from '@sluice/store/sqlite/open-sqlite.ts'
import type { StoreOptions } from '@sluice/store/store.ts'
import { CommandError, reasonOf } from './command-error.ts'
import { dataFolderNames, journalNames, tightenFolder } from './tighten-folder.ts'

/** The settings for data storage. */
export type DataConfig = Pick<Config, 'dataFolder' | 'storage'>

export interface DataOptions extends StoreOptions {
  /** Called with warnings about unsafe permissions. Default: ignored. */
  readonly warn?: (message: string) => void
}

/**
 * Creates the data folder if absent, accessible to its owner only, and opens the store: the configured database server,
 * otherwise a file in the folder. The caller disposes it.
 */
export async function openData(
  { dataFolder, storage: { url } }: DataConfig,
  { warn = () => {}, ...given }: DataOptions = {},
): Promise<Store> {
  const options = { upgrading: tellUpgrade, ...given }
  try {
    makeFolder(dataFolder, 0o700)
    tightenFolder(dataFolder, dataFolderNames, warn)
    const { journalFolder } = given
    if (journalFolder !== undefined) tightenFolder(journalFolder, journalNames, warn)
    if (url === undefined) return openSqlite({ file: join(dataFolder, 'sluice.db'), ...options })
  } catch (cause) {
    throw unusable(dataFolder, cause)
  }
  try {
    // Loaded only if configured: the driver takes a tenth of the startup time.
    const { openPostgres } = await import('@sluice/store/postgres/open-postgres.ts')
    return await openPostgres({ url, ...options })
  } catch (cause) {
    throw CommandError.because(`The database (${databaseName(url)}) cannot be used`, cause)
  }
}

/**
 * Keeps other gateways from a folder whose database is SQLite, until disposed. Undefined with a database server, which gateways
 * may share. Workers are in their primary process's hold.
 *
 * @throws CommandError if another gateway has the folder.
 */
export function holdData({ dataFolder, storage: { url } }: DataConfig): Disposable | undefined {
  if (url !== undefined) return undefined
  try {
    makeFolder(dataFolder, 0o700)
    const held = holdFolder(dataFolder)
    if (held) return held
  } catch (cause) {
    throw unusable(dataFolder, cause)
  }
  throw new CommandError(
    `Another gateway is running with the data folder ${dataFolder}. Each of them would apply every limit and budget separately. ` +
      'Stop it first, or set SLUICE_DATA to another folder; several processes can serve one folder with SLUICE_WORKERS, and several gateways one database with DATABASE_URL',
  )
}

/**
 * Runs a step of a start. A database that is locked or has gone meanwhile ends it with a sentence, as one that cannot be
 * opened does.
 */
export async function withData<Result>(
  { dataFolder, storage: { url } }: DataConfig,
  step: () => Promise<Result>,
): Promise<Result> {
  try {
    return await step()
  } catch (cause) {
    if (!(cause instanceof GatewayError) || cause.code !== 'overloaded') throw cause
    const place = url === undefined ? `in ${dataFolder}` : `(${databaseName(url)})`
    const reason = reasonOf(cause.cause ?? cause)
    throw new CommandError(
      `The database ${place} cannot be used: ${reason}. Another program may hold it: try again`,
      { cause },
    )
  }
}

function unusable(dataFolder: string, cause: unknown): CommandError {
  return new CommandError(
    `The data folder ${dataFolder} cannot be used: ${reasonOf(cause)}. Set SLUICE_DATA to a writable directory`,
    { cause },
  )
}

/** Written at once, because the thread may be blocked from here on. */
export const tellUpgrade: Upgrading = ({ from, to }) => {
  process.stderr.write(
    `sluice: the database is upgraded from version ${from} to ${to}, which can take minutes; the gateway listens afterwards\n`,
  )
}

/** The name of a database in messages, without the password in its URL. */
export function databaseName(url: string): string {
  if (!URL.canParse(url)) return 'PostgreSQL'
  const { host, pathname } = new URL(url)
  return `PostgreSQL at ${host}${pathname}`
}
