import { Client, type ClientConfig } from 'pg'
import { migrationsAfter, type SchemaState } from './migrations.ts'

/** Of this program alone among all that lock something in the same database. */
const lockNumber = 7_582_233

/**
 * Brings the database to the newest version, all migrations in one transaction. The table `schema_version` says which
 * was the last; of processes that start together one applies them, and the others wait.
 *
 * @throws Error when the database is so new that this program cannot use it.
 */
export async function migrate(config: ClientConfig): Promise<void> {
  const client = new Client(config)
  await client.connect()
  try {
    // Looked at without the lock first: then a start needs no right to make tables, unless there are any to make.
    if (migrationsAfter(await stateOf(client)).length > 0) await applyAll(client)
  } finally {
    await client.end()
  }
}

async function applyAll(client: Client): Promise<void> {
  // Closing the connection takes back what a failure leaves.
  await client.query('BEGIN')
  await client.query(`SELECT pg_advisory_xact_lock(${lockNumber})`)
  // Another process may have applied them while this one waited for the lock.
  const state = await stateOf(client)
  if (state.version === 0)
    await client.query(
      'CREATE TABLE schema_version (version INTEGER NOT NULL); INSERT INTO schema_version VALUES (0)',
    )
  for (const { version, sql } of migrationsAfter(state)) {
    await client.query(forPostgres(sql))
    await client.query('UPDATE schema_version SET version = $1', [version])
  }
  await client.query('COMMIT')
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
function forPostgres(sql: string): string {
  return sql
    .replaceAll(/^-- postgres: /gm, '')
    .replaceAll('INTEGER PRIMARY KEY', 'BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY')
    .replaceAll(/\bINTEGER\b/g, 'BIGINT')
    .replaceAll(') WITHOUT ROWID', ')')
}
