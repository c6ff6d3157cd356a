import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import type { Store } from '../../packages/gateway/src/ports/store.ts'
import type {
  RequestQuestion,
  UsageDimension,
  UsageQuestion,
} from '../../packages/gateway/src/ports/usage-store.ts'
import { openPostgres } from '../../packages/store/src/postgres/open-postgres.ts'
import { addMonths } from '../../packages/store/src/postgres/month-partitions.ts'
import { openSqlite } from '../../packages/store/src/sqlite/open-sqlite.ts'
import { query, readRow } from '../../packages/store/test/postgres/postgres-server.ts'
import { fillText, sqliteSeries } from './usage-fill.ts'

export interface Proved {
  /** The database, and how large its file became. */
  readonly database: string
  readonly megabytes: number
  readonly fillSeconds: number
  readonly foldSeconds: number
  /** Milliseconds: the middle of several. */
  readonly times: readonly {
    readonly question: string
    readonly rows: number
    readonly ms: number
  }[]
  /** When each key was used last. */
  readonly lastUseMs: number
  /** How long the removal of the first 40 days' records took. */
  readonly forgotten: { readonly records: number; readonly seconds: number }
  /** Attempts that the sums hold. */
  readonly summed: number
}

const dayMs = 86_400_000
const lastDay = Date.UTC(2026, 9, 1)
const days = 365
const firstDay = lastDay - days * dayMs

const questions: readonly (readonly [
  string,
  Pick<UsageQuestion, 'by'> & Partial<UsageQuestion>,
])[] = [
  ['all of a year, one sum', { by: [] }],
  ['a year by month', { by: ['month'] }],
  ['a year by model', { by: ['model'] }],
  ['a year by key', { by: ['key'] }],
  ['a year by user and model', { by: ['user', 'model'] }],
  ['a year by team and provider', { by: ['team', 'provider'] }],
  ['a year by day and model', { by: ['day', 'model'] }],
  ['a year by tag and model', { by: ['tag', 'model'] }],
  ['a year by tag and key', { by: ['tag', 'key'] }],
  ['a year by outcome and model', { by: ['outcome', 'model'] }],
  ['a year by outcome and key', { by: ['outcome', 'key'] }],
  ['30 days by day and key', { by: ['day', 'key'], from: lastDay - 30 * dayMs }],
  [
    '30 days by day and user, of one model',
    { by: ['day', 'user'], from: lastDay - 30 * dayMs, only: { model: 'model_3' } },
  ],
  ['a week by hour and model', { by: ['hour', 'model'], from: lastDay - 7 * dayMs }],
  [
    'a month to the hour, one key by day',
    {
      by: ['day', 'model'],
      from: lastDay - 31 * dayMs + 5 * 3_600_000,
      to: lastDay - 7 * 3_600_000,
      only: { key: 'key_3' },
    },
  ],
]

/** What is looked for among the calls; the rarest of each kind too, and what there is none of. */
const searches: readonly (readonly [string, Partial<RequestQuestion>])[] = [
  ['the newest calls', {}],
  ['calls of one key', { only: { key: 'key_7' } }],
  ['calls of one user and model', { only: { user: 'user_7', model: 'model_3' } }],
  ['calls of one team', { only: { team: 'team_7' } }],
  ['calls of an unknown key', { only: { key: 'key_none' } }],
  ['calls of an unknown model', { only: { model: 'model_none' } }],
  ['calls of an unknown provider', { only: { provider: 'provider_none' } }],
  ['calls of one route', { requestedModel: 'route_3' }],
  ['calls of a route that is seldom asked for', { requestedModel: 'route_rare' }],
  ['calls of one target by its name', { requestedModel: 'provider_3/model_3' }],
  ['calls of a name nobody asked for', { requestedModel: 'none' }],
  ['calls with one tag', { only: { tag: 'tag_3' } }],
  ['calls with an unknown tag', { only: { tag: 'tag_none' } }],
  ['failed calls', { only: { outcome: 'failed' } }],
  ['failed calls of one key', { only: { outcome: 'failed', key: 'key_7' } }],
  ['calls with a status of 503', { status: [503, 503] }],
  ['calls with a status that none has', { status: [429, 429] }],
  ['a call by its id', { id: 'call_4711' }],
  ['a call by the caller’s id', { id: 'mine_4710' }],
  ['a call by an id that none has', { id: 'none' }],
  ['what is new in the ledger', { sinceSequence: 900_000, only: { key: 'key_7' } }],
]

async function search({ usage }: Store): Promise<Proved['times']> {
  const times: { question: string; rows: number; ms: number }[] = []
  for (const [question, asked] of searches) {
    const took: number[] = []
    let rows = 0
    for (let time = 0; time < 7; time++) {
      const begun = performance.now()
      const to = lastDay - time
      rows = (await usage.requests({ from: 0, to, only: {}, limit: 50, ...asked })).length
      took.push(performance.now() - begun)
    }
    times.push({ question, rows, ms: middle(took) })
  }
  return times
}

