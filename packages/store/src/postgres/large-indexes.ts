import { setTimeout as wait } from 'node:timers/promises'
import type { Client, ClientConfig } from 'pg'
import { migrationsAfter } from '../migrations.ts'
import { connect } from './connect.ts'
import type { StoreOptions } from '../store.ts'

/** An advisory lock of this program, different from the one in migrate.ts. */
const lockNumber = 7_582_234
/** Delay before retrying after a failure or while another process is building, in milliseconds. */
const againMs = 60_000
const cancelEveryMs = 200

/** A statement of a migration that creates an index. */
const creation = /^CREATE INDEX (\w+) ON (\w+)([^;]*);/gm
const anyCreation = /^CREATE (?:UNIQUE )?INDEX \w+ ON (\w+)[^;]*/gm

/**
 * Removes the indexes of existing tables from a migration: such tables may be large, and creating an index in a transaction
 * blocks all writes until it ends. Unique indexes stay, because writes rely on them.
 */
export function withoutIndexes(sql: string): string {
  const made = new Set([...sql.matchAll(/^CREATE TABLE (\w+)/gm)].map(([, table]) => table))
  return sql.replaceAll(creation, (statement, _name, table: string) =>
    made.has(table) ? statement : '',
  )
}

interface Index {
  readonly name: string
  readonly table: string
  /** Its columns and its condition. */
  readonly rest: string
}

function wantedIndexes(): readonly Index[] {
  return migrationsAfter({ version: 0 }).flatMap(({ sql }) =>
    [...sql.matchAll(creation)].map(([, name = '', table = '', rest = '']) => ({
      name,
      table,
      rest,
    })),
  )
}

/** The statements that make the indexes of a new partition, which are named after it. */
export function partitionIndexes(table: string, partition: string): readonly string[] {
  return migrationsAfter({ version: 0 })
    .flatMap(({ sql }) => [...sql.matchAll(anyCreation)])
    .filter(([, of]) => of === table)
    .map(([statement]) => statement.replaceAll(table, partition))
}

/**
 * Builds missing or unfinished indexes without blocking reads and writes (PostgreSQL, "Building Indexes Concurrently"). Runs
 * in the background on its own connection, because it may take minutes. Only one process builds at a time. Disposing aborts
 * it; unfinished indexes are built by the next process.
 */
export function openIndexBuilding(
  config: ClientConfig,
  { failed }: NonNullable<StoreOptions['keepsTables']>,
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
    // Checked again: another process may just have built them.
    for (const { name, table, rest } of await missingIndexes(client)) {
      if (signal.aborted) return 'again'
      building = rows[0].pid
      // An existing index is invalid: the process that was building it has ended.
      await client.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`)
      await client.query(`CREATE INDEX CONCURRENTLY ${name} ON ${table}${rest}`)
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
      // Repeated in case the cancellation came between two statements.
      do if (building !== undefined) await cancel(config, building).catch(() => {})
      while (!(await Promise.race([ended, wait(cancelEveryMs, false)])))
    },
  }
}

/** Closing a connection does not end its statement at the server. */
async function cancel(config: ClientConfig, process: number): Promise<void> {
  await using connected = await connect(config)
  await connected.client.query('SELECT pg_cancel_backend($1)', [process])
}

/** Returns none if a newer version has migrated the database: it knows which indexes are needed. */
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
  const partitions = await partitionsOf(client)
  return wantedIndexes()
    .flatMap(({ name, table, rest }) =>
      (partitions.get(table) ?? [table]).map((part) => ({
        name: name.replace(table, part),
        table: part,
        rest,
      })),
    )
    .filter(({ name }) => !present.has(name))
}

/** The partitions of each table that has some: PostgreSQL builds an index while others write only on one of these. */
async function partitionsOf(client: Client): Promise<ReadonlyMap<string, readonly string[]>> {
  const { rows } = await client.query<{ name: string; parts: string[] }>(
    `SELECT whole.relname AS name, array_agg(CAST(part.relname AS TEXT)) AS parts
      FROM pg_class whole CROSS JOIN LATERAL pg_partition_tree(whole.oid) tree JOIN pg_class part ON part.oid = tree.relid
      WHERE whole.relkind = 'p' AND NOT whole.relispartition AND tree.isleaf
        AND whole.relnamespace = CAST(current_schema() AS regnamespace)
      GROUP BY whole.relname`,
  )
  return new Map(rows.map(({ name, parts }) => [name, parts]))
}
