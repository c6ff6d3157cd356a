import { readdirSync, readFileSync } from 'node:fs'

export interface Migration {
  readonly version: number
  /** In SQLite's dialect; postgres/migrate.ts translates it. */
  readonly sql: string
}

const folder = new URL('migrations/', import.meta.url)

/** The schema version of a database. */
export interface SchemaState {
  /** 0 for a database without tables. */
  readonly version: number
  /**
   * The oldest program version that can use the database. Stored as `oldest_program` in the table `versions` once a migration
   * has done more than add.
   */
  readonly oldestProgram?: number
}

/** Told the versions of a database that has data before it is changed. */
export type Upgrading = (versions: { readonly from: number; readonly to: number }) => void

/**
 * The numbered files of `migrations/` that a database lacks, in order. They are the same for all databases and cannot be
 * undone. Migrations only add, so an older program can use a newer database: replicas can be updated one by one, and an update
 * can be reverted.
 *
 * @throws Error if the database is too new for this program.
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