async function ask(store: Store): Promise<Pick<Proved, 'times' | 'summed'>> {
  const whole = { from: firstDay, to: lastDay + dayMs, only: {}, limit: 1_000 }
  const times: { question: string; rows: number; ms: number }[] = []
  for (const [question, asked] of questions) {
    const took: number[] = []
    let rows = 0
    for (let time = 0; time < 7; time++) {
      const begun = performance.now()
      rows = (await store.usage.sums({ ...whole, ...asked })).groups.length
      took.push(performance.now() - begun)
    }
    times.push({ question, rows, ms: middle(took) })
  }
  for (const only of [{}, { key: 'key_7' } as Partial<Record<UsageDimension, string>>]) {
    const took: number[] = []
    let rows = 0
    for (let time = 0; time < 7; time++) {
      const begun = performance.now()
      const from = lastDay - (10 + time) * dayMs
      rows = (await store.usage.records({ from, to: lastDay, only, limit: 1_000 })).length
      took.push(performance.now() - begun)
    }
    const question = `1,000 records${Object.keys(only).length > 0 ? ' of one key' : ''}`
    times.push({ question, rows, ms: middle(took) })
  }
  times.push(...(await search(store)))
  return { times, summed: (await store.usage.sums({ ...whole, by: [] })).total.attempts }
}

async function forgetFirst({ usage }: Store): Promise<Proved['forgotten']> {
  const begun = performance.now()
  let records = 0
  for (let hasMore = true; hasMore; ) {
    const step = await usage.forget(firstDay + 40 * dayMs)
    records += step.records
    hasMore = step.hasMore
  }
  return { records, seconds: (performance.now() - begun) / 1_000 }
}

const triesMax = 20

/** A step that a busy server does not answer in time is made again, as a gateway does. */
async function foldAll({ usage }: Store): Promise<void> {
  for (let tries = 1; ; )
    try {
      if ((await usage.fold()) === 0) return
    } catch (error) {
      if (tries++ === triesMax) throw error
      await pause(1_000)
    }
}

async function lastUseMs(store: Store): Promise<number> {
  const begun = performance.now()
  await store.lastUse()
  return performance.now() - begun
}

function middle(took: readonly number[]): number {
  const sorted = took.toSorted((one, other) => one - other)
  return sorted[sorted.length >> 1] ?? 0
}

const recordsPerFill = 100_000

/** Fills a new database with so many records, sums them and asks. The database is removed. */
export async function proveUsage(records: number, databaseUrl?: string): Promise<Proved> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-usage-'))
  const schema = `usage_${process.pid}`
  const opened =
    databaseUrl === undefined ? await inSqlite(folder) : await inPostgres(databaseUrl, schema)
  try {
    const { store, run, size } = opened
    const begun = performance.now()
    for (let from = 0; from < records; from += recordsPerFill) {
      const to = Math.min(records, from + recordsPerFill) - 1
      await run(fillText({ from, to, total: records, series: opened.series, end: lastDay, days }))
    }
    await opened.filled()
    const filled = performance.now()
    await foldAll(store)
    const folded = performance.now()
    await opened.filled()
    return {
      database: databaseUrl === undefined ? 'SQLite' : 'PostgreSQL',
      fillSeconds: (filled - begun) / 1_000,
      foldSeconds: (folded - filled) / 1_000,
      ...(await ask(store)),
      lastUseMs: await lastUseMs(store),
      megabytes: await size(),
      forgotten: await forgetFirst(store),
    }
  } finally {
    await opened.remove()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function inSqlite(folder: string) {
  const file = join(folder, 'sluice.db')
  const store = openSqlite({ file })
  const db = new DatabaseSync(file, { timeout: 10_000 })
  return {
    store,
    series: sqliteSeries,
    run: async (text: string) => db.exec(text),
    filled: async () => db.exec('ANALYZE'),
    size: async () =>
      Number(
        db
          .prepare(
            'SELECT page_count * page_size / 1000000 AS size FROM pragma_page_count(), pragma_page_size()',
          )
          .get()?.['size'],
      ),
    async remove() {
      db.close()
      await store[Symbol.asyncDispose]()
    },
  }
}

/** Partitions for the year that is filled, as a gateway has made them that ran through it. */
async function makeMonths(url: string): Promise<void> {
  const found = await readRow(
    url,
    `SELECT string_agg(CAST(CAST(inhrelid AS regclass) AS TEXT), ', ') AS names FROM pg_inherits
      WHERE inhparent = CAST('usage_records' AS regclass)`,
  )
  await query(url, `DROP TABLE ${String(found?.['names'])}`)
  for (let day = firstDay; day <= lastDay; day += 28 * dayMs)
    await addMonths({ connectionString: url }, day)
}

async function inPostgres(databaseUrl: string, schema: string) {
  await query(databaseUrl, `CREATE SCHEMA ${schema}`)
  const url = new URL(databaseUrl)
  url.searchParams.set('options', `-c search_path=${schema}`)
  const store = await openPostgres({ url: url.href })
  await makeMonths(url.href)
  return {
    store,
    series: 'SELECT n FROM generate_series(CAST(FROM_ AS BIGINT), CAST(TO_ AS BIGINT)) AS g(n)',
    run: (text: string) => query(url.href, text),
    filled: () => query(url.href, 'ANALYZE'),
    size: async () => {
      const sized = `SELECT SUM(pg_total_relation_size(c.oid)) / 1000000 AS size FROM pg_class c
        JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = '${schema}' AND c.relkind = 'r'`
      return Math.round(Number((await readRow(databaseUrl, sized))?.['size']))
    },
    async remove() {
      await store[Symbol.asyncDispose]()
      await query(databaseUrl, `DROP SCHEMA ${schema} CASCADE`)
    },
  }
}
