// What a program before the further groupings has summed, and what it sums beside one that knows them.
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import type { Store } from '../../../gateway/src/ports/store.ts'
import { migrationsAfter } from '../../src/migrations.ts'
import { openSqlite } from '../../src/sqlite/open-sqlite.ts'
import { furtherGroupings } from '../../src/usage/groupings.ts'
import {
  answered,
  everything,
  expected,
  foldAll,
  manyRecords,
  march,
  rounded,
} from '../contract/many-records.ts'

const records = manyRecords(1_500).map(rounded)
const further = Object.keys(furtherGroupings)
  .map((face) => `'${face}'`)
  .join(', ')
const withoutFurther = `
  DELETE FROM usage_rollups WHERE face IN (${further});
  DELETE FROM usage_groups WHERE face IN (${further});`

/** The last version whose program does not sum them. */
const versionOfThen = 11

/** What such a program would have had of a database. */
function copyAsOfThen(file: string, older: string): void {
  using db = new DatabaseSync(older)
  for (const { sql } of migrationsAfter({ version: 0 }).slice(0, versionOfThen)) db.exec(sql)
  db.exec(`ATTACH '${file}' AS newer`)
  for (const table of ['usage_records', 'usage_groups', 'usage_rollups', 'usage_state']) {
    const columns = db.prepare('SELECT name FROM pragma_table_info(?)').all(table)
    const names = columns.map(({ name }) => String(name)).join(', ')
    db.exec(
      `DELETE FROM ${table}; INSERT INTO ${table} (${names}) SELECT ${names} FROM newer.${table}`,
    )
  }
  db.exec(`${withoutFurther}
    DELETE FROM usage_state WHERE name IN ('folded_further', 'further_to', 'further_from', 'folded_rests');
    PRAGMA user_version = ${versionOfThen}`)
}

async function keepAll(store: Store): Promise<void> {
  for (const record of records) store.recordUsage(record)
  await store.flush()
  await foldAll(store)
}

const byTagAndModel = expected(records, ({ tags = [], model }) => tags.map((tag) => [tag, model]))
const byOutcome = expected(records, ({ outcome }) => [[outcome]])

test('keeps sums of the earlier version, also those without records', async () => {
  using folder = temporaryFolder()
  const file = join(folder.path, 'sluice.db')
  const day = march + 2 * 86_400_000
  {
    await using store = openSqlite({ file })
    await keepAll(store)
    while ((await store.usage.forget(day)).hasMore);
  }
  const older = join(folder.path, 'older.db')
  copyAsOfThen(file, older)
  await using store = openSqlite({ file: older })
  expect((await store.usage.sums({ ...everything, by: [] })).pending).toBeGreaterThan(0)
  await foldAll(store)
  expect(await answered(store, { by: ['tag', 'model'] })).toEqual(byTagAndModel)
  expect(await answered(store, { by: ['month', 'tag'] })).toEqual(
    expected(records, ({ tags = [], startedAt }) =>
      tags.map((tag) => [Date.UTC(...monthOf(startedAt)), tag]),
    ),
  )
  // How those ended whose records are gone nobody knows any more.
  const known = records.map((record) => ({
    ...record,
    how: record.startedAt < day ? '' : record.outcome,
  }))
  expect(await answered(store, { by: ['outcome', 'key'] })).toEqual(
    expected(known, (record) => [
      [known.find(({ callId }) => callId === record.callId)?.how ?? '', record.keyId],
    ]),
  )
  await store.usage.rebuild()
  await foldAll(store)
  expect(await answered(store, { by: ['tag', 'model'] })).toEqual(byTagAndModel)
  expect(await store.lastUse()).toHaveProperty('size', 6)
})

function monthOf(at: number): [number, number] {
  const date = new Date(at)
  return [date.getUTCFullYear(), date.getUTCMonth()]
}

test('catches up with what an earlier version summed meanwhile', async () => {
  using folder = temporaryFolder()
  const file = join(folder.path, 'sluice.db')
  await using store = openSqlite({ file })
  await keepAll(store)
  using db = new DatabaseSync(file)
  db.exec(`${withoutFurther} UPDATE usage_state SET value = 0 WHERE name = 'folded_further'`)
  await foldAll(store)
  expect(await answered(store, { by: ['tag', 'model'] })).toEqual(byTagAndModel)
  expect(await answered(store, { by: ['outcome'] })).toEqual(byOutcome)
  // It makes all sums anew, and knows nothing of the marks of the further ones.
  db.exec(`DELETE FROM usage_rollups; UPDATE usage_state SET value = 0 WHERE name = 'folded';
    UPDATE usage_state SET value = ${records.length} WHERE name = 'rebuilt_to'`)
  await foldAll(store)
  expect(await answered(store, { by: ['tag', 'model'] })).toEqual(byTagAndModel)
  expect(await answered(store, { by: ['outcome'] })).toEqual(byOutcome)
  expect(await answered(store, { by: ['key'] })).toEqual(
    expected(records, ({ keyId }) => [[keyId]]),
  )
})

test('tells times to the first token in close buckets, unless an earlier version has summed some of them', async () => {
  using folder = temporaryFolder()
  const file = join(folder.path, 'sluice.db')
  await using store = openSqlite({ file })
  const [record] = records
  if (!record) throw new Error('There are no records')
  const began = (callId: string, startedAt: number, firstTokenMs: number) =>
    store.recordUsage({ ...record, callId, attempt: 1, startedAt, firstTokenMs })
  const day = 86_400_000
  for (const [at, ms] of [118, 122, 181].entries()) began(`a${at}`, march, ms)
  began('b', march + day, 122)
  await store.flush()
  await foldAll(store)
  const told = async (from: number, to: number) => {
    const { total } = await store.usage.sums({ from, to, only: {}, by: [], limit: 1 })
    const { bounds, counts } = total.firstTokens
    return bounds.flatMap((bound, at) => ((counts[at] ?? 0) > 0 ? [[bound, counts[at]]] : []))
  }
  expect(await told(march, march + day)).toEqual([
    [120, 1],
    [130, 1],
    [185, 1],
  ])
  using db = new DatabaseSync(file)
  db.exec(`UPDATE usage_rollups SET close_first_tokens_11 = 0 WHERE start_at >= ${march + day}`)
  expect(await told(march + day, march + 2 * day)).toEqual([[200, 1]])
  expect(await told(march, march + 2 * day)).toEqual([[200, 4]])
  expect(await told(march, march + day)).toHaveLength(3)
})
