import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test, vi } from 'vitest'
import type { Store } from '../../src/ports/store.ts'
import { openSqlite } from '../../src/storage/sqlite.ts'
import { describeStore } from '../contract/store.ts'
import { sampleUsage } from '../../../../test/support/store-samples.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'

describeStore('sqlite', async () => {
  const folder = temporaryFolder()
  const opened: Store[] = []
  const openOne = () => {
    const store = openSqlite({ file: join(folder.path, 'sluice.db') })
    opened.push(store)
    return store
  }
  const store = openOne()
  return {
    store,
    async reopen() {
      await store[Symbol.asyncDispose]()
      return openOne()
    },
    openAnother: async () => openOne(),
    async remove() {
      for (const each of opened) await each[Symbol.asyncDispose]()
      folder[Symbol.dispose]()
    },
  }
})

test('usage is on disk soon, without anybody asking', async () => {
  using folder = temporaryFolder()
  const file = join(folder.path, 'sluice.db')
  await using store = openSqlite({ file })
  store.recordUsage(sampleUsage())
  using reader = new DatabaseSync(file, { readOnly: true })
  const count = reader.prepare('SELECT count(*) AS n FROM usage_records')
  await vi.waitFor(() => expect(count.get()).toEqual({ n: 1 }), { timeout: 2_000, interval: 5 })
})

test('usage that cannot be written is reported, kept and written later', async () => {
  using folder = temporaryFolder()
  const file = join(folder.path, 'sluice.db')
  const failures: number[] = []
  await using store = openSqlite({ file, writeFailed: (_, waiting) => failures.push(waiting) })
  using other = new DatabaseSync(file)
  other.exec('ALTER TABLE usage_records RENAME TO away')
  store.recordUsage(sampleUsage())
  await vi.waitFor(() => expect(failures.length).toBeGreaterThan(0), { timeout: 5_000 })
  expect(failures[0]).toBe(1)
  other.exec('ALTER TABLE away RENAME TO usage_records')
  expect(await store.listUsage({ limit: 10 })).toEqual([sampleUsage()])
})

test('a record that breaks a constraint does not hold up the others', async () => {
  using folder = temporaryFolder()
  const lost: number[] = []
  await using store = openSqlite({
    file: join(folder.path, 'sluice.db'),
    writeFailed: (_error, _waiting, rowsLost) => lost.push(rowsLost),
  })
  store.recordUsage(sampleUsage({ durationMs: Number.NaN }))
  store.recordUsage(sampleUsage())
  expect(await store.listUsage({ limit: 10 })).toEqual([sampleUsage()])
  expect(lost).toEqual([1])
})
