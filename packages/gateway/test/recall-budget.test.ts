import { moneyOfMicroUsd } from '@sluice/contract'
import { describe, expect, test } from 'vitest'
import { recallBudget } from '../src/admit/recall-budget.ts'
import type { Budget, Holder } from '../src/ports/account.ts'
import type { UsageStore } from '../src/ports/usage-store.ts'
import { createMemoryLimiter } from '../../store/src/limits/memory-limiter.ts'

const now = Date.UTC(2026, 5, 17, 12, 30)
const hourMs = 3_600_000
const micro = (count: number) => moneyOfMicroUsd(count)

/** A usage store that has sums, and is asked for records only where it says so. */
function bookOf({ unknownCosts = 0, pending = 0 } = {}) {
  const read: unknown[] = []
  const usage = {
    fold: async () => 0,
    sums: async ({ by }: { by: readonly string[] }) => ({
      groups: by.length === 0 ? [] : [{ of: [now - (now % hourMs)], sums: { cost: micro(70) } }],
      total: { cost: micro(70), unknownCosts },
      pending,
    }),
    spent: async (scope: object) => {
      read.push(scope)
      return [{ provider: 'up', model: 'm', hour: now - (now % hourMs), money: micro(5) }]
    },
  }
  return { read, store: { usage: usage as unknown as UsageStore, flush: async () => {} } }
}

const claimOf = (window: Budget['window'], further: Partial<Budget> = {}) => {
  const budget: Budget = { id: 'b', window, limitMicroUsd: 100, ...further }
  const holder = { id: 'team_1', kind: 'team', terms: {} } as unknown as Holder
  return { kind: 'budget', bucket: 'b', window, limit: 100_000, amount: 0, holder, budget } as const
}

test.each(['day', 'month', 'lifetime', 24] as const)(
  'recalls spending in a window of %s from sums alone',
  async (window) => {
    const { store, read } = bookOf()
    expect(await recallBudget(store, claimOf(window), now)).toMatchObject([{ nanoUsd: 70_000 }])
    expect(read).toEqual([])
  },
)

test('reads only records with unknown cost', async () => {
  const { store, read } = bookOf({ unknownCosts: 1 })
  expect(await recallBudget(store, claimOf('lifetime'), now)).toMatchObject([{ nanoUsd: 75_000 }])
  expect(read).toEqual([{ from: 0, only: { team: 'team_1' }, isUnknown: true }])
})

test.each([
  ['the sums are behind', { pending: 3 }, {}],
  ['a budget is of a model, which has other names', {}, { model: 'up/*' }],
] as const)('reads records where %s', async (_name, state, further) => {
  const { store, read } = bookOf(state)
  const spent = await recallBudget(store, claimOf('lifetime', further), now)
  expect(read).toEqual([{ from: 0, only: { team: 'team_1' } }])
  expect(spent.reduce((sum, { nanoUsd }) => sum + nanoUsd, 0)).toBe(
    'model' in further ? 5_000 : 70_000,
  )
})

describe('what was carried from another gateway', () => {
  const dayMs = 24 * hourMs
  test.each<[string, Budget['window'], Partial<Budget>, number]>([
    ['counts in its month', 'month', { carried: { microUsd: 20, at: now - dayMs } }, 10_000],
    ['counts in its day', 'day', { carried: { microUsd: 20, at: now - hourMs } }, 10_000],
    [
      'does not count on the next day',
      'day',
      { carried: { microUsd: 20, at: now - dayMs } },
      30_000,
    ],
    ['counts within its hours', 24, { carried: { microUsd: 20, at: now - 23 * hourMs } }, 10_000],
    [
      'does not count beyond its hours',
      24,
      { carried: { microUsd: 20, at: now - 26 * hourMs } },
      30_000,
    ],
    ['counts forever in a lifetime', 'lifetime', { carried: { microUsd: 20, at: 1 } }, 10_000],
    [
      'does not count after a reset',
      'month',
      { carried: { microUsd: 20, at: now - 2 }, resetAt: now - 1 },
      25_000,
    ],
  ])('%s', async (_what, window, further, remaining) => {
    const { store } = bookOf()
    const claim = claimOf(window, further)
    await using limiter = createMemoryLimiter({ now: () => 0, date: () => now })
    limiter.seed(claim, await recallBudget(store, claim, now))
    const [level] = await limiter.look([claim])
    expect(level?.remaining).toBe(remaining)
  })
})

describe.each([
  ['day', '2026-06-17'],
  ['week', '2026-06-15'],
  ['month', '2026-06-01'],
] as const)('at the turn of a %s', (window, date) => {
  const turn = Date.parse(`${date}T00:00:00Z`)
  const minute = 60_000
  const hours = [
    { hour: turn - 40 * 24 * hourMs, money: micro(1_000) },
    { hour: turn - hourMs, money: micro(70) },
    { hour: turn, money: micro(5) },
  ]
  const usage = {
    fold: async () => 0,
    sums: async ({ from, to, by }: { from: number; to: number; by: readonly string[] }) => {
      const summed = hours.filter(({ hour }) => hour >= from && hour < to)
      const cost = summed.reduce((sum, { money }) => sum + money, 0n)
      const groups = summed.map((one) => ({
        of: [one.hour],
        sums: { cost: one.money },
      }))
      const total = { cost, unknownCosts: 0 }
      return { groups: by.length === 0 ? [] : groups, total, pending: 0 }
    },
  }
  const store = { usage: usage as unknown as UsageStore, flush: async () => {} }

  test.each([
    ['as the gateway’s', 5, 5, 95_000],
    ['ten minutes behind, still in the window before', 5, -5, 25_000],
    ['ten minutes ahead, already in the next one', -5, 5, 95_000],
  ])(
    'each window gets its own spending by the limiter’s clock: %s',
    async (_name, gateway, own, left) => {
      let at = turn + own * minute
      const claim = claimOf(window)
      await using limiter = createMemoryLimiter({
        date: () => at,
        recall: (asked) => recallBudget(store, asked, turn + gateway * minute),
      })
      expect(await limiter.look([claim])).toMatchObject([{ remaining: left }])
      at = turn + 10 * minute
      expect(await limiter.look([claim])).toMatchObject([{ remaining: 95_000 }])
    },
  )
})
