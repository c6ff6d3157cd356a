// PostgreSQL keeps the records of each month in a partition: how these come, and how they go.
import { Client } from 'pg'
import { afterAll, describe, expect, test } from 'vitest'
import { sampleUsage } from '../../../../test/support/store-samples.ts'
import { openPostgres } from '../../src/postgres/open-postgres.ts'
import { addMonths } from '../../src/postgres/month-partitions.ts'
import { answered, everything as known, foldAll } from '../contract/many-records.ts'
import { leaveOutPostgres, openTestDatabase } from './postgres-server.ts'

const database = await openTestDatabase()
afterAll(() => database?.[Symbol.asyncDispose]())

test('PostgreSQL is available', (context) => {
  if (!database) leaveOutPostgres(context)
})

/** Far enough from now that the first partition, which takes all that was before, does not reach there. */
const year = new Date().getUTCFullYear() + 2
const at = (month: number, day = 1) => Date.UTC(year, month - 1, day)
const everything = { ...known, to: at(24) }
const recordAt = (startedAt: number, callId = `call_${startedAt}`) =>
  sampleUsage({ callId, startedAt })

async function open() {
  const url = (await database?.newSchema()) ?? ''
  const store = await openPostgres({ url })
  const client = new Client({ connectionString: url })
  await client.connect()
  const rows = async (text: string) =>
    (await client.query<Record<string, unknown>>(text)).rows.map((row) => ({ ...row }))
  return {
    url,
    store,
    rows,
    makeMonths: (now: number) => addMonths({ connectionString: url }, now),
    /** How many records lie in each partition that has some. */
    async filled() {
      const found = await rows(
        'SELECT CAST(tableoid AS regclass) AS part, COUNT(*) AS n FROM usage_records GROUP BY tableoid',
      )
      return Object.fromEntries(found.map(({ part, n }) => [part, Number(n)]))
    },
    async parts() {
      const found = await rows(
        "SELECT CAST(inhrelid AS regclass) AS part FROM pg_inherits WHERE inhparent = CAST('usage_records' AS regclass)",
      )
      return found.map(({ part }) => String(part)).toSorted()
    },
    async keep(...records: readonly ReturnType<typeof recordAt>[]) {
      for (const record of records) store.recordUsage(record)
      await store.flush()
    },
    async [Symbol.asyncDispose]() {
      await client.end()
      await store[Symbol.asyncDispose]()
    },
  }
}

async function forgetAll({ store }: Awaited<ReturnType<typeof open>>, before: number) {
  let records = 0
  for (;;) {
    const step = await store.usage.forget(before)
    records += step.records
    if (!step.hasMore) return records
  }
}

const monthOf = (month: number) => `usage_records_${year}_${String(month).padStart(2, '0')}`

