import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Limiter, Reservation } from '../../../gateway/src/ports/limiter.ts'
import { createMemoryLimiter } from '../../src/limits/memory-limiter.ts'
import '../../../../test/support/property-limits.ts'
import { describeLimiter } from '../contract/limiter.ts'
import { leaseMs, money, requests, startDate, tokens } from '../contract/limiter-claims.ts'

/** Takes one request; nothing has to be waited for. */
function take(limiter: Limiter, bucket: string, perMinute: number) {
  const decision = limiter.reserve([requests(bucket, perMinute)], leaseMs)
  if (decision instanceof Promise) throw new Error('It waits')
  return decision.granted
    ? { allowed: true, retryAfterMs: 0 }
    : { allowed: false, retryAfterMs: decision.retryAfterMs }
}

describeLimiter('in memory', async () => {
  let time = 0
  const limiter = createMemoryLimiter({ now: () => time, date: () => startDate + time })
  return {
    limiter,
    advance(ms) {
      time += ms
    },
    async remove() {
      await limiter[Symbol.asyncDispose]()
    },
  }
})

test('a full bucket admits exactly its limit', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 5_000 }),
      fc.double({ min: 0, max: 1e9, noNaN: true }),
      (limit, time) => {
        const limiter = createMemoryLimiter({ now: () => time })
        let admitted = 0
        while (take(limiter, 'key', limit).allowed) admitted++
        expect(admitted).toBe(limit)
      },
    ),
    { numRuns: 60 },
  )
})

test('property: no window admits more than the bucket and its refill', () => {
  const steps = fc.array(
    fc.oneof(fc.integer({ min: 0, max: 3 }), fc.double({ min: 0, max: 90_000, noNaN: true })),
    { minLength: 1, maxLength: 150 },
  )
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 40 }), steps, (limit, waits) => {
      let time = 0
      const limiter = createMemoryLimiter({ now: () => time })
      const admittedAt: number[] = []
      for (const wait of waits) {
        time += wait
        const before = take(limiter, 'key', limit)
        if (before.allowed) admittedAt.push(time)
        else expect(before.retryAfterMs).toBeGreaterThan(0)
      }
      for (const [first, start] of admittedAt.entries())
        for (const [last, end] of admittedAt.entries())
          if (last >= first) {
            const allowance = limit * (1 + (end - start) / 60_000)
            expect(last - first + 1).toBeLessThanOrEqual(allowance + 0.0011)
          }
    }),
  )
})

test('admits a request after the wait it named', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 300 }),
      fc.integer({ min: 0, max: 1_000 }),
      (limit, gap) => {
        let time = 0
        const limiter = createMemoryLimiter({ now: () => time })
        let answer = take(limiter, 'key', limit)
        for (let n = 0; n < 2_000 && answer.allowed; n++) {
          time += gap / limit
          answer = take(limiter, 'key', limit)
        }
        time += answer.retryAfterMs
        expect(take(limiter, 'key', limit).allowed).toBe(true)
      },
    ),
  )
})

test('bounds the number of buckets and evicts full ones first', () => {
  let time = 0
  const limiter = createMemoryLimiter({ now: () => time, bucketsMax: 3 })
  take(limiter, 'old and full', 1)
  time = 59_000
  take(limiter, 'empty a', 1)
  take(limiter, 'empty b', 1)
  time = 61_000
  take(limiter, 'one more', 1)
  expect(take(limiter, 'empty a', 1).allowed).toBe(false)
  expect(take(limiter, 'empty b', 1).allowed).toBe(false)
  take(limiter, 'yet another', 1)
  expect(take(limiter, 'empty a', 1).allowed).toBe(true)
})

test('recalls the spending of a budget once, before the first grant', async () => {
  const asked: string[] = []
  const limiter = createMemoryLimiter({
    recall: async ({ bucket }) => {
      asked.push(bucket)
      return [{ at: Date.now(), nanoUsd: 7 }]
    },
  })
  const claim = money('team', 'month', { limit: 10, amount: 3 })
  const decisions = await Promise.all([1, 2].map(async () => limiter.reserve([claim], leaseMs)))
  expect(decisions.map((one) => one.granted)).toEqual([true, false])
  expect(limiter.reserve([claim], leaseMs)).toMatchObject({ granted: false })
  expect(new Set(asked)).toEqual(new Set(['team']))
})

test('bounds the number of open reservations', () => {
  const limiter = createMemoryLimiter({ reservationsMax: 2 })
  const claim = tokens('key', 100, 10)
  const reservations = [1, 2, 3].map(() => limiter.reserve([claim], leaseMs) as Reservation)
  for (const reservation of reservations) limiter.settle(reservation, { tokens: 0 })
  expect(limiter.look([claim])).toMatchObject([{ remaining: 90 }])
})

test('reads an unknown budget once for concurrent requests', async () => {
  let read = 0
  let isFailing = true
  await using limiter = createMemoryLimiter({
    recall: async () => {
      read += 1
      await new Promise((resolve) => setImmediate(resolve))
      if (isFailing) throw new Error('not now')
      return [{ at: Date.now(), nanoUsd: 95 }]
    },
  })
  const claim = { kind: 'budget', bucket: 'b', window: 'month', limit: 100, amount: 1 } as const
  const ask = async () => limiter.reserve([claim], 1_000)
  // Who fails to read it fails alone: the next one reads it again.
  const first = ask()
  const second = ask()
  await expect(first).rejects.toThrow('not now')
  isFailing = false
  expect((await second).granted).toBe(true)
  expect(read).toBe(2)
  const other = { ...claim, bucket: 'c' }
  const many = await Promise.all(
    Array.from({ length: 20 }, async () => limiter.reserve([other], 1_000)),
  )
  expect(many.filter(({ granted }) => granted)).toHaveLength(5)
  expect(read).toBe(3)
})

test('tries an unreadable budget twice for concurrent requests', async () => {
  let read = 0
  await using limiter = createMemoryLimiter({
    recall: async () => {
      read += 1
      await new Promise((resolve) => setImmediate(resolve))
      throw new Error('never')
    },
  })
  const claim = money('team', 'month', { limit: 100, amount: 1 })
  const many = await Promise.allSettled(
    Array.from({ length: 20 }, async () => limiter.reserve([claim], leaseMs)),
  )
  expect(many.map(({ status }) => status)).toEqual(Array(20).fill('rejected'))
  expect(read).toBe(2)
})

test('evicts the least recently used budget', async () => {
  const limiter = createMemoryLimiter({ bucketsMax: 4, recall: () => [] })
  const claim = (bucket: string, amount = 1) => money(bucket, 'month', { limit: 100, amount })
  const reserve = async (bucket: string, amount = 1) => {
    const decision = await limiter.reserve([claim(bucket, amount)], leaseMs)
    expect(decision.granted).toBe(true)
    return decision as Reservation
  }
  await reserve('first')
  for (const bucket of ['second', 'third', 'fourth']) await reserve(bucket)
  const open = await reserve('first', 90)
  for (const bucket of ['fifth', 'sixth', 'seventh']) await reserve(bucket)
  limiter.settle(open, { nanoUsd: 10 })
  expect(await limiter.look([claim('first')])).toMatchObject([{ remaining: 89 }])
})
