import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { type NewRows, RefusedData } from '../../src/database.ts'
import { openAppendThread } from '../../src/sqlite/append-thread.ts'

const rows = (...values: (number | null)[]): NewRows => ({
  table: 't',
  columns: [['a', { column: 'a', as: 'integer' }]],
  documents: values.map((a) => JSON.stringify({ a })),
})

test('replaces an ended thread at the next write', async () => {
  using folder = temporaryFolder()
  const file = join(folder.path, 'later', 'sluice.db')
  await using thread = openAppendThread(file)
  await expect(thread.append(rows(1))).rejects.toMatchObject({
    message: 'The thread that writes to the database has ended',
    cause: { message: expect.stringContaining('unable to open') },
  })
  mkdirSync(join(folder.path, 'later'))
  using db = new DatabaseSync(file)
  db.exec('CREATE TABLE t (a INTEGER)')
  await thread.append(rows(2))
  expect(db.prepare('SELECT a FROM t').all()).toEqual([{ a: 2 }])
})

test('distinguishes constraint violations from errors that may pass', async () => {
  using folder = temporaryFolder()
  using db = new DatabaseSync(join(folder.path, 'sluice.db'))
  db.exec('CREATE TABLE t (a INTEGER NOT NULL UNIQUE CHECK (a > 0))')
  await using thread = openAppendThread(join(folder.path, 'sluice.db'))
  await thread.append(rows(1))
  for (const value of [null, 0])
    await expect(thread.append(rows(2, value))).rejects.toBeInstanceOf(RefusedData)
  // What is there already is left out.
  await thread.append(rows(1, 3))
  expect(db.prepare('SELECT a FROM t').all()).toEqual([{ a: 1 }, { a: 3 }])
  const away = thread.append({ ...rows(1), table: 'away' })
  await expect(away).rejects.not.toBeInstanceOf(RefusedData)
})

test('disposes a thread that was never started', async () => {
  await openAppendThread('/nowhere/sluice.db')[Symbol.asyncDispose]()
})

test('runs concurrent writes in sequence and reports the outcome of each', async () => {
  using folder = temporaryFolder()
  using db = new DatabaseSync(join(folder.path, 'sluice.db'))
  db.exec('CREATE TABLE t (a INTEGER NOT NULL)')
  await using thread = openAppendThread(join(folder.path, 'sluice.db'))
  const written = await Promise.allSettled([1, null, 2].map((value) => thread.append(rows(value))))
  expect(written.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(db.prepare('SELECT a FROM t').all()).toEqual([{ a: 1 }, { a: 2 }])
})
