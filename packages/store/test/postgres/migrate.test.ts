import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, describe, expect, test } from 'vitest'
import { sampleUsage } from '../../../../test/support/store-samples.ts'
import { until } from '../../../../test/support/start.ts'
import { migrationsAfter } from '../../src/migrations.ts'
import { openPostgres } from '../../src/postgres/open-postgres.ts'
import { forPostgres, migrate } from '../../src/postgres/migrate.ts'
import { addMonths } from '../../src/postgres/month-partitions.ts'
import { leaveOutPostgres, openTestDatabase } from './postgres-server.ts'

const database = await openTestDatabase()
afterAll(() => database?.[Symbol.asyncDispose]())

test('PostgreSQL is available', (context) => {
  if (!database) leaveOutPostgres(context)
})

const newest = readdirSync(join(import.meta.dirname, '../../src/migrations')).length

interface Connected extends AsyncDisposable {
  readonly client: Client
  readonly rows: (
    text: string,
    values?: readonly unknown[],
  ) => Promise<readonly Readonly<Record<string, unknown>>[]>
}

async function connect(url: string): Promise<Connected> {
  const client = new Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  return {
    client,
    rows: async (text, values = []) => (await client.query(text, [...values])).rows,
    [Symbol.asyncDispose]: () => client.end(),
  }
}

/** A database as a program of this version has made it. */
async function olderDatabase(version: number): Promise<string> {
  const url = (await database?.newSchema()) ?? ''
  await using connected = await connect(url)
  const { client } = connected
  await client.query('CREATE TABLE schema_version (version INTEGER NOT NULL)')
  await client.query('INSERT INTO schema_version VALUES ($1)', [version])
  for (const { sql } of migrationsAfter({ version: 0 }).slice(0, version))
    await client.query(forPostgres(sql))
  return url
}

interface TableOfThen {
  readonly name: string
  readonly columns: readonly string[]
  /** Which of them hold text. */
  readonly texts: readonly string[]
}

/** What a program of now can write into: tables, and none of the parts that they are made of. */
async function tablesOf({ rows }: Connected): Promise<readonly TableOfThen[]> {
  const found = await rows(
    `SELECT c.relname AS name, array_agg(CAST(a.attname AS TEXT) ORDER BY a.attnum) AS columns,
        array_agg(CAST(a.attname AS TEXT)) FILTER (WHERE a.atttypid = CAST('text' AS regtype)) AS texts FROM pg_class c
      JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attidentity = ''
      WHERE c.relnamespace = CAST(current_schema() AS regnamespace) AND c.relkind IN ('r', 'p')
        AND NOT c.relispartition AND c.relname <> 'schema_version' GROUP BY c.relname`,
  )
  return found.map(({ name, columns, texts }) => ({
    name: String(name),
    columns: columns as string[],
    texts: texts as string[],
  }))
}

/** Columns of text that do not take any. */
const sampleOf: Readonly<Record<string, string>> = {
  kind: 'user',
  role: 'caller',
  status: 'completed',
  outcome: 'completed',
  period: 'hour',
}

/** What a program that knows these columns alone writes; each time another row. */
async function fill({ rows }: Connected, tables: readonly TableOfThen[], time: number) {
  for (const { name, columns, texts } of tables) {
    const places = columns.map((_, at) => `$${at + 1}`).join(', ')
    await rows(
      `INSERT INTO ${name} (${columns.join(', ')}) VALUES (${places})`,
      columns.map((column) => (texts.includes(column) && sampleOf[column]) || String(time)),
    )
  }
}

async function contentOf({ rows }: Connected, { name, columns }: TableOfThen) {
  return rows(`SELECT ${columns.join(', ')} FROM ${name}`)
}

const versionOf = async ({ rows }: Connected) =>
  Number((await rows('SELECT version FROM schema_version'))[0]?.['version'])

const shape = `SELECT table_name, column_name, data_type, is_nullable, column_default FROM information_schema.columns
  WHERE table_schema = current_schema() ORDER BY table_name, column_name`
