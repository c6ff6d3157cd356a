import { type ClientConfig, DatabaseError, type PoolClient, type QueryConfig, types } from 'pg'
import sql, { raw, type Sql } from 'sql-template-tag'
import type { Store } from '@sluice/gateway/ports/store.ts'
import { boundValues } from '../bound-values.ts'
import { type Column, type Database, type NewRows, RefusedData, type Row } from '../database.ts'
import type { Upgrading } from '../migrations.ts'
import { openIndexBuilding } from './large-indexes.ts'
import { type Connections, openConnections } from './connections.ts'
import { migrate } from './migrate.ts'
import { dropPart, openMonths } from './month-partitions.ts'
import { postgresHorizon, postgresUsage } from './usage-database.ts'
import { openStore, type StoreOptions } from '../store.ts'
import { unavailable } from '../unavailable.ts'
import { createUsageStore } from '../usage/usage-store.ts'

export interface PostgresOptions extends StoreOptions {
  /** `postgres://user:password@host:port/database`, with parameters of libpq such as `sslmode`. */
  readonly url: string
}

const connectMs = 5_000

/**
 * Opens the store in a PostgreSQL database (12 or newer), which several gateways may share. Creates or migrates its tables in
 * the first schema of the search path. The caller disposes it, which writes pending usage.
 *
 * @throws Error if the server cannot be reached, or if the database is too new for this program.
 */
export async function openPostgres({
  url,
  keepsTables,
  upgrading,
  ...options
}: PostgresOptions): Promise<Store> {
  const opened = await openPostgresDatabase(url, upgrading)
  const config = connectionTo(url)
  const upkeep = keepsTables
    ? [openIndexBuilding(config, keepsTables), openMonths(config, keepsTables)]
    : []
  const database: Database = {
    ...opened,
    async [Symbol.asyncDispose]() {
      for (const work of upkeep) await work[Symbol.asyncDispose]()
      await opened[Symbol.asyncDispose]()
    },
  }
  const usageDatabase = postgresUsage(database)
  const usage = createUsageStore(usageDatabase, {
    horizon: postgresHorizon(usageDatabase),
    dropPart: (before) => dropPart(config, before),
  })
  return openStore(database, { ...options, usage, isShared: true })
}

const connectionTo = (url: string): ClientConfig => ({
  connectionString: url,
  connectionTimeoutMillis: connectMs,
  application_name: 'sluice',
})

/** Opens and migrates the database at a URL. The caller disposes it. */
export async function openPostgresDatabase(url: string, upgrading?: Upgrading): Promise<Database> {
  await migrate(connectionTo(url), upgrading)
  const config = { ...connectionTo(url), types: { getTypeParser: parserOf } }
  return postgresDatabase(openConnections(config))
}

function postgresDatabase(connections: Connections): Database {
  const change = (...statements: readonly Sql[]) =>
    withStoreErrors(() => retryConflicts(() => changed(...statements)))

  async function changed(...statements: readonly Sql[]): Promise<readonly number[]> {
    const [only, ...more] = statements
    // A single statement is a transaction by itself, which saves two round trips.
    if (only && more.length === 0)
      return connections.use(async (client) => [(await client.query(queryOf(only))).rowCount ?? 0])
    return connections.use(async (client) => {
      await client.query('BEGIN')
      const counts: number[] = []
      for (const statement of statements)
        counts.push((await client.query(queryOf(statement))).rowCount ?? 0)
      await client.query('COMMIT')
      return counts
    })
  }

  return {
    rows: (query) => withStoreErrors(() => connections.use((client) => rowsOf(client, query))),
    change,
    // PostgreSQL's setting synchronous_commit is on unless the operator turned it off.
    changeDurably: change,
    changeTogether: change,
    async append(rows) {
      await change(insertOf(rows))
    },
    [Symbol.asyncDispose]: () => connections[Symbol.asyncDispose](),
  }
}

async function rowsOf(client: PoolClient, query: Sql): Promise<readonly Row[]> {
  return (await client.query<Record<string, unknown>>(queryOf(query))).rows
}

/** How each kind of field is read from JSON and converted to the type of its column. */
const fromJson: {
  readonly [As in Column['as']]: readonly [type: string, value: (name: string) => string]
} = {
  text: ['TEXT', (name) => name],
  integer: ['NUMERIC', (name) => `CAST(ROUND(${name}) AS BIGINT)`],
  number: ['DOUBLE PRECISION', (name) => name],
  boolean: ['BOOLEAN', (name) => `CAST(${name} AS INTEGER)`],
  json: ['JSON', (name) => `CAST(${name} AS TEXT)`],
}

const triesMax = 5

/**
 * The server rolls back one of several transactions that wait for each other (deadlock_detected, serialization_failure). It is
 * retried once the others have ended.
 */
async function retryConflicts<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries++)
    try {
      return await work()
    } catch (error) {
      const isConflict = error instanceof DatabaseError && /^40(?:P01|001)$/.test(error.code ?? '')
      if (!isConflict || tries === triesMax) throw error
    }
}

/** The documents are sent unchanged, as one array. */
function insertOf({ table, columns, documents }: NewRows): Sql {
  const names = columns.map(([, { column }]) => column)
  const values = columns.map(([field, { as }]) => fromJson[as][1](`"${field}"`))
  const types = columns.map(([field, { as }]) => `"${field}" ${fromJson[as][0]}`)
  return sql`INSERT INTO ${raw(table)} (${raw(names.join(', '))})
    SELECT ${raw(values.join(', '))}
    FROM json_to_recordset(CAST(${`[${documents.join(',')}]`} AS JSON)) AS given (${raw(types.join(', '))})
    ON CONFLICT DO NOTHING`
}

function queryOf(statement: Sql): QueryConfig {
  return { text: statement.text, values: boundValues(statement) }
}

/**
 * Errors caused by the connection, the server's resources or an operator (classes 08, 53, 57, 58, and a read-only server) are
 * not the statement's fault. Network errors are not a DatabaseError.
 */
async function withStoreErrors<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (thrown) {
    if (isRefusal(thrown)) throw new RefusedData(thrown.message, { cause: thrown })
    const reason = temporaryReason(thrown)
    throw reason === undefined ? thrown : unavailable(thrown, reason)
  }
}

function temporaryReason(thrown: unknown): string | undefined {
  if (thrown instanceof DatabaseError) {
    const isTemporary = /^(?:08|53|57|58|25006)/.test(thrown.code ?? '')
    return isTemporary ? 'The database cannot be used for now' : undefined
  }
  const isOurs = thrown instanceof TypeError || thrown instanceof RangeError
  return thrown instanceof Error && !isOurs ? 'The database does not answer' : undefined
}

/** Integrity constraints and data exceptions (https://www.postgresql.org/docs/current/errcodes-appendix.html). */
function isRefusal(error: unknown): error is DatabaseError {
  return error instanceof DatabaseError && /^2[23]/.test(error.code ?? '')
}

/** BIGINT is returned as text, because it may exceed a number's range; values of this program never do. */
function parserOf(oid: number, format?: 'text' | 'binary') {
  return oid === types.builtins.INT8 ? parseBigint : types.getTypeParser(oid, format)
}

function parseBigint(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} is beyond what a number can say`)
  return value
}
