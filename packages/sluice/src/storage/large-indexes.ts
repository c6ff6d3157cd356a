import { setTimeout as wait } from 'node:timers/promises'
import { Client, type ClientConfig } from 'pg'
import { migrationsAfter } from './migrations.ts'
import type { StoreOptions } from './store.ts'

/** Of this program alone; see postgres-migrate.ts, whose lock is another one. */
const lockNumber = 7_582_234
/** When what failed, or what another process has under way, is looked at again, in milliseconds. */
const againMs = 60_000
const cancelEveryMs = 200

/** An index of the migrations, and the statement that makes it. */
const creation = /^CREATE INDEX (\w+) ON (\w+)([^;]*);/gm

/**
 * A migration without the indexes of tables that it does not make itself: they may be large, and an index that is made within a
 * transaction keeps everybody from writing until its end. Unique ones stay, since what is written relies on them.
 */
export function withoutIndexes(sql: string): string {
  const made = new Set([...sql.matchAll(/^CREATE TABLE (\w+)/gm)].map(([, table]) => table))
  return sql.replaceAll(creation, (statement, _name, table: string) =>
    made.has(table) ? statement : '',
  )
}

interface Index {
  readonly name: string
  /** The table, its columns and its condition. */
  readonly of: string
}

function wantedIndexes(): readonly Index[] {
  return migrationsAfter({ version: 0 }).flatMap(({ sql }) =>
    [...sql.matchAll(creation)].map(([, name = '', table = '', rest = '']) => ({
      name,
      of: table + rest,
    })),
  )
}

/**
 * Builds the indexes that are missing, or that a process has left unfinished, while everybody reads and writes (PostgreSQL,
 * "Building Indexes Concurrently"): in the background and on a connection of its own, since that may take minutes. Of several
 * processes one builds. Disposing ends it: what is unfinished then is built by the next one.
 */
export function openIndexBuilding(
  config: ClientConfig,
  { failed }: NonNullable<StoreOptions['buildsIndexes']>,
): AsyncDisposable {
  const stopping = new AbortController()
  const { signal } = stopping
  let building: number | undefined

  async function buildMissing(): Promise<'done' | 'again'> {
    await using connected = await connect(config)
    const { client } = connected
    if ((await missingIndexes(client)).length === 0) return 'done'
    const { rows } = await client.query<{ held: boolean; pid: number }>(
      `SELECT pg_try_advisory_lock(${lockNumber}) AS held, pg_backend_pid() AS pid`,
    )
    if (rows[0]?.held !== true) return 'again'
    // Looked at again: another process may just have built them.
    for (const { name, of } of await missingIndexes(client)) {
      if (signal.aborted) return 'again'
      building = rows[0].pid
      // One that is there is not valid: whoever was building it has ended.
      await client.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`)
      await client.query(`CREATE INDEX CONCURRENTLY ${name} ON ${of}`)
      building = undefined
    }
    return 'done'
  }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      const result = await buildMissing().catch((error: unknown) => {
        if (!signal.aborted) failed(error)
        return 'again' as const
      })
      if (result === 'done') return
      await wait(againMs, undefined, { signal, ref: false }).catch(() => {})
    }
  }

  const running = run()
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort()
      const ended = running.then(() => true)
      // Again where it came between two statements.
      do if (building !== undefined) await cancel(config, building).catch(() => {})
      while (!(await Promise.race([ended, wait(cancelEveryMs, false)])))
    },
  }
}

async function connect(
  config: ClientConfig,
): Promise<{ readonly client: Client } & AsyncDisposable> {
  const client = new Client(config)
  // A connection that is lost makes the statement under way fail.
  client.on('error', () => {})
  await client.connect()
  return { client, [Symbol.asyncDispose]: () => client.end() }
}

/** Closing a connection does not end what its statement does at the server. */
async function cancel(config: ClientConfig, process: number): Promise<void> {
  await using connected = await connect(config)
  await connected.client.query('SELECT pg_cancel_backend($1)', [process])
}

/** None where a newer program has been here: it knows which indexes there are to be. */
async function missingIndexes(client: Client): Promise<readonly Index[]> {
  const newest = migrationsAfter({ version: 0 }).at(-1)?.version ?? 0
  const { rows } = await client.query<{ version: string; names: string[] | null }>(
    `SELECT version, (SELECT array_agg(CAST(relname AS TEXT)) FROM pg_index
        JOIN pg_class ON pg_class.oid = indexrelid
        WHERE indisvalid AND relnamespace = CAST(current_schema() AS regnamespace)) AS names
      FROM schema_version`,
  )
  if (Number(rows[0]?.version) !== newest) return []
  const present = new Set(rows[0]?.names ?? [])
  return wantedIndexes().filter(({ name }) => !present.has(name))
}
