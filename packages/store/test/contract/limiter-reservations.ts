import { describe, expect, test } from 'vitest'
import type { Claim, Limiter } from '../../../gateway/src/ports/limiter.ts'
import type { LimiterUnderTest } from './limiter.ts'
import {
  granted,
  leaseMs,
  money,
  place,
  refused,
  requests,
  startDate,
  tokens,
} from './limiter-claims.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** Every kind by its claim of one unit out of ten. */
const kinds: readonly (readonly [string, Claim])[] = [
  ['rate of requests', requests('key', 10)],
  ['rate of tokens', tokens('key', 10, 1)],
  ['concurrency', place('key', 10)],
  ['budget of a day', money('key', 'day', { limit: 10, amount: 1 })],
  ['budget of a week', money('key', 'week', { limit: 10, amount: 1 })],
  ['budget of a month', money('key', 'month', { limit: 10, amount: 1 })],
  ['budget of a day in Berlin', money('key', 'day Europe/Berlin', { limit: 10, amount: 1 })],
  ['budget of a lifetime', money('key', 'lifetime', { limit: 10, amount: 1 })],
  ['budget of five hours', money('key', 5, { limit: 10, amount: 1 })],
]

/** The promises of Limiter about several claims, places, money and settling. */
export function describeReservations(subject: () => LimiterUnderTest): void {
  const limiter = () => subject().limiter
  const look = async (claim: Claim) => (await limiter().look([claim]))[0]

  test('settles each budget of a reservation with its own cost', async () => {
    const first = money('first', 'month', { limit: 100, amount: 10 })
    const second = money('second', 'day', { limit: 100, amount: 10 })
    const reservation = await granted(limiter(), place('key', 1), first, second)
    await limiter().settle(reservation, { nanoUsd: [0, 3, 40] })
    await expect.poll(() => look(first)).toMatchObject({ remaining: 97 })
    expect(await look(second)).toMatchObject({ remaining: 60 })
  })

  describe.each(kinds)('%s', (_name, claim) => {
    test('grants the last unit and refuses the next', async () => {
      for (let n = 0; n < 9; n++) await granted(limiter(), claim)
      expect(await look(claim)).toMatchObject({ limit: 10, remaining: 1 })
      expect((await granted(limiter(), claim)).levels[0]).toMatchObject({ remaining: 0 })
      expect(await refused(limiter(), claim)).toMatchObject({ refused: 0, claims: [claim] })
      expect(await look(claim)).toMatchObject({ limit: 10, remaining: 0 })
    })

    test('grants concurrent claims exactly up to the limit', async () => {
      const asked = Array.from({ length: 25 }, async () => limiter().reserve([claim], leaseMs))
      const decisions = await Promise.all(asked)
      expect(decisions.filter((one) => one.granted)).toHaveLength(10)
    })

    test('grants nothing with a limit of zero', async () => {
      expect(await refused(limiter(), { ...claim, limit: 0 })).toMatchObject({
        retryAfterMs: Infinity,
      })
    })

    test('look takes nothing and does not affect other buckets', async () => {
      for (let n = 0; n < 30; n++) await look(claim)
      for (let n = 0; n < 10; n++) await granted(limiter(), claim)
      expect(await look({ ...claim, bucket: 'other' })).toMatchObject({ remaining: 10 })
    })
  })

  test.each(kinds)('when one claim is refused, %s takes nothing either', async (_name, claim) => {
    const full = { ...place('full', 1) }
    await granted(limiter(), full)
    for (let n = 0; n < 5; n++) {
      expect(await refused(limiter(), claim, full)).toMatchObject({ refused: 1 })
      expect(await refused(limiter(), full, claim)).toMatchObject({ refused: 0 })
    }
    expect(await look(claim)).toMatchObject({ remaining: 10 })
  })

  test('of several refused claims names the one with the longest wait', async () => {
    const minute = requests('key', 1)
    const day = money('key', 'day', { limit: 5, amount: 5 })
    await granted(limiter(), minute, day)
    const { retryAfterMs, levels } = await refused(limiter(), minute, day, place('key', 5))
    expect(retryAfterMs).toBe(12 * hourMs)
    expect(levels.map(({ remaining }) => remaining)).toEqual([0, 0, 5])
    expect(await refused(limiter(), day, minute)).toMatchObject({ refused: 0 })
  })

  test('settling replaces the reserved amount by the used one', async () => {
    const rate = tokens('key', 1_000, 600)
    const budget = money('key', 'month', { limit: 1_000, amount: 600 })
    const less = await granted(limiter(), rate, budget)
    await refused(limiter(), rate, budget)
    await limiter().settle(less, { tokens: 100, nanoUsd: 0 })
    expect(await look(rate)).toMatchObject({ remaining: 900 })
    expect(await look(budget)).toMatchObject({ remaining: 1_000 })
    const more = await granted(limiter(), rate, budget)
    await limiter().settle(more, { tokens: 2_900, nanoUsd: 5_000 })
    expect(await look(budget)).toMatchObject({ remaining: 0 })
    // 2,000 tokens of debt, and one to take.
    expect(await refused(limiter(), tokens('key', 1_000, 1))).toMatchObject({
      retryAfterMs: 120_060,
    })
    expect((await refused(limiter(), budget)).retryAfterMs).toBe(12.5 * dayMs)
  })

  test('a bucket never holds more than its limit', async () => {
    const reservation = await granted(limiter(), tokens('key', 100, 100))
    subject().advance(45_000)
    await limiter().settle(reservation, { tokens: 0 })
    expect(await look(tokens('key', 100, 1))).toMatchObject({ remaining: 100, resetMs: 0 })
    await refused(limiter(), tokens('key', 100, 101))
    await granted(limiter(), tokens('key', 100, 100))
    await refused(limiter(), tokens('key', 100, 1))
  })

  test('keeps the reserved amount where settle has no usage', async () => {
    const claims = [tokens('key', 100, 40), money('key', 'day', { limit: 100, amount: 40 })]
    await limiter().settle(await granted(limiter(), ...claims, place('key', 1)), {})
    expect(await remainingOf(limiter(), [...claims, place('key', 1)])).toEqual([60, 60, 1])
  })

  test('settles a reservation once, whoever repeats it', async () => {
    const claims = [
      tokens('key', 100, 40),
      money('key', 'day', { limit: 100, amount: 40 }),
      place('key', 2),
    ]
    const reservation = await granted(limiter(), ...claims)
    const copy = structuredClone(reservation)
    const other = await granted(limiter(), ...claims)
    for (const again of [reservation, reservation, copy])
      await limiter().settle(again, { tokens: 10, nanoUsd: 10 })
    expect(await remainingOf(limiter(), claims)).toEqual([50, 50, 1])
    await limiter().renew(reservation, leaseMs)
    expect(await remainingOf(limiter(), claims)).toEqual([50, 50, 1])
    await limiter().settle(other, { tokens: 0, nanoUsd: 0 })
    expect(await remainingOf(limiter(), claims)).toEqual([90, 90, 2])
  })

  test('frees a slot when its lease expires, unless renewed', async () => {
    const lost = await granted(limiter(), place('key', 2))
    const kept = await granted(limiter(), place('key', 2))
    subject().advance(leaseMs - 1)
    await limiter().renew(kept, leaseMs)
    await refused(limiter(), place('key', 2))
    subject().advance(1)
    await granted(limiter(), place('key', 2))
    expect(await refused(limiter(), place('key', 2))).toMatchObject({ retryAfterMs: 1_000 })
    // It goes on after all: nobody gets in before two of three have ended.
    await limiter().renew(lost, leaseMs)
    await limiter().settle(kept, {})
    await refused(limiter(), place('key', 2))
    await limiter().settle(lost, {})
    await granted(limiter(), place('key', 2))
  })

  test('a budget keeps the reservation of a lost call until it is settled', async () => {
    const budget = money('key', 'day', { limit: 100, amount: 60 })
    const lost = await granted(limiter(), budget)
    subject().advance(2 * leaseMs)
    expect(await look(budget)).toMatchObject({ remaining: 40 })
    await limiter().settle(lost, { nanoUsd: 10 })
    expect(await look(budget)).toMatchObject({ remaining: 90 })
    await limiter().settle(lost, { nanoUsd: 90 })
    expect(await look(budget)).toMatchObject({ remaining: 90 })
  })

  describe.each([
    ['day', 12 * hourMs],
    ['day Asia/Kolkata', 6.5 * hourMs],
    ['day America/New_York', 17 * hourMs],
    ['week Asia/Tokyo', 4 * dayMs + 3 * hourMs],
    ['month America/New_York', 12.5 * dayMs + 5 * hourMs],
    // Sunday night, and the first of December.
    ['week', 4.5 * dayMs],
    ['month', 12.5 * dayMs],
  ] as const)('the budget of a %s', (window, endsInMs) => {
    test('resets exactly when the next period starts', async () => {
      const budget = money('key', window, { limit: 10, amount: 10 })
      const reservation = await granted(limiter(), budget)
      expect(await refused(limiter(), budget)).toMatchObject({ retryAfterMs: endsInMs })
      expect(await look(budget)).toMatchObject({ remaining: 0, resetMs: endsInMs })
      subject().advance(endsInMs - 1)
      expect(await refused(limiter(), budget)).toMatchObject({ retryAfterMs: 1 })
      subject().advance(1)
      await granted(limiter(), budget)
      // It was spent of the window before.
      await limiter().settle(reservation, { nanoUsd: 0 })
      await refused(limiter(), budget)
    })
  })

  test('a lifetime budget never resets', async () => {
    const budget = money('key', 'lifetime', { limit: 10, amount: 10 })
    await granted(limiter(), budget)
    subject().advance(300 * dayMs)
    expect(await refused(limiter(), budget)).toMatchObject({ retryAfterMs: Infinity })
    expect(await look(budget)).toMatchObject({ remaining: 0, resetMs: Infinity })
  })

  test('a rolling budget releases spending after its hours, at most a sixtieth later', async () => {
    const budget = money('key', 5, { limit: 10, amount: 6 })
    await granted(limiter(), budget)
    subject().advance(2 * hourMs)
    const later = money('key', 5, { limit: 10, amount: 4 })
    await granted(limiter(), later)
    const { retryAfterMs } = await refused(limiter(), budget)
    expect(retryAfterMs).toBeGreaterThanOrEqual(3 * hourMs)
    expect(retryAfterMs).toBeLessThanOrEqual(3 * hourMs + (5 * hourMs) / 60)
    subject().advance(retryAfterMs - 1)
    await refused(limiter(), budget)
    subject().advance(1)
    await granted(limiter(), budget)
    await refused(limiter(), money('key', 5, { limit: 10, amount: 1 }))
  })

  test('refuses more than the limit forever and takes nothing', async () => {
    for (const claim of [
      tokens('key', 10, 11),
      money('key', 'day', { limit: 10, amount: 11 }),
      money('key', 5, { limit: 10, amount: 11 }),
    ])
      expect(await refused(limiter(), claim)).toMatchObject({ retryAfterMs: Infinity })
    await granted(limiter(), tokens('key', 10, 10))
  })

  test('seeds spending only where it is unknown', async () => {
    for (const window of ['day', 'week', 'month', 'lifetime', 5] as const) {
      const budget = money('key', window, { limit: 10, amount: 3 })
      const at = startDate
      await limiter().seed(budget, [
        { at, nanoUsd: 2 },
        { at, nanoUsd: 4 },
      ])
      await limiter().seed(budget, [{ at, nanoUsd: 6 }])
      const reservation = await granted(limiter(), budget)
      await limiter().seed(budget, [])
      await refused(limiter(), budget)
      await limiter().settle(reservation, { nanoUsd: 0 })
      expect(await look(budget)).toMatchObject({ remaining: 4 })
    }
  })

  test('seeded parts of a rolling window expire on their own time', async () => {
    const budget = money('key', 10, { limit: 100, amount: 1 })
    await limiter().seed(budget, [
      { at: startDate - 11 * hourMs, nanoUsd: 50 },
      { at: startDate - 9 * hourMs, nanoUsd: 20 },
      { at: startDate - hourMs, nanoUsd: 30 },
    ])
    expect(await look(budget)).toMatchObject({ remaining: 50 })
    subject().advance(1.5 * hourMs)
    expect(await look(budget)).toMatchObject({ remaining: 70 })
    subject().advance(8 * hourMs)
    expect(await look(budget)).toMatchObject({ remaining: 100 })
  })

  test('a bucket seeded with no spending counts as known', async () => {
    const budget = money('key', 'day', { limit: 10, amount: 1 })
    await limiter().seed(budget, [])
    await limiter().seed(budget, [{ at: startDate, nanoUsd: 10 }])
    await granted(limiter(), budget)
  })
}

async function remainingOf(limiter: Limiter, claims: readonly Claim[]): Promise<number[]> {
  return (await limiter.look(claims)).map(({ remaining }) => remaining)
}
