import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { isLocked } from './unavailable.ts'

/** How long to wait for a process that is ending, in milliseconds. */
const endingMs = 2_000

/**
 * Holds a folder until disposed; undefined if another process still holds it after two seconds. The operating system keeps the
 * lock (that of SQLite on an empty file, https://sqlite.org/lockingv3.html), so it ends with the process, however that ends.
 *
 * @throws Error if the lock file `gateway.lock` cannot be written in the folder.
 */
export function holdFolder(folder: string): Disposable | undefined {
  const file = join(folder, 'gateway.lock')
  closeSync(openSync(file, 'a', 0o600))
  const lock = new DatabaseSync(file, { timeout: endingMs })
  try {
    lock.exec('BEGIN IMMEDIATE')
  } catch (error) {
    lock.close()
    if (!isLocked(error)) throw error
    return undefined
  }
  return { [Symbol.dispose]: () => lock.close() }
}
