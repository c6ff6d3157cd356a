import { chmodSync, existsSync, renameSync, rmSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'

/** The name of a copy until it is complete. */
export function unfinishedCopy(copy: string): string {
  return `${copy}.${process.pid}`
}

/**
 * Copies a database to a file that only its owner can read, as a snapshot while others read and write. The final name only
 * ever holds a complete copy. If another process has made the copy meanwhile, that one is kept: this one may already contain
 * its later changes.
 *
 * @throws Error if there is no room, or the folder cannot be written; nothing of the copy remains then.
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