const indexes = `SELECT relname AS name, replace(pg_get_indexdef(indexrelid), current_schema() || '.', '') AS definition
  FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
  WHERE relnamespace = CAST(current_schema() AS regnamespace) AND indisvalid ORDER BY relname`

describe.runIf(database)('migration of an older PostgreSQL database', () => {
  test.each(Array.from({ length: newest - 1 }, (_, at) => at + 1))(
    'from version %i: keeps data, lets the older version work, and ends like a new database',
    async (version) => {
      const url = await olderDatabase(version)
      await using connected = await connect(url)
      const tables = await tablesOf(connected)
      expect(tables.length).toBeGreaterThan(3)
      await fill(connected, tables, 1)
      const before = new Map<string, readonly unknown[]>()
      for (const table of tables) before.set(table.name, await contentOf(connected, table))
      {
        const failed = (error: unknown) => expect.unreachable(String(error))
        await using store = await openPostgres({ url, keepsTables: { failed } })
        expect(await versionOf(connected)).toBe(newest)
        await fill(connected, tables, 0)
        for (const table of tables) {
          const kept = before.get(table.name) ?? []
          const now = await contentOf(connected, table)
          expect(now).toEqual(expect.arrayContaining([...kept]))
          expect(now.length).toBeGreaterThan(kept.length)
        }
        expect((await store.listUsage({ limit: 9 })).length).toBeGreaterThan(1)
        const freshUrl = await olderDatabase(newest)
        await addMonths({ connectionString: freshUrl }, Date.now())
        await using fresh = await connect(freshUrl)
        expect(await connected.rows(shape)).toEqual(await fresh.rows(shape))
        const wanted = await fresh.rows(indexes)
        await until(async () => (await connected.rows(indexes)).length === wanted.length, 20_000)
        expect(await connected.rows(indexes)).toEqual(wanted)
      }
    },
    60_000,
  )

  test('validates the conditions of new columns without blocking writers or moving rows', async () => {
    const url = await olderDatabase(4)
    await using connected = await connect(url)
    const [table] = (await tablesOf(connected)).filter(({ name }) => name === 'usage_records')
    await fill(connected, table ? [table] : [], 1)
    const whereRowsLie = `SELECT relfilenode AS file FROM pg_class WHERE relkind = 'r' AND relnamespace = CAST(current_schema() AS regnamespace)
      AND relname IN ('usage_records', 'usage_records_before')`
    const before = await connected.rows(whereRowsLie)
    await migrate({ connectionString: url })
    expect(await connected.rows(whereRowsLie)).toEqual(before)
    const conditions = await connected.rows(
      `SELECT conname AS name, convalidated AS looked FROM pg_constraint
        WHERE conrelid = CAST('usage_records_before' AS regclass) AND contype = 'c' AND conname IN
          ('usage_records_estimated_check', 'usage_records_unsettled_check', 'usage_records_streamed_check')
        ORDER BY conname`,
    )
    expect(conditions).toEqual([
      { name: 'usage_records_estimated_check', looked: true },
      { name: 'usage_records_streamed_check', looked: true },
      { name: 'usage_records_unsettled_check', looked: true },
    ])
    const wrong = connected.rows('UPDATE usage_records SET streamed = 2')
    await expect(wrong).rejects.toThrow('usage_records_streamed_check')
  })

  test('validates its newest condition without blocking writers', async () => {
    const url = await olderDatabase(24)
    await using connected = await connect(url)
    await using writer = await connect(url)
    const [table] = (await tablesOf(connected)).filter(({ name }) => name === 'usage_records')
    // Holds the table as whoever writes does, from before to after.
    await writer.rows('BEGIN')
    await fill(writer, table ? [table] : [], 1)
    const sql = migrationsAfter({ version: 24 })[0]?.sql ?? ''
    await connected.rows('SET lock_timeout = 2000')
    await connected.rows(forPostgres(sql))
    await writer.rows('COMMIT')
    await migrate({ connectionString: url })
    expect(await connected.rows('SELECT sequence FROM usage_records')).toEqual([{ sequence: '1' }])
  })

  test('tells the versions before it changes a database with data, once, and nothing of a new or a current one', async () => {
    const told: unknown[] = []
    const upgrading = (versions: object) => told.push(versions)
    const url = await olderDatabase(26)
    await migrate({ connectionString: url }, upgrading)
    await migrate({ connectionString: url }, upgrading)
    expect(told).toEqual([{ from: 26, to: newest }])
    await migrate({ connectionString: (await database?.newSchema()) ?? '' }, upgrading)
    expect(told).toHaveLength(1)
  })

  test('waits for a locked table without blocking others for long', async () => {
    const url = await olderDatabase(10)
    await using holder = await connect(url)
    await holder.rows('BEGIN')
    await holder.rows('LOCK TABLE usage_records IN ACCESS SHARE MODE')
    const migrating = migrate({ connectionString: url })
    await using other = await connect(url)
    const waits = `SELECT 1 FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND NOT granted
      AND relation = CAST('usage_records' AS regclass)`
    await until(async () => (await other.rows(waits)).length === 1, 20_000)
    // Stands behind the migration, which steps back.
    await other.rows('SET lock_timeout = 20000')
    expect(await other.rows('SELECT COUNT(*) AS n FROM usage_records')).toEqual([{ n: '0' }])
    expect(await versionOf(other)).toBe(10)
    await holder.rows('COMMIT')
    await migrating
    expect(await versionOf(other)).toBe(newest)
  }, 60_000)
})

