import { DatabaseSync } from 'node:sqlite'
import type { Row } from '../database.ts'

/** How long a writer of the file is waited for, in milliseconds. */
const lockWaitMs = 5_000

/**
 * Reads whole tables of a file of another program, as they are at one moment; those that are not there are absent. Changes
 * nothing.
 *
 * @throws Error if the file cannot be read.
 */
export function readSqliteTables(
  file: string,
  names: readonly string[],
): ReadonlyMap<string, readonly Row[]> {
  using db = new DatabaseSync(file, { readOnly: true, timeout: lockWaitMs })
  db.exec('BEGIN')
  const present = new Set(
    db
      .prepare("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')")
      .all()
      .map(({ name }) => name),
  )
  return new Map(
    names
      .filter((name) => present.has(name))
      .map((name) => [name, db.prepare(`SELECT * FROM "${name.replaceAll('"', '""')}"`).all()]),
  )
}
