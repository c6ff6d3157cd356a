import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test, vi } from 'vitest'
import { sampleKey, sampleUsage } from '../../../../test/support/store-samples.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import type { Store } from '../../../gateway/src/ports/store.ts'
import { openSqlite, openSqliteDatabase } from '../../src/sqlite/open-sqlite.ts'
import { describeDatabase } from '../contract/database.ts'
import { describeStore } from '../contract/store.ts'

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

describeDatabase('sqlite', async () => {
  const folder = temporaryFolder()
  const database = openSqliteDatabase(join(folder.path, 'sluice.db'))
  return {
    database,
    async remove() {
      await database[Symbol.asyncDispose]()
      folder[Symbol.dispose]()
    },
  }
})

test('migrates a database of the first version and keeps its data', async () => {
  using folder = temporaryFolder()
  const file = join(folder.path, 'sluice.db')
  const first = new URL('../../src/migrations/001-initial.sql', import.meta.url)
  {
    using db = new DatabaseSync(file)
    db.exec(readFileSync(first, 'utf8'))
    db.exec(`PRAGMA user_version = 1;
      INSERT INTO api_keys (id, name, hash, role, prefix, models, created_at)
        VALUES ('key_1', 'sample', 'hash of key_1', 'caller', 'sk-abcde', '["a"]', 1700000000000);
      INSERT INTO usage_records (call_id, attempt, key_id, operation, provider, model, outcome,
        reported, started_at, duration_ms, input_tokens, output_tokens)
        VALUES ('call_1', 1, 'key_1', 'chat', 'acme', 'acme-chat', 'completed', 1, 1700000000000, 12.5, 10, 20),
          ('call_1', 2, 'key_1', 'chat', 'acme', 'acme-chat', 'failed', 0, 1700000000000, 12.5, 10, 20)`)
  }
  await using store = openSqlite({ file })
  expect(await store.listKeys()).toEqual([sampleKey({ models: ['a'] })])
  const version = await store.keysVersion()
  expect(await store.revokeKey('key_1', 5)).toBe(true)
  expect(await store.keysVersion()).not.toBe(version)
  store.recordUsage(sampleUsage({ attempt: 3 }))
  expect(await store.listUsage({ limit: 9 })).toEqual([
    sampleUsage({ attempt: 3 }),
    sampleUsage({ attempt: 2, outcome: 'failed', reported: false }),
    sampleUsage(),
  ])
})

test('writes usage without blocking while another process locks the database', async () => {
  using folder = temporaryFolder()
  const file = join(folder.path, 'sluice.db')
  await using store = openSqlite({ file })
  using other = new DatabaseSync(file)
  other.exec('BEGIN IMMEDIATE')
  store.recordUsage(sampleUsage())
  const written = store.flush()
  // A turn of this thread's loop that waited for the lock would never come to release it.
  await new Promise((resolve) => setImmediate(resolve))
  other.exec('COMMIT')
  await written
  expect(await store.listUsage({ limit: 9 })).toEqual([sampleUsage()])
})

test('writes usage to disk soon by itself', async () => {
  using folder = temporaryFolder()
  const file = join(folder.path, 'sluice.db')
  await using store = openSqlite({ file })
  store.recordUsage(sampleUsage())
  using reader = new DatabaseSync(file, { readOnly: true })
  const count = reader.prepare('SELECT count(*) AS n FROM usage_records')
  await vi.waitFor(() => expect(count.get()).toEqual({ n: 1 }), { timeout: 20_000, interval: 5 })
})

test('reports, keeps and later writes usage that failed to be written', async () => {
  using folder = temporaryFolder()
  const file = join(folder.path, 'sluice.db')
  const failures: number[] = []
  await using store = openSqlite({ file, writeFailed: (_, waiting) => failures.push(waiting) })
  using other = new DatabaseSync(file)
  other.exec('ALTER TABLE usage_records RENAME TO away')
  store.recordUsage(sampleUsage())
  await vi.waitFor(() => expect(failures.length).toBeGreaterThan(0), { timeout: 20_000 })
  expect(failures[0]).toBe(1)
  other.exec('ALTER TABLE away RENAME TO usage_records')
  expect(await store.listUsage({ limit: 10 })).toEqual([sampleUsage()])
})

test('a record that violates a constraint does not block others', async () => {
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