describe.runIf(database)('indexes of a table in use', () => {
  const index = 'usage_records_before_by_call'
  const failed = (error: unknown) => expect.unreachable(String(error))
  const isValid = async ({ rows }: Connected) =>
    (await rows(`SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('${index}')`))[0]?.[
      'indisvalid'
    ]

  /** A transaction that is open keeps an index from being finished. */
  async function unfinished() {
    const url = await olderDatabase(10)
    const holder = await connect(url)
    await holder.rows('BEGIN ISOLATION LEVEL REPEATABLE READ')
    await holder.rows("INSERT INTO usage_state VALUES ('held', 1)")
    return { url, holder }
  }

  test('are built while others write, without delaying the start', async () => {
    const { url, holder } = await unfinished()
    await using held = holder
    await using store = await openPostgres({ url, keepsTables: { failed } })
    await using other = await connect(url)
    await until(async () => (await isValid(other)) === false, 20_000)
    store.recordUsage(sampleUsage())
    await store.flush()
    expect(await store.listUsage({ limit: 9 })).toEqual([sampleUsage()])
    expect(await isValid(other)).toBe(false)
    await held.rows('COMMIT')
    await until(() => isValid(other), 20_000)
  }, 60_000)

  test('are rebuilt after their builder was stopped or killed', async () => {
    const { url, holder } = await unfinished()
    await using held = holder
    await using other = await connect(url)
    {
      await using _stopped = await openPostgres({ url, keepsTables: { failed } })
      await until(async () => (await isValid(other)) === false, 20_000)
    }
    expect(await isValid(other)).toBe(false)
    {
      await using _killed = await openPostgres({ url, keepsTables: { failed: () => {} } })
      // The one that was begun before has to go first, which waits for the open transaction, too.
      const building = `FROM pg_stat_activity WHERE query LIKE '%INDEX CONCURRENTLY%' AND state = 'active'
        AND pid <> pg_backend_pid() AND datname = current_database()`
      await until(async () => (await other.rows(`SELECT 1 ${building}`)).length === 1, 20_000)
      await other.rows(`SELECT pg_terminate_backend(pid) ${building}`)
    }
    await held.rows('COMMIT')
    await using _last = await openPostgres({ url, keepsTables: { failed } })
    await until(() => isValid(other), 20_000)
    const invalid = await other.rows(
      `SELECT relname FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
        WHERE NOT indisvalid AND relname = '${index}' AND relnamespace = CAST(current_schema() AS regnamespace)`,
    )
    expect(invalid).toEqual([])
  }, 60_000)
})
