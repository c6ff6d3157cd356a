import {
  type ClientConfig,
  DatabaseError,
  Pool,
  type PoolClient,
  type QueryConfig,
  types,
} from 'pg'
import sql, { raw, type Sql } from 'sql-template-tag'
import type { Store } from '../ports/store.ts'
import { boundValues } from './bound-values.ts'
import { type Column, type Database, type NewRows, RefusedData } from './database.ts'
import { openIndexBuilding } from './large-indexes.ts'
import { migrate } from './postgres-migrate.ts'
import { postgresHorizon, postgresUsage } from './postgres-usage.ts'
import { openStore, type StoreOptions } from './store.ts'
import { unavailable } from './unavailable.ts'
import { createUsageBook } from './usage-book.ts'

export interface PostgresOptions extends StoreOptions {
  /** `postgres://user:password@host:port/database`, with the parameters that libpq knows, such as `sslmode`. */
  readonly url: string
}

const connectMs = 5_000
/** Longer than any statement of this program takes; a server that is gone would else be waited for without end. */
const statementMs = 15_000
const connectionsMax = 10

/**
 * Opens the store in a PostgreSQL database (12 or newer), which several gateways may have open. Its tables are made, or
 * brought up to date, in the first schema of the search path. The caller disposes it; usage still waiting is written then.
 *
 * @throws Error when the server cannot be reached, or when the database is so new that this program cannot use it.
 */
export async function openPostgres({
  url,
  buildsIndexes,
  ...options
}: PostgresOptions): Promise<Store> {
  const opened = await openPostgresDatabase(url)
  const building = buildsIndexes && openIndexBuilding(connectionTo(url), buildsIndexes)
  const database: Database = {
    ...opened,
    async [Symbol.asyncDispose]() {
      await building?.[Symbol.asyncDispose]()
      await opened[Symbol.asyncDispose]()
    },
  }
  const usage = postgresUsage(database)
  const book = createUsageBook(usage, postgresHorizon(usage))
  return openStore(database, { ...options, book, isShared: true })
}

const connectionTo = (url: string): ClientConfig => ({
  connectionString: url,
  connectionTimeoutMillis: connectMs,
  application_name: 'sluice',
})

/** The database at a URL, brought up to date. The caller disposes it. */
export async function openPostgresDatabase(url: string): Promise<Database> {
  await migrate(connectionTo(url))
  const pool = new Pool({
    ...connectionTo(url),
    max: connectionsMax,
    query_timeout: statementMs,
    keepAlive: true,
    types: { getTypeParser: parserOf },
  })
  // Without a listener the loss of an idle connection ends the process. The pool opens another one when it needs it.
  pool.on('error', () => {})
  return postgresDatabase(pool)
}

function postgresDatabase(pool: Pool): Database {
  const change = (...statements: readonly Sql[]) =>
    meant(() => untilNobodyElse(() => changed(...statements)))

  async function changed(...statements: readonly Sql[]): Promise<readonly number[]> {
    const [only, ...more] = statements
    // One statement is a transaction of its own, without two more ways to the server.
    if (only && more.length === 0) return [(await pool.query(queryOf(only))).rowCount ?? 0]
    return transaction(pool, async (client) => {
      const counts: number[] = []
      for (const statement of statements)
        counts.push((await client.query(queryOf(statement))).rowCount ?? 0)
      return counts
    })
  }

  return {
    rows: async (query) =>
      meant(async () => (await pool.query<Record<string, unknown>>(queryOf(query))).rows),
    change,
    // PostgreSQL's own setting, synchronous_commit, is on unless the operator turned it off.
    changeDurably: change,
    async append(rows) {
      await change(insertOf(rows))
    },
    async [Symbol.asyncDispose]() {
      if (!pool.ending) await pool.end()
    },
  }
}

/** How each kind of field stands in JSON, and what makes a value of its column of it. */
const taken: {
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
 * Of transactions that wait for each other the server takes one back (deadlock_detected, serialization_failure): it is made
 * again once the other one is over.
 */
async function untilNobodyElse<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries++)
    try {
      return await work()
    } catch (error) {
      const isTakenBack = error instanceof DatabaseError && /^40(?:P01|001)$/.test(error.code ?? '')
      if (!isTakenBack || tries === triesMax) throw error
    }
}

/** The documents travel as they are. */
function insertOf({ table, columns, documents }: NewRows): Sql {
  const names = columns.map(([, { column }]) => column)
  const values = columns.map(([field, { as }]) => taken[as][1](`"${field}"`))
  const types = columns.map(([field, { as }]) => `"${field}" ${taken[as][0]}`)
  return sql`INSERT INTO ${raw(table)} (${raw(names.join(', '))})
    SELECT ${raw(values.join(', '))}
    FROM json_to_recordset(CAST(${documents} AS JSON)) AS given (${raw(types.join(', '))})
    ON CONFLICT DO NOTHING`
}

function queryOf(statement: Sql): QueryConfig {
  return { text: statement.text, values: boundValues(statement) }
}

async function transaction<Result>(
  pool: Pool,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect()
  let isDone = false
  try {
    await client.query('BEGIN')
    const result = await work(client)
    await client.query('COMMIT')
    isDone = true
    return result
  } finally {
    // A connection that is closed takes back what it began; after a failure nobody knows its state.
    client.release(!isDone)
  }
}

/**
 * What the connection, the server's resources or an operator are the reason for (classes 08, 53, 57, 58, and a server that
 * only reads) is not the statement's fault. Errors of the network are no DatabaseError.
 */
async function meant<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (thrown) {
    const isPassing =
      thrown instanceof DatabaseError
        ? /^(?:08|53|57|58|25006)/.test(thrown.code ?? '')
        : thrown instanceof Error && !(thrown instanceof TypeError || thrown instanceof RangeError)
    if (isRefusal(thrown)) throw new RefusedData(thrown.message, { cause: thrown })
    throw isPassing ? unavailable(thrown) : thrown
  }
}

/** Integrity constraints and data exceptions (https://www.postgresql.org/docs/current/errcodes-appendix.html). */
function isRefusal(error: unknown): error is DatabaseError {
  return error instanceof DatabaseError && /^2[23]/.test(error.code ?? '')
}

/** BIGINT comes as text, since it may be larger than a number can say; what this program writes never is. */
function parserOf(oid: number, format?: 'text' | 'binary') {
  return oid === types.builtins.INT8 ? parseBigint : types.getTypeParser(oid, format)
}

function parseBigint(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} is beyond what a number can say`)
  return value
}
