// What is recalled of a budget from a real ledger: the first hour of each window, and what a reset leaves out.
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sampleUsage } from '../../../test/support/store-samples.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { heldBudget } from '../src/admit/claims.ts'
import { recallBudget } from '../src/admit/recall-budget.ts'
import type { Budget } from '../src/ports/account.ts'
import { createMemoryLimiter } from '../../store/src/limits/memory-limiter.ts'
import { openSqlite } from '../../store/src/sqlite/open-sqlite.ts'

const at = (text: string) => Date.parse(text)
const holder = { kind: 'key', id: 'key_1', name: 'k', terms: {} } as const
const limitMicroUsd = 1_000

/** What is left of a budget that nobody knows, after these calls of which each has cost this much. */
async function left(
  budget: Omit<Budget, 'id' | 'limitMicroUsd'>,
  now: string,
  calls: readonly (readonly [string, number])[],
): Promise<number> {
  using folder = temporaryFolder()
  await using store = openSqlite({ file: join(folder.path, 'sluice.db') })
  for (const [index, [startedAt, costMicroUsd]] of calls.entries())
    store.recordUsage(
      sampleUsage({ callId: `call_${index}`, startedAt: at(startedAt), costMicroUsd }),
    )
  const { claim } = heldBudget(holder, { id: 'b', limitMicroUsd, ...budget }, {})
  await using limiter = createMemoryLimiter({
    date: () => at(now),
    recall: (asked) => recallBudget(store, asked, at(now)),
  })
  const [level] = await limiter.look([claim])
  return (level?.remaining ?? NaN) / 1_000
}

const models = [{}, { model: 'acme-chat' }]

test.each([
  ['day', '2026-11-18T00:40Z', '2026-11-18T00:00Z', '2026-11-17T23:59:59.999Z'],
  ['day', '2026-11-18T23:40Z', '2026-11-18T00:10Z', '2026-11-17T23:50Z'],
  ['week', '2026-11-16T00:40Z', '2026-11-16T00:00Z', '2026-11-15T23:59:59.999Z'],
  ['week', '2026-11-20T12:00Z', '2026-11-16T00:10Z', '2026-11-15T23:50Z'],
  ['month', '2026-11-01T00:40Z', '2026-11-01T00:00Z', '2026-10-31T23:59:59.999Z'],
  ['month', '2026-11-20T12:00Z', '2026-11-01T00:10Z', '2026-10-31T23:50Z'],
] as const)(
  'a %s at %s includes its first hour and excludes the one before',
  async (window, now, own, before) => {
    for (const model of models)
      expect(
        await left({ window, ...model }, now, [
          [own, 70],
          [before, 500],
        ]),
      ).toBe(930)
  },
)

test.each([
  // In the first half of the hour it is the day before.
  ['day', 'Asia/Kolkata', '2026-11-18T12:00Z', '2026-11-17T18:30Z', '2026-11-17T18:29:59.999Z'],
  ['day', 'Asia/Kolkata', '2026-11-17T18:40Z', '2026-11-17T18:30Z', '2026-11-17T18:10Z'],
  ['day', 'Europe/Berlin', '2026-10-25T22:30Z', '2026-10-24T22:10Z', '2026-10-24T21:50Z'],
  ['week', 'Europe/Berlin', '2026-10-25T22:30Z', '2026-10-18T22:00Z', '2026-10-18T21:59Z'],
  ['month', 'America/New_York', '2026-11-18T12:00Z', '2026-11-01T04:00Z', '2026-11-01T03:59Z'],
] as const)(
  'a %s in %s at %s includes what was spent in it',
  async (...[window, timeZone, now, own, before]) => {
    for (const model of models)
      expect(
        await left({ window, timeZone, ...model }, now, [
          [own, 70],
          [before, 500],
        ]),
      ).toBe(930)
  },
)

test.each(['day', 'month', 'lifetime', 24] as const)(
  'excludes spending in a window of %s before its reset, to the millisecond',
  async (window) => {
    const resetAt = at('2026-11-18T10:20:30.400Z')
    const calls = [
      ['2026-11-18T09:00Z', 300],
      ['2026-11-18T10:20:30.399Z', 200],
      ['2026-11-18T10:20:30.400Z', 5],
      ['2026-11-18T10:50Z', 20],
      ['2026-11-18T11:10Z', 45],
    ] as const
    for (const model of models) {
      expect(await left({ window, resetAt, ...model }, '2026-11-18T12:00Z', calls)).toBe(930)
      expect(
        await left({ window, resetAt, ...model }, '2026-11-18T10:55Z', calls.slice(0, 4)),
      ).toBe(975)
    }
  },
)

test('a reset in an earlier window has no effect', async () => {
  const resetAt = at('2026-11-17T10:00Z')
  const calls = [
    ['2026-11-17T12:00Z', 300],
    ['2026-11-18T00:10Z', 70],
  ] as const
  for (const model of models)
    expect(await left({ window: 'day', resetAt, ...model }, '2026-11-18T12:00Z', calls)).toBe(930)
})
