import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import sql from 'sql-template-tag'
import { describe, expect, test } from 'vitest'
import { sampleResponse } from '../../../test/support/store-samples.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { openData } from '../../sluice/src/cli/open-data.ts'
import { openSqliteDatabase } from '../src/sqlite/open-sqlite.ts'
import { openStore } from '../src/store.ts'

const full = { code: 'overloaded', status: 503 }

test('a full or read-only database answers 503', async () => {
  using folder = temporaryFolder()
  const file = join(folder.path, 'sluice.db')
  const database = openSqliteDatabase(file)
  await using store = openStore(database, {})
  await store.checkWritable()
  await database.rows(sql`PRAGMA max_page_count = 1`)
  const large = sampleResponse({ response: JSON.stringify('x'.repeat(2_000_000)) })
  await expect(store.addResponse(large)).rejects.toMatchObject(full)
  await database.rows(sql`PRAGMA query_only = 1`)
  await expect(store.addResponse(large)).rejects.toMatchObject(full)
  await expect(store.checkWritable()).rejects.toMatchObject(full)
  await database.rows(sql`PRAGMA query_only = 0`)
  await store.checkWritable()
  // A mistake of this program is none of these.
  await expect(database.rows(sql`SELECT x FROM y`)).rejects.toThrow(/no such table/)
})

test('changes in the thread that writes answer 503, each of them, while another process holds the database', async () => {
  using folder = temporaryFolder()
  const file = join(folder.path, 'sluice.db')
  await using store = openStore(openSqliteDatabase(file), {})
  using other = new DatabaseSync(file)
  other.exec('BEGIN IMMEDIATE')
  const responses = ['resp_1', 'resp_2', 'resp_3'].map((id) => sampleResponse({ id }))
  const refused = await Promise.allSettled(responses.map((one) => store.addResponse(one)))
  expect(refused).toMatchObject(responses.map(() => ({ reason: full })))
  other.exec('COMMIT')
  await Promise.all(responses.map((one) => store.addResponse(one)))
  for (const { id } of responses) expect(await store.findResponse(id)).toMatchObject({ id })
})

const modeOf = (file: string) => statSync(file).mode & 0o777

describe.runIf(process.platform !== 'win32')('file permissions', () => {
  test('of the database and its side files are the owner’s only, also for existing files', async () => {
    using folder = temporaryFolder()
    const file = join(folder.path, 'sluice.db')
    using old = new DatabaseSync(file)
    old.exec('PRAGMA journal_mode = WAL; CREATE TABLE x (y)')
    for (const name of readdirSync(folder.path)) chmodSync(join(folder.path, name), 0o644)
    await using store = openStore(openSqliteDatabase(file), {})
    await store.checkWritable()
    const names = readdirSync(folder.path)
    expect(names).toContain('sluice.db-wal')
    for (const name of names) expect([name, modeOf(join(folder.path, name))]).toEqual([name, 0o600])
  })

  test.each([
    ['empty', [], 0o700],
    [
      'of an earlier start',
      ['sluice.db', 'sluice.db.before-9', 'initial-keys.json', 'videos', 'journal', 'prices.json'],
      0o700,
    ],
    ['that holds other things', ['sluice.db', 'package.json'], 0o755],
  ] as const)(
    'of a data folder %s are tightened, or reported as open',
    async (_name, names, mode) => {
      using folder = temporaryFolder()
      const dataFolder = join(folder.path, 'data')
      mkdirSync(dataFolder)
      for (const name of names) writeFileSync(join(dataFolder, name), '')
      chmodSync(dataFolder, 0o755)
      const warnings: string[] = []
      const options = { warn: (message: string) => void warnings.push(message) }
      await using _store = await openData({ dataFolder, storage: {} }, options)
      expect(modeOf(dataFolder)).toBe(mode)
      expect(warnings.length).toBe(mode === 0o755 ? 1 : 0)
      expect(existsSync(join(dataFolder, 'sluice.db'))).toBe(true)
    },
  )

  test.each([
    ['of an earlier start', 'host~1~2~3~1.journal', 0o700],
    ['that holds other things', 'notes.txt', 0o777],
  ])('of a journal folder %s are tightened, or reported as open', async (_name, name, mode) => {
    using folder = temporaryFolder()
    const journalFolder = join(folder.path, 'journal')
    mkdirSync(journalFolder)
    writeFileSync(join(journalFolder, name), '')
    chmodSync(journalFolder, 0o777)
    const warnings: string[] = []
    await using _store = await openData(
      { dataFolder: folder.path, storage: {} },
      { journalFolder, warn: (message) => void warnings.push(message) },
    )
    expect(modeOf(journalFolder)).toBe(mode)
    expect(warnings.filter((text) => text.includes('The journal')).length).toBe(
      mode === 0o777 ? 1 : 0,
    )
  })
})
