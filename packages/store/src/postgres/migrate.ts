import type { Client, ClientConfig } from 'pg'
import { withoutIndexes } from './large-indexes.ts'
import { type Migration, migrationsAfter, type SchemaState, type Upgrading } from '../migrations.ts'
import { connect } from './connect.ts'
import { changeTables } from './change-tables.ts'
import { addMonths } from './month-partitions.ts'

/** Identifies this program among all that take advisory locks in the same database. */
const lockNumber = 7_582_233

/**
 * Migrates the database to the newest version: each migration in its own transaction, or all in one for an empty database. The
 * table `schema_version` holds the last one. Of processes that start together, one migrates and the others wait. Indexes of
 * existing tables are left to `openIndexBuilding`, so that writes need not wait for them.
 *
 * @throws Error if the database is too new for this program.
 */
export async function migrate(config: ClientConfig, upgrading?: Upgrading): Promise<void> {
  if (await applyMissing(config, upgrading)) await addMonths(config, Date.now())
}

/** Returns whether anything was applied. */
async function applyMissing(config: ClientConfig, upgrading?: Upgrading): Promise<boolean> {
  await using connected = await connect(config)
  const { client } = connected
  // Checked without the lock first, so that a start needs no right to create tables unless some are missing.
  for (let isChanged = false; ; isChanged = true) {
    const state = await stateOf(client)
    const missing = migrationsAfter(state)
    const newest = missing.at(-1)
    if (!newest) return isChanged
    if (!isChanged && state.version > 0) upgrading?.({ from: state.version, to: newest.version })
    const count = state.version === 0 ? missing.length : 1
    await changeTables(client, lockNumber, () => apply(client, count))
  }
}

/** Applies up to the given number of migrations; none if another process has applied them meanwhile. */
async function apply(client: Client, count: number): Promise<void> {
  // Another process may have applied them while this one waited for the lock.
  const state = await stateOf(client)
  if (state.version === 0)
    await client.query(
      'CREATE TABLE schema_version (version INTEGER NOT NULL); INSERT INTO schema_version VALUES (0)',
    )
  for (const migration of migrationsAfter(state).slice(0, count)) {
    await client.query(state.version === 0 ? forPostgres(migration.sql) : onTables(migration))
    await client.query('UPDATE schema_version SET version = $1', [migration.version])
  }
}

/** Rewrites a migration for a database that is in use. */
function onTables({ sql }: Migration): string {
  return withoutScans(withoutIndexes(forPostgres(sql)))
}

/** A new column with a CHECK constraint. */
const checkedColumn = /^ALTER TABLE (\w+) ADD COLUMN (\w+) (.*) (CHECK \(.*\));$/gm

/**
 * Without NOT VALID, every row of a large table would be checked while nobody can read it, although the new column is null in
 * all of them. A constraint that is not validated still applies to everything written later (PostgreSQL, "ALTER TABLE", NOT
 * VALID).
 */
function withoutScans(sql: string): string {
  return sql.replaceAll(
    checkedColumn,
    'ALTER TABLE $1 ADD COLUMN $2 $3;\nALTER TABLE $1 ADD CONSTRAINT $1_$2_check $4 NOT VALID;',
  )
}

async function stateOf(client: Client): Promise<SchemaState> {
  // Not to_regclass: in a transaction that has already looked, it may not see a table that another process has created since.
  const found = await client.query(
    "SELECT 1 FROM pg_tables WHERE tablename = 'schema_version' AND schemaname = current_schema()",
  )
  if (found.rowCount === 0) return { version: 0 }
  const { rows } = await client.query<{ version: number }>('SELECT version FROM schema_version')
  const version = Number(rows[0]?.version ?? 0)
  // The table was added by the second migration.
  if (version < 2) return { version }
  const oldest = await client.query<{ version: string }>(
    "SELECT version FROM versions WHERE name = 'oldest_program'",
  )
  const [row] = oldest.rows
  return { version, ...(row && { oldestProgram: Number(row.version) }) }
}

/**
 * A migration in PostgreSQL's syntax: what follows `-- postgres:` applies to PostgreSQL only. SQLite generates numbers only for
 * columns declared exactly `INTEGER PRIMARY KEY`; its INTEGER has 64 bits; a table WITHOUT ROWID stores its rows in the index
 * of its key.
 */
export function forPostgres(sql: string): string {
  return sql
    .replaceAll(/^-- postgres: /gm, '')
    .replaceAll('INTEGER PRIMARY KEY', 'BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY')
    .replaceAll(/\bINTEGER\b/g, 'BIGINT')
    .replaceAll(') WITHOUT ROWID', ')')
}
