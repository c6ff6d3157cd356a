import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Store } from '@sluice/contract'
import { openSqlite, type SqliteOptions } from '../storage/sqlite.ts'
import { CommandError } from './command-error.ts'

/** Makes the data folder, its owner's alone, unless it is there, and opens the store in it. The caller disposes it. */
export function openData(folder: string, options: Omit<SqliteOptions, 'file'> = {}): Store {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    return openSqlite({ file: join(folder, 'sluice.db'), ...options })
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : 'unknown reason'
    throw new CommandError(`The data folder ${folder} cannot be used: ${reason}`, { cause })
  }
}
