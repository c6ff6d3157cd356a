import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import sql from 'sql-template-tag'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { sampleUsage } from '../../../../test/support/store-samples.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { newInstanceName } from '../../src/ledger/journal-owner.ts'
import { type Database, type NewRows, RefusedData } from '../../src/database.ts'
import { openStore } from '../../src/store.ts'

/** What the contract needs of an implementation: a database of its own, with the tables. */
export interface DatabaseUnderTest {
  readonly database: Database
  /** Closes the database, which may be closed already, and removes its data. */
  remove(): Promise<void>
}

/** The meaning of the methods of Database. Each implementation runs it. */
export function describeDatabase(name: string, open: () => Promise<DatabaseUnderTest>): void {
  describe(`the database ${name}`, () => {
    let subject: DatabaseUnderTest
    let database: Database
    beforeEach(async () => {
      subject = await open()
      database = subject.database
    })
    afterEach(() => subject.remove())

    const insert = (topic: string, version: number) =>
      sql`INSERT INTO versions (name, version) VALUES (${topic}, ${version})`
    const versions = () =>
      database.rows(sql`SELECT name, version FROM versions WHERE name <> 'keys' ORDER BY name`)

    test.each(['change', 'changeDurably', 'changeTogether'] as const)(
      '%s executes all of its statements or none, and counts rows',
      async (method) => {
        expect(await database[method](insert('a', 1), insert('b', 2 ** 53 - 1))).toEqual([1, 1])
        const all = sql`UPDATE versions SET version = 7`
        await expect(database[method](all, insert('a', 1))).rejects.toThrow(/unique/i)
        expect(await versions()).toEqual([
          { name: 'a', version: 1 },
          { name: 'b', version: 2 ** 53 - 1 },
        ])
        const none = sql`DELETE FROM versions WHERE name = ${'c'}`
        expect(await database[method](all, none)).toEqual([3, 0])
        expect(await database[method](none)).toEqual([0])
      },
    )

    test('concurrent transactions do not interleave', async () => {
      const add = sql`UPDATE versions SET version = version + 1 WHERE name = 'keys'`
      await Promise.all([
        ...Array.from({ length: 20 }, () => database.change(add, add)),
        ...Array.from({ length: 5 }, () =>
          database.changeDurably(add, insert('keys', 1)).catch(() => {}),
        ),
      ])
      const rows = await database.rows(sql`SELECT version FROM versions`)
      expect(rows).toEqual([{ version: 40 }])
    })

    test('changes together: each has its own outcome, and is seen as soon as it is reported', async () => {
      await database.changeTogether(insert('b', 0))
      const add = sql`UPDATE versions SET version = version * 2 + 1 WHERE name = 'b'`
      const outcomes = await Promise.allSettled([
        database.changeTogether(add, insert('a', 1)),
        database.changeTogether(add, insert('a', 2)),
        database.changeTogether(add),
        database.changeTogether(add, insert('c', 3), sql`DELETE FROM versions WHERE name = 'd'`),
        database.changeTogether(
          insert('long', 1),
          sql`UPDATE versions SET version = LENGTH(${'x'.repeat(2 ** 21)}) WHERE name = 'long'`,
        ),
      ])
      // Connections of a server decide which of the first two comes first.
      const [one, other, ...further] = outcomes
      const [kept, refused] = one?.status === 'fulfilled' ? [one, other] : [other, one]
      expect([kept, refused, ...further]).toMatchObject([
        { value: [1, 1] },
        { reason: expect.any(RefusedData) },
        { value: [1] },
        { value: [1, 1, 0] },
        { value: [1, 1] },
      ])
      expect(await versions()).toEqual([
        { name: 'a', version: kept === one ? 1 : 2 },
        { name: 'b', version: 7 },
        { name: 'c', version: 3 },
        { name: 'long', version: 2 ** 21 },
      ])
    })

    test('constraint violations are distinguished from errors that may pass', async () => {
      const rows = (...values: [name: string, version: number | null][]): NewRows => ({
        table: 'versions',
        columns: [
          ['called', { column: 'name', as: 'text' }],
          ['version', { column: 'version', as: 'integer' }],
        ],
        documents: values.map(([called, version]) => JSON.stringify({ called, version })),
      })
      await database.append(rows(['a', 1], ['b', 2 ** 53 - 1]))
      await expect(database.append(rows(['c', 3], ['d', null]))).rejects.toBeInstanceOf(RefusedData)
      const failed = database.append({ ...rows(['c', 3]), table: 'away' })
      await expect(failed).rejects.not.toBeInstanceOf(RefusedData)
      await database.append(rows(['a', 7], ['c', 3]))
      expect(await versions()).toEqual([
        { name: 'a', version: 1 },
        { name: 'b', version: 2 ** 53 - 1 },
        { name: 'c', version: 3 },
      ])
    })

    test('rows from JSON keep every kind of column, absent fields, odd text and fractions', async () => {
      await database.change(
        sql`CREATE TABLE sorts (a TEXT, b INTEGER, c BIGINT, d DOUBLE PRECISION, e INTEGER, f TEXT)`,
      )
      await database.append({
        table: 'sorts',
        columns: [
          ['a', { column: 'a', as: 'text' }],
          ['small', { column: 'b', as: 'integer' }],
          ['large', { column: 'c', as: 'integer' }],
          ['fraction', { column: 'd', as: 'number' }],
          ['flag', { column: 'e', as: 'boolean' }],
          ['nested', { column: 'f', as: 'json' }],
        ],
        documents: [
          { a: '"\\u0000\n猫', small: 1.5, large: 2 ** 53 - 1, fraction: 0.1, flag: true },
          { nested: { b: [1, 'ü'] }, flag: false, unknown: 1 },
          { a: null },
        ].map((document) => JSON.stringify(document)),
      })
      const none = { a: null, b: null, c: null, d: null, e: null, f: null }
      expect(await database.rows(sql`SELECT * FROM sorts`)).toEqual([
        { ...none, a: '"\\u0000\n猫', b: 2, c: 2 ** 53 - 1, d: 0.1, e: 1 },
        { ...none, e: 0, f: '{"b":[1,"ü"]}' },
        none,
      ])
    })

    test('rows of any size are added', async () => {
      await database.change(sql`CREATE TABLE texts (a TEXT)`)
      const add = (...texts: readonly string[]) =>
        database.append({
          table: 'texts',
          columns: [['a', { column: 'a', as: 'text' }]],
          documents: texts.map((a) => JSON.stringify({ a })),
        })
      const texts = ['ü'.repeat(700_000), '猫'.repeat(9), 'b', 'a'.repeat(1_048_576), '']
      for (const _round of [1, 2]) await add(...texts)
      await add()
      await add('last')
      const rows = await database.rows(sql`SELECT a FROM texts`)
      expect(rows.map(({ a }) => a)).toEqual([...texts, ...texts, 'last'])
    })

    test('usage is written once when the outcome of a write is unknown', async () => {
      let answersLost = 0
      const unsure: Database = {
        ...database,
        async append(rows) {
          await database.append(rows)
          if (answersLost++ < 2) throw new Error('The answer was lost')
        },
      }
      await using store = openStore(unsure, {})
      const records = Array.from({ length: 12 }, (_, n) => sampleUsage({ attempt: n }))
      for (const record of records) store.recordUsage(record)
      await expect(store.flush()).rejects.toThrow('lost')
      await expect(store.flush()).rejects.toThrow('lost')
      expect(await store.listUsage({ limit: 99 })).toEqual(records.toReversed())
    })

    test('a journal that names a reservation is kept until the reservation is settled', async () => {
      using folder = temporaryFolder()
      await using store = openStore(database, { journalFolder: folder.path })
      const { outcome, reported, durationMs, inputTokens, outputTokens, ...begun } = sampleUsage()
      const ended = { outcome, reported, durationMs, inputTokens, outputTokens }
      const budgets = [{ bucket: 'b', window: 'lifetime' as const, limit: 9, amount: 5 }]
      const begin = (id: string) => store.beginUsage({ ...begun, callId: id }, { id, budgets })
      const named = () =>
        readdirSync(folder.path).flatMap((name) => [
          ...readFileSync(join(folder.path, name), 'utf8').matchAll(
            /"reservation":\{"id":"(\w+)"/g,
          ),
        ])
      const nextSegment = async () => {
        for (let count = 0; count < 500; count += 1)
          store.recordUsage(sampleUsage({ reason: 'x'.repeat(10_000) }))
        await store.flush()
      }
      const [early, late, unfinished] = [begin('early'), begin('late'), begin('unfinished')]
      early.end(ended)
      early.reservationSettled()
      late.end(ended)
      unfinished.reservationSettled()
      await nextSegment()
      expect(named().map(([, id]) => id)).toEqual(['early', 'late', 'unfinished'])
      unfinished.end(ended)
      await store.flush()
      expect(named()).toHaveLength(3)
      late.reservationSettled()
      await expect.poll(named).toEqual([])
    })

    test('reservations of a killed process are returned with their attempts until they are settled', async () => {
      using folder = temporaryFolder()
      const [machine, id, , number] = newInstanceName().split('~')
      // Another process had the same id earlier.
      const name = `${machine}~${id}~0~${number}~000000000.journal`
      const reserved = (of: string) => ({
        id: of,
        budgets: [
          { bucket: 'b', window: 'lifetime' as const, limit: 9, amount: 5, model: 'acme/*' },
        ],
      })
      const line = (kind: string, of: string, fields: object) =>
        `${kind}${JSON.stringify({ id: of, ...sampleUsage(), callId: 'call', ...fields })}\n`
      const begun = { reservation: reserved('r'), reservedMicroUsd: 5, reservedRestPicoUsd: 7 }
      const lines = [
        line('B', '1', begun),
        line('S', '1', { outcome: 'failed', costMicroUsd: 0 }),
        line('B', '2', { ...begun, attempt: 2, requestedModel: 'asked' }),
        line('B', '3', {
          callId: 'other',
          reservation: reserved('s'),
          overBudget: 'x',
          requestedModel: 'y',
        }),
        `N${JSON.stringify({ id: '3', inputTokens: 1, outputTokens: 1, durationMs: 5, costMicroUsd: 3 })}\n`,
        line('B', '4', { callId: 'without' }),
      ]
      writeFileSync(join(folder.path, name), lines.join(''))
      const open = () => openStore(database, { journalFolder: folder.path })
      const journals = () => readdirSync(folder.path).filter((one) => one.includes('~0~'))
      const attempt = { provider: 'acme', model: 'acme-chat' }
      const orphaned = [
        {
          reservation: reserved('r'),
          attempts: [
            { ...attempt, money: 0n },
            { ...attempt, requestedModel: 'asked', money: 5_000_007n },
          ],
        },
        { reservation: reserved('s'), attempts: [{ ...attempt, money: 3_000_000n }] },
      ]
      const store = open()
      await store.flush()
      expect(journals()).toHaveLength(1)
      const given: unknown[] = []
      store.settleOrphaned(async (one) => {
        given.push(one)
        if (given.length === 1) throw new Error('The limiter is away')
      })
      await expect.poll(() => given).toEqual([orphaned, orphaned])
      await expect.poll(journals).toEqual([])
      expect(await store.listUsage({ limit: 9 })).toHaveLength(4)
      await store[Symbol.asyncDispose]()
    })
  })
}
