// The work on the ledger breaks off at each of its statements, and is done again: nothing is lost, counted twice or left over.
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { interrupted } from '../../../../test/support/failing-calls.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import type { UsageRecord } from '../../../contract/src/core/usage.ts'
import type { Store } from '../../../gateway/src/ports/store.ts'
import { openSqliteDatabase } from '../../src/sqlite/open-sqlite.ts'
import { openStore } from '../../src/store.ts'
import { answered, expected, foldAll, manyRecords, march } from '../contract/many-records.ts'

const dayMs = 86_400_000
const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())
const template = join(folder.path, 'template.db')
/** Within two days: the sums of each are moved by a statement of their own. */
const records = manyRecords(80).map((record) => ({
  ...record,
  startedAt: march + (record.startedAt % (2 * dayMs)),
}))
/** Half of them are in the sums already. */
const folded = 40

beforeAll(async () => {
  await using store = openStore(openSqliteDatabase(template), {})
  for (const [index, record] of records.entries()) {
    store.recordUsage(record)
    if (index + 1 < folded) continue
    await store.flush()
    if (index + 1 === folded) await foldAll(store)
  }
})

const isErased = ({ userId, keyId }: Partial<UsageRecord>) =>
  [userId, keyId].some((id) => id?.startsWith('erased_') === true)

/** An id of an erased user or key is a new one each time. */
const plain = (id: string) => (id.startsWith('erased_') ? 'erased' : id)

/** All sums, as one record after the other gives them, or as the usage store says. */
async function sums(store: Store) {
  const by = ['user', 'key'] as const
  const found = await answered(store, { by: [...by] })
  const together: Record<string, Record<string, number | bigint>> = {}
  for (const [name, values] of Object.entries(found)) {
    const key = JSON.stringify((JSON.parse(name) as string[]).map(plain))
    const sum = (together[key] ??= {})
    for (const [field, value] of Object.entries(values)) sum[field] = plus(sum[field], value)
  }
  return [
    together,
    await answered(store, { by: ['model', 'outcome'] }),
    await answered(store, { by: ['month'] }),
  ]
}

/** Money is counted in integers of any size. */
function plus(before: number | bigint | undefined, value: number | bigint): number | bigint {
  if (before === undefined) return value
  return typeof before === 'bigint' && typeof value === 'bigint'
    ? before + value
    : Number(before) + Number(value)
}

function expectedSums(of: readonly UsageRecord[]) {
  const monthOf = ({ startedAt }: UsageRecord) => {
    const date = new Date(startedAt)
    return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1)
  }
  return [
    expected(of, ({ userId = '', keyId }) => [[plain(userId), plain(keyId)]]),
    expected(of, ({ model, outcome }) => [[model, outcome]]),
    expected(of, (record) => [[monthOf(record)]]),
  ]
}

const erased = (is: (record: UsageRecord) => boolean, fields: Partial<UsageRecord>) =>
  records.map((record) => (is(record) ? { ...record, ...fields } : record))

const operations: readonly (readonly [
  name: string,
  work: (store: Store) => Promise<unknown>,
  after: readonly UsageRecord[],
])[] = [
  ['summing', foldAll, records],
  ['summing all anew', ({ usage }) => usage.rebuild(), records],
  [
    'erasing a user',
    ({ usage }) => usage.erase({ kind: 'user', id: 'user_1' }),
    erased(({ userId }) => userId === 'user_1', { userId: 'erased_', keyId: 'erased_' }),
  ],
  [
    'erasing a key',
    ({ usage }) => usage.erase({ kind: 'key', id: 'key_2' }),
    erased(({ keyId }) => keyId === 'key_2', { keyId: 'erased_' }),
  ],
  [
    'forgetting old records',
    async ({ usage }) => {
      await foldAll({ usage } as Store)
      while ((await usage.forget(march + dayMs)).hasMore);
    },
    records,
  ],
]

test.each(operations)(
  '%s loses and repeats nothing when interrupted at any statement',
  async (name, work, after) => {
    const file = join(folder.path, `${name}.db`)
    copyFileSync(template, file)
    const failing = interrupted(openSqliteDatabase(file))
    await using store = openStore(failing.port, {})
    let broken = 0
    for (;;) {
      failing.failAfter(broken)
      const failure = await work(store).catch((error: unknown) => String(error))
      if (!failing.hasFailed) break
      expect(failure).toContain('was made to fail')
      broken += 1
    }
    failing.failAfter(Infinity)
    expect(broken).toBeGreaterThan(1)
    await foldAll(store)
    expect(await sums(store)).toEqual(expectedSums(after))
    const left = await store.listUsage({ limit: records.length })
    expect(left.filter(isErased)).toHaveLength(after.filter(isErased).length)
    for (const record of left.filter(isErased))
      expect([record.requestId, record.clientAddress]).toEqual([undefined, undefined])
  },
)
