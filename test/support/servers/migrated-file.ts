import { hash } from 'node:crypto'
import { chmodSync, copyFileSync, existsSync, mkdirSync, renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { migrationsAfter } from '../../../packages/store/src/migrations.ts'
import { migrate } from '../../../packages/store/src/sqlite/migrate.ts'

let template: string | undefined

/**
 * Puts an empty database with all tables in a file, unless there is one. Copying a migrated one takes a twentieth of the time
 * of migrating, which is more than half of a gateway's start.
 */
export function putMigrated(file: string): void {
  if (existsSync(file)) return
  template ??= makeTemplate()
  copyFileSync(template, file)
}

/** Kept for later runs with the same migrations. */
function makeTemplate(): string {
  const name = hash('sha256', JSON.stringify(migrationsAfter({ version: 0 }))).slice(0, 16)
  const file = join(import.meta.dirname, `../../../node_modules/.cache/test-databases/${name}.db`)
  if (existsSync(file)) return file
  mkdirSync(dirname(file), { recursive: true })
  // Several test files may come here at the same time.
  const own = `${file}.${process.pid}`
  const db = new DatabaseSync(own)
  db.exec('PRAGMA journal_mode = WAL')
  migrate(db)
  db.close()
  chmodSync(own, 0o600)
  renameSync(own, file)
  return file
}
