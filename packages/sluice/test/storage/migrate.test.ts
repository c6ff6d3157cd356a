import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { migrate } from '../../src/storage/sqlite-migrate.ts'
import { openSqlite } from '../../src/storage/sqlite.ts'
import { sectionOf } from '../../../../test/support/contributing.ts'
import { sampleKey } from '../../../../test/support/store-samples.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'

const migrations = join(import.meta.dirname, '../../src/storage/migrations')
const newest = readdirSync(migrations).length

const versionOf = (db: DatabaseSync) => db.prepare('PRAGMA user_version').get()?.['user_version']

/** Lets another connection go first, after this one has looked at the version and before it has the lock. */
class Overtaken extends DatabaseSync {
  overtake: (() => void) | undefined

  override exec(sql: string): void {
    const { overtake } = this
    if (sql.startsWith('BEGIN')) {
      this.overtake = undefined
      overtake?.()
    }
    super.exec(sql)
  }
}

test('of two processes that start together one applies the migrations, and both go on', () => {
  using folder = temporaryFolder()
  const file = join(folder.path, 'sluice.db')
  using first = new DatabaseSync(file)
  using second = new Overtaken(file)
  let overtaken = false
  second.overtake = () => {
    migrate(first)
    overtaken = true
  }
  migrate(second)
  expect(overtaken).toBe(true)
  expect([versionOf(first), versionOf(second)]).toEqual([newest, newest])
})

test('a migration that fails leaves the database at the version before', () => {
  using folder = temporaryFolder()
  const file = join(folder.path, 'sluice.db')
  using db = new DatabaseSync(file)
  db.exec('CREATE TABLE usage_records (mine TEXT)')
  expect(() => migrate(db)).toThrow('usage_records already exists')
  expect(versionOf(db)).toBe(0)
  expect(db.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all()).toEqual([
    { name: 'usage_records' },
  ])
  db.exec('DROP TABLE usage_records')
  migrate(db)
  expect(versionOf(db)).toBe(newest)
})

/** Holds the write lock of a database that nobody has opened before, for a moment and from another thread. */
const holding = `
  const { DatabaseSync } = require('node:sqlite')
  const { parentPort, workerData } = require('node:worker_threads')
  const db = new DatabaseSync(workerData)
  db.exec('BEGIN IMMEDIATE')
  parentPort.postMessage('held')
  setTimeout(() => {
    db.exec('COMMIT')
    db.close()
  }, 200)`

test('a new database that another process is just making is waited for', async () => {
  using folder = temporaryFolder()
  const file = join(folder.path, 'sluice.db')
  const other = new Worker(holding, { eval: true, workerData: file })
  const ended = once(other, 'exit')
  await once(other, 'message')
  await using store = openSqlite({ file })
  await store.addKey(sampleKey())
  expect(await store.listKeys()).toEqual([sampleKey()])
  await ended
})

test.each([newest + 1, 999])('a database of a newer program is refused: %i', async (version) => {
  using folder = temporaryFolder()
  const file = join(folder.path, 'sluice.db')
  await openSqlite({ file })[Symbol.asyncDispose]()
  {
    using db = new DatabaseSync(file)
    db.exec(`PRAGMA user_version = ${version}`)
  }
  expect(() => openSqlite({ file })).toThrow(
    `The database is of version ${version}, and this program knows versions up to ${newest}`,
  )
  // Refused, not touched: the newer program finds it as it was.
  using db = new DatabaseSync(file)
  expect(versionOf(db)).toBe(version)
})

test('the migrations are numbered one by one, and keep to the types that CONTRIBUTING.md allows', () => {
  const numbers = readdirSync(migrations).map((name) => Number(name.slice(0, 3)))
  expect(numbers.toSorted((a, b) => a - b)).toEqual(numbers.map((_, at) => at + 1))
  const [, allowed = ''] = /types are ([\w\s,]+)\./.exec(sectionOf('Change the database')) ?? []
  using db = new DatabaseSync(':memory:')
  migrate(db)
  const types = db
    .prepare(
      'SELECT DISTINCT c.type FROM sqlite_schema t JOIN pragma_table_info(t.name) c WHERE t.type = ?',
    )
    .all('table')
    .map(({ type }) => type)
  expect(types.length).toBeGreaterThan(2)
  expect(allowed.trim().split(/,\s+|\s+and\s+/)).toEqual(expect.arrayContaining(types))
})