describe.runIf(database)('monthly partitions of usage records', () => {
  test('are dropped by whole months, single days are deleted, and the sums stay', async () => {
    await using opened = await open()
    await opened.makeMonths(at(1))
    const lastOfJanuary = at(2) - 1
    const times = [at(1) - 1, at(1), lastOfJanuary, at(2), at(2, 9), at(2, 10), at(3), Date.now()]
    await opened.keep(...times.map((time) => recordAt(time)))
    await foldAll(opened.store)
    expect(await opened.filled()).toEqual({
      usage_records_before: 1,
      [`usage_records_${year - 1}_12`]: 1,
      [monthOf(1)]: 2,
      [monthOf(2)]: 3,
      [monthOf(3)]: 1,
    })
    // Written last, and so never removed.
    await opened.keep(recordAt(at(3, 2)))
    await foldAll(opened.store)
    const sums = await answered(opened.store, { ...everything, by: ['day'] })
    expect(await forgetAll(opened, at(2, 10))).toBe(6)
    expect(await opened.filled()).toEqual({ [monthOf(2)]: 1, [monthOf(3)]: 2 })
    expect((await opened.parts())[0]).toBe(monthOf(2))
    const left = await opened.store.usage.records(everything)
    expect(left.map(({ record }) => record.startedAt)).toEqual([at(2, 10), at(3), at(3, 2)])
    expect(await answered(opened.store, { ...everything, by: ['day'] })).toEqual(sums)
    await opened.store.usage.rebuild()
    await foldAll(opened.store)
    expect(await answered(opened.store, { ...everything, by: ['day'] })).toEqual(sums)
    // What comes late for a month that is gone has a place all the same.
    await opened.keep(recordAt(at(1, 5), 'late'))
    expect(await opened.filled()).toMatchObject({ usage_records_others: 1 })
  }, 60_000)

  test('are not dropped with records missing in the sums, or with the newest record', async () => {
    await using opened = await open()
    await opened.makeMonths(at(1))
    await opened.keep(recordAt(at(1)), recordAt(at(1, 2)))
    expect(await forgetAll(opened, at(6))).toBe(0)
    expect(await opened.filled()).toEqual({ [monthOf(1)]: 2 })
    await foldAll(opened.store)
    expect(await forgetAll(opened, at(6))).toBe(1)
    expect(await opened.filled()).toEqual({ [monthOf(1)]: 1 })
    await opened.keep(recordAt(at(4)))
    await foldAll(opened.store)
    expect(await forgetAll(opened, at(6))).toBe(1)
    expect(await opened.parts()).not.toContain(monthOf(1))
    expect(await opened.filled()).toEqual({ [monthOf(4)]: 1 })
  }, 60_000)

  test('receive records that came before the partition, which are found meanwhile', async () => {
    await using opened = await open()
    await opened.keep(recordAt(at(1)), recordAt(at(2)), recordAt(at(9)))
    expect(await opened.filled()).toEqual({ usage_records_others: 3 })
    await foldAll(opened.store)
    await opened.makeMonths(at(1))
    expect(await opened.filled()).toEqual({
      [monthOf(1)]: 1,
      [monthOf(2)]: 1,
      usage_records_others: 1,
    })
    const listed = await opened.store.usage.records(everything)
    expect(listed.map(({ record, sequence }) => [record.startedAt, sequence])).toEqual([
      [at(1), 1],
      [at(2), 2],
      [at(9), 3],
    ])
    await opened.store.usage.rebuild()
    await foldAll(opened.store)
    expect((await opened.store.usage.sums({ ...everything, by: [] })).total.calls).toBe(3)
  }, 60_000)

  test('are created and dropped by several processes while others write, without losing records', async () => {
    await using opened = await open()
    await opened.makeMonths(at(1))
    await opened.keep(...Array.from({ length: 50 }, (_, n) => recordAt(at(1, 1) + n)))
    await foldAll(opened.store)
    let isOver = false
    let written = 0
    const write = async () => {
      while (!isOver) await opened.keep(recordAt(at(4, 20), `call_${written++}`))
    }
    const writing = write()
    const config = { connectionString: opened.url }
    await Promise.all([...[1, 2, 3].map(() => addMonths(config, at(11))), forgetAll(opened, at(3))])
    isOver = true
    await writing
    expect(written).toBeGreaterThan(0)
    expect(await opened.filled()).toEqual({ [monthOf(4)]: written })
    expect((await opened.parts()).at(-2)).toBe(`usage_records_${year + 1}_02`)
    // The months have their indexes, and a record that is written twice is there once.
    const indexed = await opened.rows(
      `SELECT COUNT(*) AS n FROM pg_index WHERE indisvalid AND indrelid = CAST('${monthOf(7)}' AS regclass)`,
    )
    const before = await opened.rows(
      "SELECT COUNT(*) AS n FROM pg_index WHERE indisvalid AND indrelid = CAST('usage_records_others' AS regclass)",
    )
    expect(indexed).toEqual(before)
    expect(Number(indexed[0]?.['n'])).toBeGreaterThan(8)
  }, 60_000)
})
