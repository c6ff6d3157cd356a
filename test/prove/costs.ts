import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { joinMoney, type Money } from '../../packages/contract/src/core/money.ts'
import type { Store } from '../../packages/gateway/src/ports/store.ts'
import { migrationsAfter } from '../../packages/store/src/migrations.ts'
import { openPostgres } from '../../packages/store/src/postgres/open-postgres.ts'
import { forPostgres } from '../../packages/store/src/postgres/migrate.ts'
import { openSqlite } from '../../packages/store/src/sqlite/open-sqlite.ts'
import { query, readRow } from '../../packages/store/test/postgres/postgres-server.ts'
import { openOlderUsage } from '../support/servers/older-ledger.ts'
import { sampleUsage } from '../support/store-samples.ts'
import { fillText, sqliteSeries } from './usage-fill.ts'

export interface ProvedCosts {
  readonly database: string
  readonly records: number
  /** How long the new program took to open the database, with its copy of a file. */
  readonly openMs: number
  /** The slowest write of the older program meanwhile. */
  readonly slowestWriteMs: number
  readonly foldSeconds: number
  /** What the sums say, and what the records add up to. */
  readonly summed: Money
  readonly recorded: Money
}

/** The last version whose program counts whole millionths of a dollar. */
const versionOfThen = 26
const recordsPerFill = 50_000
const recordsPerFold = 4_000
const stepsOfOlder = 20
const failuresMax = 20
const end = Date.UTC(2026, 9, 1)
const days = 30

/** A database as an older program has left it, with a connection of that program. */
interface Older extends AsyncDisposable {
  readonly series: string
  readonly run: (statement: string) => Promise<void>
  readonly read: (statement: string) => Promise<Readonly<Record<string, unknown>>>
  readonly open: () => Promise<Store>
  readonly options: { readonly dataFolder: string; readonly databaseUrl?: string }
}

/**
 * Opens a database of the version before costs were fine, while an older program goes on writing to it and, with the new one,
 * sums what is there. Then the sums must be those of the records, to the picodollar.
 */
export async function proveCosts(records: number, databaseUrl?: string): Promise<ProvedCosts> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-costs-'))
  try {
    await using older = await (databaseUrl === undefined
      ? olderSqlite(folder)
      : olderPostgres(databaseUrl, folder))
    for (let from = 0; from < records; from += recordsPerFill)
      await older.run(filling(older, from, Math.min(records, from + recordsPerFill) - 1, records))
    const writer = openWriter(older, records)
    const begun = performance.now()
    await using store = await older.open()
    const openMs = performance.now() - begun
    await using olderUsage = await openOlderUsage(older, recordsPerFold)
    for (let call = 0; call < 500; call++)
      store.recordUsage(
        sampleUsage({ callId: `fine_${call}`, costMicroUsd: 0, costRestPicoUsd: 240_001 + call }),
      )
    await store.flush()
    const folding = performance.now()
    await Promise.all([foldAll(store.usage), foldAll(olderUsage, stepsOfOlder)])
    const slowestWriteMs = await writer.stop()
    await foldAll(olderUsage, stepsOfOlder)
    await foldAll(store.usage)
    const { total } = await store.usage.sums({ from: 0, to: end * 2, only: {}, by: [], limit: 1 })
    return {
      database: databaseUrl === undefined ? 'SQLite' : 'PostgreSQL',
      records: total.attempts,
      openMs,
      slowestWriteMs,
      foldSeconds: (performance.now() - folding) / 1_000,
      summed: total.cost,
      recorded: await recordedIn(older),
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const filling = ({ series }: Older, from: number, to: number, total: number) =>
  fillText({ from, to, total, series, end, days })

/** Writes a record after the other as the older program does, until it is stopped. */
function openWriter(older: Older, total: number) {
  let isStopped = false
  let slowestMs = 0
  async function write(): Promise<void> {
    for (let at = total; !isStopped; at++) {
      const begun = performance.now()
      await older.run(filling(older, at, at, total))
      slowestMs = Math.max(slowestMs, performance.now() - begun)
      await pause(5)
    }
  }
  const writing = write()
  return {
    async stop(): Promise<number> {
      isStopped = true
      await writing
      return slowestMs
    },
  }
}

/** A step is made again that fails because another one held the database for too long, as a gateway does. */
async function foldAll(
  usage: { readonly fold: () => Promise<number> },
  steps = Infinity,
): Promise<void> {
  for (let failures = 0, step = 0; step < steps; step++)
    try {
      if ((await usage.fold()) === 0) return
    } catch (error) {
      if ((failures += 1) > failuresMax) throw error
      await pause(100)
    }
}

async function recordedIn(older: Older): Promise<Money> {
  const { micro, rest } = await older.read(
    'SELECT SUM(cost_micro_usd) AS micro, SUM(cost_rest_pico_usd) AS rest FROM usage_records',
  )
  return joinMoney(Number(micro), Number(rest))
}

const migrationsOfThen = () => migrationsAfter({ version: 0 }).slice(0, versionOfThen)

async function olderSqlite(folder: string): Promise<Older> {
  const file = join(folder, 'sluice.db')
  const db = new DatabaseSync(file, { timeout: 10_000 })
  db.exec('PRAGMA journal_mode = WAL')
  for (const { sql } of migrationsOfThen()) db.exec(sql)
  db.exec(`PRAGMA user_version = ${versionOfThen}`)
  return {
    series: sqliteSeries,
    run: async (statement) => db.exec(statement),
    read: async (statement) => ({ ...db.prepare(statement).get() }),
    open: async () => openSqlite({ file }),
    options: { dataFolder: folder },
    async [Symbol.asyncDispose]() {
      db.close()
    },
  }
}

async function olderPostgres(server: string, folder: string): Promise<Older> {
  const schema = `costs_${process.pid}`
  const url = new URL(server)
  url.searchParams.set('options', `-c search_path=${schema}`)
  await query(server, `CREATE SCHEMA ${schema}`)
  const run = (statement: string) => query(url.href, statement)
  await run(`CREATE TABLE schema_version (version INTEGER NOT NULL);
    INSERT INTO schema_version VALUES (${versionOfThen})`)
  for (const { sql } of migrationsOfThen()) await run(forPostgres(sql))
  return {
    series: 'SELECT n FROM generate_series(CAST(FROM_ AS BIGINT), CAST(TO_ AS BIGINT)) AS g(n)',
    run,
    read: async (statement) => (await readRow(url.href, statement)) ?? {},
    open: () => openPostgres({ url: url.href }),
    options: { dataFolder: folder, databaseUrl: url.href },
    [Symbol.asyncDispose]: () => query(server, `DROP SCHEMA ${schema} CASCADE`),
  }
}
