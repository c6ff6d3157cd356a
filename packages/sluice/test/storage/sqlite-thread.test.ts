import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { RefusedData } from '../../src/storage/database.ts'
import { openSqliteThread } from '../../src/storage/sqlite-thread.ts'

test('a thread that ended is replaced by the next statement', async () => {
  using folder = temporaryFolder()
  const file = join(folder.path, 'later', 'sluice.db')
  await using thread = openSqliteThread(file)
  await expect(thread.run('SELECT 1', [[]])).rejects.toMatchObject({
    message: 'The thread that writes to the database has ended',
    cause: { message: expect.stringContaining('unable to open') },
  })
  mkdirSync(join(folder.path, 'later'))
  await thread.run('CREATE TABLE t (a TEXT NOT NULL UNIQUE)', [[]])
  await thread.run('INSERT INTO t VALUES (?)', [['b']])
  using db = new DatabaseSync(file)
  expect(db.prepare('SELECT a FROM t').all()).toEqual([{ a: 'b' }])
})

test('what a constraint refuses is told from what may work later', async () => {
  using folder = temporaryFolder()
  await using thread = openSqliteThread(join(folder.path, 'sluice.db'))
  await thread.run('CREATE TABLE t (a INTEGER NOT NULL UNIQUE CHECK (a > 0))', [[]])
  await thread.run('INSERT INTO t VALUES (?)', [[1]])
  for (const value of [1, null, 0])
    await expect(thread.run('INSERT INTO t VALUES (?)', [[2], [value]])).rejects.toBeInstanceOf(
      RefusedData,
    )
  using db = new DatabaseSync(join(folder.path, 'sluice.db'))
  expect(db.prepare('SELECT a FROM t').all()).toEqual([{ a: 1 }])
  await expect(thread.run('INSERT INTO away VALUES (1)', [[]])).rejects.not.toBeInstanceOf(
    RefusedData,
  )
})

test('a thread that was never needed costs nothing to dispose', async () => {
  await openSqliteThread('/nowhere/sluice.db')[Symbol.asyncDispose]()
})
