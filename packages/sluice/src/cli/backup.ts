import { existsSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { loadConfig } from '../config/config.ts'
import type { Environment } from '../config/env.ts'
import { copyInThread } from '@sluice/store/sqlite/copy-thread.ts'
import { CommandError } from './command-error.ts'
import { databaseName } from './open-data.ts'
import { createProgress, type Screen } from './progress.ts'

/**
 * Copies the SQLite database of the data folder as a snapshot, whether a gateway is using it or not.
 *
 * @throws CommandError if the target exists, there is no such database, or it cannot be written.
 */
export async function backupCommand(
  environment: Environment,
  file: string,
  { json = false, screen }: { readonly json?: boolean; readonly screen?: Screen },
): Promise<string> {
  const { dataFolder, storage } = await loadConfig(environment)
  if (storage.url !== undefined)
    throw new CommandError(`The data is kept in ${databaseName(storage.url)}: use pg_dump`)
  const source = join(dataFolder, 'sluice.db')
  const copy = resolve(file)
  if (!existsSync(source)) throw new CommandError(`There is no database at ${source}`)
  if (existsSync(copy)) throw new CommandError(`${copy} is there already: nothing was written`)
  try {
    using progress = createProgress('MB copied', screen)
    const megabytes = (bytes: number) => Math.ceil(bytes / 1e6)
    await copyInThread({
      source,
      copy,
      at: (bytes, most) => progress.at(megabytes(bytes), megabytes(most)),
    })
  } catch (cause) {
    throw CommandError.because(`${source} cannot be copied to ${copy}`, cause)
  }
  const { size: bytes } = statSync(copy)
  if (json) return JSON.stringify({ source, copy, bytes }, null, 2)
  return `Copied ${source} to ${copy} (${(bytes / 1e6).toFixed(1)} MB).`
}
