import { once } from 'node:events'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { sectionOf } from '../../../../test/support/contributing.ts'
import { sampleKey } from '../../../../test/support/store-samples.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { migrationsAfter } from '../../src/migrations.ts'
import { openSqlite } from '../../src/sqlite/open-sqlite.ts'
import { copyDatabase } from '../../src/sqlite/copy-database.ts'
import { migrate } from '../../src/sqlite/migrate.ts'

const migrations = join(import.meta.dirname, '../../src/migrations')
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

test('one of two processes that start together applies the migrations', () => {
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

test('tells the versions before a database with data is changed, and nothing of a new or a current one', () => {
  const told: unknown[] = []
  using db = new DatabaseSync(':memory:')
  const upgrading = (versions: object) => told.push({ ...versions, at: versionOf(db) })
  migrate(db, ':memory:', upgrading)
  migrate(db, ':memory:', upgrading)
  expect(told).toEqual([])
  using older = new DatabaseSync(':memory:')
  for (const { sql } of migrationsAfter({ version: 0 }).slice(0, 26)) older.exec(sql)
  older.exec('PRAGMA user_version = 26')
  migrate(older, ':memory:', (versions) => told.push({ ...versions, at: versionOf(older) }))
  expect(told).toEqual([{ from: 26, to: newest, at: 26 }])
})

/** Remembers what it has run, and lets another process go first at one of its transactions. */
class Remembering extends DatabaseSync {
  readonly ran: string[] = []
  #begun = 0
  overtakenAt: number | undefined
  overtake = (): void => {}

  override exec(sql: string): void {
    if (sql.startsWith('BEGIN') && this.#begun++ === this.overtakenAt) this.overtake()
    this.ran.push(sql)
    super.exec(sql)
  }
}

test.each([0, 1, newest - 2, newest - 1])(
  'runs each migration once when another process ran those from %i on meanwhile',
  (overtakenAt) => {
    using folder = temporaryFolder()
    const file = join(folder.path, 'sluice.db')
    using first = new Remembering(file)
    using second = new Remembering(file)
    // Dozens of transactions would each wait for the disk.
    for (const db of [first, second]) db.exec('PRAGMA synchronous = OFF')
    second.overtakenAt = overtakenAt
    second.overtake = () => migrate(first)
    migrate(second)
    migrate(first)
    migrate(second)
    const ran = [...first.ran, ...second.ran]
    for (const { version, sql } of migrationsAfter({ version: 0 }))
      expect([version, ran.filter((one) => one === sql).length]).toEqual([version, 1])
  },
)

test.each([0, 1, newest - 1, newest])(
  'applies all migrations after version %i in order',
  (version) => {
    const versions = migrationsAfter({ version }).map((one) => one.version)
    expect(versions).toEqual(
      Array.from({ length: newest - version }, (_, index) => version + index + 1),
    )
  },
)

test('a failed migration leaves the database at the previous version', () => {
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

test('waits for another process that is creating the database', async () => {
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

test('waits for a migration of another process, however long it takes', async () => {
  using folder = temporaryFolder()
  const file = join(folder.path, 'sluice.db')
  const other = new Worker(holding, { eval: true, workerData: file })
  const ended = once(other, 'exit')
  await once(other, 'message')
  using db = new DatabaseSync(file, { timeout: 20 })
  migrate(db, file)
  expect(versionOf(db)).toBe(newest)
  expect(db.prepare('PRAGMA busy_timeout').get()).toEqual({ timeout: 20 })
  await ended
})

test('of two processes that back up before migrating, the first keeps its copy', () => {
  using folder = temporaryFolder()
  const file = join(folder.path, 'sluice.db')
  using first = new DatabaseSync(file)
  first.exec('CREATE TABLE mine (text TEXT)')
  copyDatabase(first, `${file}.copy`)
  first.exec('CREATE TABLE later (text TEXT)')
  copyDatabase(first, `${file}.copy`)
  using copied = new DatabaseSync(`${file}.copy`)
  expect(copied.prepare('SELECT name FROM sqlite_master').all()).toEqual([{ name: 'mine' }])
  expect(readdirSync(folder.path).toSorted()).toEqual(['sluice.db', 'sluice.db.copy'])
})

test.each([newest + 1, 999])('uses a newer database unchanged: %i', async (version) => {
  using folder = temporaryFolder()
  const file = join(folder.path, 'sluice.db')
  await openSqlite({ file })[Symbol.asyncDispose]()
  {
    using db = new DatabaseSync(file)
    db.exec(`PRAGMA user_version = ${version}`)
  }
  {
    await using store = openSqlite({ file })
    await store.addKey(sampleKey())
    expect(await store.listKeys()).toEqual([sampleKey()])
  }
  expect(readdirSync(folder.path)).toEqual(['sluice.db'])
  using db = new DatabaseSync(file)
  expect(versionOf(db)).toBe(version)
})

test('rejects a database that requires a newer version and leaves it unchanged', async () => {
  using folder = temporaryFolder()
  const file = join(folder.path, 'sluice.db')
  await openSqlite({ file })[Symbol.asyncDispose]()
  using db = new DatabaseSync(file)
  db.exec(`PRAGMA user_version = ${newest + 2}`)
  db.exec(`INSERT INTO versions (name, version) VALUES ('oldest_program', ${newest + 1})`)
  expect(() => openSqlite({ file })).toThrow(
    `The database needs a program of version ${newest + 1}, and this one knows versions up to ${newest}`,
  )
  expect(versionOf(db)).toBe(newest + 2)
})

/** A database as a program of this version has made it, with a row in each of its tables. */
function olderDatabase(file: string, version: number): DatabaseSync {
  const db = new DatabaseSync(file)
  for (const { sql } of migrationsAfter({ version: 0 }).slice(0, version)) db.exec(sql)
  db.exec(`PRAGMA user_version = ${version}`)
  return db
}

interface TableOfThen {
  readonly name: string
  readonly columns: readonly string[]
}

/** What a program that knows these columns alone writes; each time another row. */
function fill(db: DatabaseSync, tables: readonly TableOfThen[], time: number): void {
  for (const { name, columns } of tables) {
    const written = columns.filter((column) => column !== 'sequence' || name !== 'usage_records')
    const places = written.map(() => '?').join(', ')
    db.prepare(`INSERT INTO ${name} (${written.join(', ')}) VALUES (${places})`).run(
      ...written.map((column) => sampleOf[column] ?? time),
    )
  }
}

/** Columns that do not take any number. */
const sampleOf: Readonly<Record<string, string>> = {
  kind: 'user',
  role: 'caller',
  status: 'completed',
  outcome: 'completed',
}

const tablesOf = (db: DatabaseSync): readonly TableOfThen[] =>
  db
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .all()
    .map((row) => {
      const name = String(row['name'])
      const columns = db.prepare('SELECT name FROM pragma_table_info(?)').all(name)
      return { name, columns: columns.map((column) => String(column['name'])) }
    })

test.each(Array.from({ length: newest - 1 }, (_, at) => at + 1))(
  'from version %i: keeps data, backs it up first, and the older version keeps working',
  (version) => {
    using folder = temporaryFolder()
    const file = join(folder.path, 'sluice.db')
    using db = olderDatabase(file, version)
    const tables = tablesOf(db)
    fill(db, tables, 1)
    migrate(db, file)
    expect(versionOf(db)).toBe(newest)
    fill(db, tables, 0)
    using copy = new DatabaseSync(`${file}.before-${newest}`, { readOnly: true })
    expect(versionOf(copy)).toBe(version)
    expect(statSync(`${file}.before-${newest}`).mode & 0o777).toBe(0o600)
    for (const { name, columns } of tables) {
      const query = `SELECT ${columns.join(', ')} FROM ${name}`
      expect(db.prepare(query).all()).toEqual(expect.arrayContaining(copy.prepare(query).all()))
      const rows = (of: DatabaseSync) =>
        Number(of.prepare(`SELECT COUNT(*) AS n FROM ${name}`).get()?.['n'])
      expect(rows(db)).toBeGreaterThan(rows(copy))
    }
  },
)

test('migrations are numbered without gaps and use only the types that CONTRIBUTING.md allows', () => {
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
