import { chmodSync, existsSync, renameSync, rmSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'

/** What a copy is called until it is whole. */
export function unfinishedCopy(copy: string): string {
  return `${copy}.${process.pid}`
}

/**
 * Copies a database to a file that only its owner can read, as it is at one moment: others go on reading and writing. Whole or
 * not at all: what stands under the name was not interrupted. A copy that another process has made meanwhile stays: of what it did
 * then, this one may hold some already.
 */
export function copyDatabase(db: DatabaseSync, copy: string): void {
  const unfinished = unfinishedCopy(copy)
  rmSync(unfinished, { force: true })
  try {
    db.prepare('VACUUM INTO ?').run(unfinished)
    chmodSync(unfinished, 0o600)
    if (existsSync(copy)) rmSync(unfinished)
    else renameSync(unfinished, copy)
  } catch (error) {
    rmSync(unfinished, { force: true })
    throw error
  }
}
