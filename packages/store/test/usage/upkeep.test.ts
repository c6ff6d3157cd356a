import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { until } from '../../../../test/support/start.ts'
import { sampleUsage } from '../../../../test/support/store-samples.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import type { UsageStore } from '../../../gateway/src/ports/usage-store.ts'
import { openSqlite } from '../../src/sqlite/open-sqlite.ts'
import { openUsageUpkeep } from '../../src/usage/upkeep.ts'

const day = 86_400_000
const now = Date.UTC(2026, 4, 20, 13)
const all = { from: 0, to: now + day, only: {}, by: [], limit: 10 }

test('sums new records and deletes old ones, keeping their sums', async () => {
  using folder = temporaryFolder()
  await using store = openSqlite({ file: join(folder.path, 'sluice.db') })
  for (const age of [40, 31, 29, 1])
    store.recordUsage(sampleUsage({ callId: `call_${age}`, startedAt: now - age * day }))
  await store.flush()
  const errors: unknown[] = []
  const forgotten: unknown[] = []
  await using _upkeep = openUsageUpkeep({
    usage: store.usage,
    keepDays: () => 30,
    forgotten: async (...told) => void forgotten.push(told),
    failed: (error) => errors.push(error),
    now: () => now,
    everyMs: 5,
  })
  let left: readonly string[] = []
  await until(() => {
    void store.usage.records(all).then((rows) => {
      left = rows.map(({ record }) => record.callId)
    })
    return left.length === 2
  })
  expect(left).toEqual(['call_29', 'call_1'])
  const { total, pending } = await store.usage.sums(all)
  expect([total.attempts, pending, errors]).toEqual([4, 0, []])
  await until(() => forgotten.length > 0)
  expect(forgotten).toEqual([[2, Date.UTC(2026, 3, 20)]])
})

test('continues after a failure, which is reported once', async () => {
  let asked = 0
  const errors: unknown[] = []
  const usage = {
    async fold() {
      asked += 1
      if (asked < 4) throw new Error('away')
      return 0
    },
  } as unknown as UsageStore
  await using _upkeep = openUsageUpkeep({
    usage,
    keepDays: () => undefined,
    failed: (error) => errors.push(error),
    now: () => now,
    everyMs: 1,
  })
  await until(() => asked > 6)
  expect(errors).toHaveLength(1)
})

test('dispose between two steps completes although nothing else keeps the process alive', async () => {
  const upkeep = new URL('../../src/usage/upkeep.ts', import.meta.url).href
  const program = `
    const { openUsageUpkeep } = await import('${upkeep}')
    const folded = Promise.withResolvers()
    const fold = () =>
      new Promise((resolve) => {
        const done = () => { setImmediate(folded.resolve); resolve(1) }
        setTimeout(done, 500)
      })
    const upkeep = openUsageUpkeep({
      usage: { fold }, keepDays: () => undefined, failed() {}, now: Date.now, everyMs: 1,
    })
    const alive = setInterval(() => {}, 1_000)
    await folded.promise
    clearInterval(alive)
    await upkeep[Symbol.asyncDispose]()
    console.log('stopped')`
  const run = promisify(execFile)
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program])
  expect(stdout).toBe('stopped\n')
})
