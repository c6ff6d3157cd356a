import { readdirSync, readFileSync } from 'node:fs'

export interface Migration {
  readonly version: number
  /** In SQLite's words; postgres-migrate.ts says it in PostgreSQL's. */
  readonly sql: string
}

const folder = new URL('migrations/', import.meta.url)

/**
 * The numbered files of `migrations/` that a database of this version lacks, in order. They are written once for all
 * databases, and there is no way back down.
 *
 * @throws Error when the database was written by a newer version of this program.
 */
export function migrationsAfter(current: number): readonly Migration[] {
  const files = readdirSync(folder)
    .filter((name) => /^\d{3}-.*\.sql$/.test(name))
    .sort()
  const newest = versionOf(files.at(-1) ?? '')
  if (current > newest)
    throw new Error(
      `The database is of version ${current}, and this program knows versions up to ${newest}: start the newer program again`,
    )
  return files
    .filter((file) => versionOf(file) > current)
    .map((file) => ({
      version: versionOf(file),
      sql: readFileSync(new URL(file, folder), 'utf8'),
    }))
}

function versionOf(file: string): number {
  return Number(file.slice(0, 3))
}
