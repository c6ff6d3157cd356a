import { readdirSync, readFileSync } from 'node:fs'

export interface Migration {
  readonly version: number
  /** In SQLite's words; postgres-migrate.ts says it in PostgreSQL's. */
  readonly sql: string
}

const folder = new URL('migrations/', import.meta.url)

/** How far a database is. */
export interface SchemaState {
  /** 0 for one without tables. */
  readonly version: number
  /**
   * The oldest version whose program can use it, which stands in the table `versions` as `oldest_program` once a migration
   * has done more than add.
   */
  readonly oldestProgram?: number
}

/**
 * The numbered files of `migrations/` that a database lacks, in order. They are written once for all databases, and there
 * is no way back down: since they only add, an older program goes on with a newer database, so that replicas can be
 * replaced one by one, and a new version taken back.
 *
 * @throws Error when the database is so new that this program cannot use it.
 */
export function migrationsAfter({ version, oldestProgram = 0 }: SchemaState): readonly Migration[] {
  const files = readdirSync(folder)
    .filter((name) => /^\d{3}-.*\.sql$/.test(name))
    .sort()
  const newest = versionOf(files.at(-1) ?? '')
  if (oldestProgram > newest)
    throw new Error(
      `The database needs a program of version ${oldestProgram}, and this one knows versions up to ${newest}: start the newer program again`,
    )
  return files
    .filter((file) => versionOf(file) > version)
    .map((file) => ({
      version: versionOf(file),
      sql: readFileSync(new URL(file, folder), 'utf8'),
    }))
}

function versionOf(file: string): number {
  return Number(file.slice(0, 3))
}
