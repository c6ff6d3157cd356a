import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, describe, expect, test } from 'vitest'
import { putMigrated } from '../../../../test/support/servers/migrated-file.ts'
import { sampleUsage } from '../../../../test/support/store-samples.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import type { Store } from '../../../gateway/src/ports/store.ts'
import { openPostgres } from '../../src/postgres/open-postgres.ts'
import { openSqlite } from '../../src/sqlite/open-sqlite.ts'
import { segmentsOf } from '../../src/usage/sums.ts'
import { describeRequestSearch } from '../contract/request-search.ts'
import { foldAll } from '../contract/many-records.ts'
import type { StoreUnderTest } from '../contract/store.ts'
import { describeUsageStore } from '../contract/usage-store.ts'
import { describeUsageRecords } from '../contract/usage-records.ts'
import { leaveOutPostgres, openTestDatabase } from '../postgres/postgres-server.ts'

async function underTest(
  openOne: () => Promise<Store>,
  removed: () => void = () => {},
): Promise<StoreUnderTest> {
  const opened: Store[] = []
  const open = async () => {
    const store = await openOne()
    opened.push(store)
    return store
  }
  const store = await open()
  return {
    store,
    async reopen() {
      await store[Symbol.asyncDispose]()
      return open()
    },
    openAnother: open,
    async remove() {
      for (const each of opened) await each[Symbol.asyncDispose]()
      removed()
    },
  }
}

const onSqlite = async () => {
  const folder = temporaryFolder()
  const file = join(folder.path, 'sluice.db')
  putMigrated(file)
  return underTest(
    async () => openSqlite({ file }),
    () => folder[Symbol.dispose](),
  )
}
describeUsageStore('sqlite', onSqlite)
describeRequestSearch('sqlite', onSqlite)
describeUsageRecords('sqlite', onSqlite)

const database = await openTestDatabase()
afterAll(() => database?.[Symbol.asyncDispose]())

test('PostgreSQL is available', (context) => {
  if (!database) leaveOutPostgres(context)
})

describe.runIf(database)('with PostgreSQL', () => {
  const newSchema = async () => (await database?.newSchema()) ?? ''

  const onPostgres = async () => {
    const url = await newSchema()
    return underTest(() => openPostgres({ url }))
  }
  describeUsageStore('postgres', onPostgres)
  describeRequestSearch('postgres', onPostgres)
  describeUsageRecords('postgres', onPostgres)

  test('counts a record that becomes visible after one with a larger number', async () => {
    const url = await newSchema()
    await using store = await openPostgres({ url })
    const client = new Client({ connectionString: url })
    await client.connect()
    try {
      await client.query('BEGIN')
      await client.query(`INSERT INTO usage_records (call_id, attempt, key_id, operation, provider, model, outcome,
        reported, started_at, duration_ms, input_tokens, output_tokens)
        VALUES ('late', 1, 'key_1', 'chat', 'acme', 'acme-chat', 'completed', 1, 1700000000000, 1, 1, 1)`)
      store.recordUsage(sampleUsage({ callId: 'soon' }))
      await store.flush()
      const total = async () => {
        await foldAll(store)
        const all = { from: 0, to: 1_800_000_000_000, only: {}, by: [], limit: 1 }
        return (await store.usage.sums(all)).total.attempts
      }
      // Nothing counts while a record with a smaller number may still come.
      expect(await total()).toBe(0)
      await client.query('COMMIT')
      expect(await total()).toBe(2)
    } finally {
      await client.end()
    }
  })
})

test('splits a time range into the largest periods that fit', () => {
  const at = (text: string) => Date.parse(`${text}:00:00Z`)
  const shown = (from: string, to: string, largest?: 'hour' | 'day') =>
    segmentsOf(at(from), at(to), largest).map(({ period, from: begin, to: end }) =>
      [
        period,
        new Date(begin).toISOString().slice(0, 13),
        new Date(end).toISOString().slice(0, 13),
      ].join(' '),
    )
  expect(shown('2025-11-29T22', '2026-02-02T03')).toEqual([
    'hour 2025-11-29T22 2025-11-30T00',
    'day 2025-11-30T00 2025-12-01T00',
    'month 2025-12-01T00 2026-02-01T00',
    'day 2026-02-01T00 2026-02-02T00',
    'hour 2026-02-02T00 2026-02-02T03',
  ])
  expect(shown('2026-01-20T00', '2026-02-10T00')).toEqual([
    'day 2026-01-20T00 2026-02-01T00',
    'day 2026-02-01T00 2026-02-10T00',
  ])
  expect(shown('2026-01-31T22', '2026-02-01T02')).toEqual([
    'hour 2026-01-31T22 2026-02-01T00',
    'hour 2026-02-01T00 2026-02-01T02',
  ])
  expect(shown('2026-01-31T22', '2026-02-01T02', 'hour')).toEqual([
    'hour 2026-01-31T22 2026-02-01T02',
  ])
})
