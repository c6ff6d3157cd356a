import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createMemoryLimiter } from '../../src/storage/limiter-memory.ts'
import '../../../../test/support/property-limits.ts'
import { describeLimiter } from '../contract/limiter.ts'

describeLimiter('in memory', async () => {
  let time = 0
  const limiter = createMemoryLimiter({ now: () => time })
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

test('a full bucket admits exactly its limit at once, whatever the limit', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 5_000 }),
      fc.double({ min: 0, max: 1e9, noNaN: true }),
      (limit, time) => {
        const limiter = createMemoryLimiter({ now: () => time })
        let admitted = 0
        while (limiter.take('key', limit).allowed) admitted++
        expect(admitted).toBe(limit)
      },
    ),
    { numRuns: 60 },
  )
})

test('no window of any length admits more than the bucket and what flowed in', () => {
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
        const before = limiter.take('key', limit)
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

test('after the wait it names, a request is allowed', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 300 }),
      fc.integer({ min: 0, max: 1_000 }),
      (limit, gap) => {
        let time = 0
        const limiter = createMemoryLimiter({ now: () => time })
        let answer = limiter.take('key', limit)
        for (let n = 0; n < 2_000 && answer.allowed; n++) {
          time += gap / limit
          answer = limiter.take('key', limit)
        }
        time += answer.retryAfterMs
        expect(limiter.take('key', limit).allowed).toBe(true)
      },
    ),
  )
})

test('the number of buckets is bounded, and full ones go first', () => {
  let time = 0
  const limiter = createMemoryLimiter({ now: () => time, bucketsMax: 3 })
  limiter.take('old and full', 1)
  time = 59_000
  limiter.take('empty a', 1)
  limiter.take('empty b', 1)
  time = 61_000
  limiter.take('one more', 1)
  expect(limiter.take('empty a', 1).allowed).toBe(false)
  expect(limiter.take('empty b', 1).allowed).toBe(false)
  limiter.take('yet another', 1)
  expect(limiter.take('empty a', 1).allowed).toBe(true)
})
