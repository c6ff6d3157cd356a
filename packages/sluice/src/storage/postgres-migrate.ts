import type { Client, ClientConfig } from 'pg'
import { withoutIndexes } from './large-indexes.ts'
import { type Migration, migrationsAfter, type SchemaState } from './migrations.ts'
import { connect } from './postgres-client.ts'
import { changeTables } from './postgres-locks.ts'
import { addMonths } from './postgres-months.ts'

/** Of this program alone among all that lock something in the same database. */
const lockNumber = 7_582_233

/**
 * Brings the database to the newest version, each migration in a transaction of its own, or all of them in one where there is
 * nothing yet. The table `schema_version` says which was the last; of processes that start together one applies it, and the
 * others wait. Indexes of tables that are there already are left to `openIndexBuilding`, so that nobody who writes waits for
 * them.
 *
 * @throws Error when the database is so new that this program cannot use it.
 */
export async function migrate(config: ClientConfig): Promise<void> {
  if (await applyMissing(config)) await addMonths(config, Date.now())
}

/** Returns whether there was anything to apply. */
async function applyMissing(config: ClientConfig): Promise<boolean> {
  await using connected = await connect(config)
  const { client } = connected
  // Looked at without the lock first: then a start needs no right to make tables, unless there are any to make.
  for (let isChanged = false; ; isChanged = true) {
    const state = await stateOf(client)
    const missing = migrationsAfter(state)
    if (missing.length === 0) return isChanged
    const count = state.version === 0 ? missing.length : 1
    await changeTables(client, lockNumber, () => apply(client, count))
  }
}

/** Applies the next migrations, so many of them; none where another process has applied them meanwhile. */
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

/** What a migration does to a database that is in use. */
function onTables({ sql }: Migration): string {
  return withoutScans(withoutIndexes(forPostgres(sql)))
}

/** A new column with a condition. */
const checkedColumn = /^ALTER TABLE (\w+) ADD COLUMN (\w+) (.*) (CHECK \(.*\));$/gm

/**
 * Every row of a large table would be looked at, while nobody can read it, for a condition that none can break yet: what is new is
 * null in all of them. A condition that is not validated holds for whatever is written (PostgreSQL, "ALTER TABLE", NOT VALID).
 */
function withoutScans(sql: string): string {
  return sql.replaceAll(
    checkedColumn,
    'ALTER TABLE $1 ADD COLUMN $2 $3;\nALTER TABLE $1 ADD CONSTRAINT $1_$2_check $4 NOT VALID;',
  )
}

async function stateOf(client: Client): Promise<SchemaState> {
  // Not to_regclass: within a transaction that has looked before, it may not see what another process has made since.
  const found = await client.query(
    "SELECT 1 FROM pg_tables WHERE tablename = 'schema_version' AND schemaname = current_schema()",
  )
  if (found.rowCount === 0) return { version: 0 }
  const { rows } = await client.query<{ version: number }>('SELECT version FROM schema_version')
  const version = Number(rows[0]?.version ?? 0)
  // The table came with the second one.
  if (version < 2) return { version }
  const oldest = await client.query<{ version: string }>(
    "SELECT version FROM versions WHERE name = 'oldest_program'",
  )
  const [row] = oldest.rows
  return { version, ...(row && { oldestProgram: Number(row.version) }) }
}

/**
 * A migration in PostgreSQL's words: what stands behind `-- postgres:` is for it alone. SQLite counts up a column only if it is called exactly `INTEGER PRIMARY KEY`, and
 * its INTEGER holds 64 bits; a table WITHOUT ROWID has its rows in the index of its key.
 */
export function forPostgres(sql: string): string {
  return sql
    .replaceAll(/^-- postgres: /gm, '')
    .replaceAll('INTEGER PRIMARY KEY', 'BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY')
    .replaceAll(/\bINTEGER\b/g, 'BIGINT')
    .replaceAll(') WITHOUT ROWID', ')')
}
