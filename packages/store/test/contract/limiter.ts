import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import '../../../../test/support/property-limits.ts'
import type { Limiter } from '../../../gateway/src/ports/limiter.ts'
import { type LimiterAnswer, take as takeFrom } from './limiter-claims.ts'
import { testModel } from './limiter-model.ts'
import { describeReservations } from './limiter-reservations.ts'

/** What the contract needs of an implementation. */
export interface LimiterUnderTest {
  readonly limiter: Limiter
  /** Moves the clocks that the limiter reads, by milliseconds; they stand still otherwise. */
  advance(ms: number): void
  /** Removes what the limiter keeps. */
  remove(): Promise<void>
}

const minuteMs = 60_000
/** Of one request: how near to a whole one an implementation may round. */
const tolerance = 0.001

/** The promises of Limiter. Each implementation runs it. */
export function describeLimiter(
  name: string,
  open: () => Promise<LimiterUnderTest>,
  runs = 200,
): void {
  describe(`the limiter ${name}`, () => {
    let subject: LimiterUnderTest
    beforeEach(async () => {
      subject = await open()
    })
    afterEach(() => subject.remove())
    describeReservations(() => subject)
    testModel(open, runs)

    const take = (bucket: string, perMinute: number): Promise<LimiterAnswer> =>
      takeFrom(subject.limiter, bucket, perMinute)

    /** Takes until the bucket refuses; returns how many were admitted. */
    const drain = async (bucket: string, perMinute: number): Promise<number> => {
      for (let admitted = 0; ; admitted++)
        if (!(await take(bucket, perMinute)).allowed) return admitted
    }

    test('a bucket holds its rate, and says what is left and when the next request is admitted', async () => {
      for (const remaining of [2, 1, 0])
        expect(await take('key', 3)).toEqual({
          allowed: true,
          limit: 3,
          remaining,
          resetMs: (3 - remaining) * 20_000,
          retryAfterMs: 0,
        })
      expect(await take('key', 3)).toEqual({
        allowed: false,
        limit: 3,
        remaining: 0,
        resetMs: minuteMs,
        retryAfterMs: 20_000,
      })
      subject.advance(19_900)
      expect(await take('key', 3)).toMatchObject({ allowed: false, retryAfterMs: 100 })
      subject.advance(100)
      expect(await take('key', 3)).toMatchObject({ allowed: true, remaining: 0, retryAfterMs: 0 })
      expect((await take('key', 3)).allowed).toBe(false)
    })

    test.each([1, 7, 60, 997])(
      'a rested bucket of %i admits exactly so many at once',
      async (rate) => {
        expect(await drain('key', rate)).toBe(rate)
        subject.advance(10 * minuteMs)
        expect(await drain('key', rate)).toBe(rate)
      },
    )

    test.each([1, 7, 60])(
      'the first minute after a rest admits twice a rate of %i, and the next ones the rate',
      async (rate) => {
        const admittedIn = async (ms: number) => {
          let admitted = 0
          for (let passed = 0; passed < ms; passed += 100) {
            subject.advance(100)
            admitted += await drain('key', rate)
          }
          return admitted
        }
        expect((await drain('key', rate)) + (await admittedIn(minuteMs))).toBe(2 * rate)
        expect(await admittedIn(minuteMs)).toBe(rate)
        expect(await admittedIn(2 * minuteMs)).toBe(2 * rate)
      },
    )

    test('a caller who keeps to the rate is never refused', async () => {
      expect(await drain('key', 40)).toBe(40)
      for (let n = 0; n < 200; n++) {
        subject.advance(minuteMs / 40)
        expect((await take('key', 40)).allowed).toBe(true)
      }
    })

    test('buckets do not touch each other, and a refused request takes nothing', async () => {
      await take('a', 1)
      for (let n = 0; n < 100; n++) expect((await take('a', 1)).allowed).toBe(false)
      expect((await take('b', 1)).allowed).toBe(true)
      subject.advance(minuteMs)
      expect((await take('a', 1)).allowed).toBe(true)
    })

    test('another rate holds at once; what was empty of the bucket stays empty', async () => {
      for (let n = 0; n < 5; n++) await take('key', 10)
      expect(await take('key', 100)).toMatchObject({ allowed: true, limit: 100, remaining: 49 })
      expect(await take('key', 2)).toMatchObject({ allowed: false, limit: 2 })
      subject.advance(600)
      expect(await take('key', 2)).toMatchObject({ allowed: true, remaining: 0 })
    })

    test('of many who ask at once so many are admitted as there is room for', async () => {
      const answers = await Promise.all(Array.from({ length: 30 }, () => take('key', 10)))
      expect(answers.filter(({ allowed }) => allowed)).toHaveLength(10)
    })

    test('whatever is asked and however long the waits, it is a token bucket', async () => {
      const steps = fc.array(
        fc.oneof(
          { weight: 3, arbitrary: fc.constantFrom('a', 'b') },
          fc.integer({ min: 1, max: 5_000 }),
          fc.integer({ min: 1, max: 2 * minuteMs }),
        ),
        { minLength: 1, maxLength: 200 },
      )
      const rates = fc.record({
        a: fc.integer({ min: 1, max: 50 }),
        b: fc.integer({ min: 1, max: 5_000 }),
      })
      await fc.assert(
        fc.asyncProperty(steps, rates, fc.boolean(), async (asked, rate, patient) => {
          const under = await open()
          const models = { a: createModel(rate.a), b: createModel(rate.b) }
          const wait = (ms: number) => {
            under.advance(ms)
            models.a.wait(ms)
            models.b.wait(ms)
          }
          for (const step of asked) {
            if (typeof step === 'number') {
              wait(step)
              continue
            }
            const answer = await takeFrom(under.limiter, step, rate[step])
            models[step].check(answer)
            if (patient && !answer.allowed) {
              wait(answer.retryAfterMs)
              const later = await takeFrom(under.limiter, step, rate[step])
              expect(later.allowed).toBe(true)
              models[step].check(later)
            }
          }
          await under.remove()
        }),
        { numRuns: runs },
      )
    })
  })
}

/**
 * A token bucket in its plainest form: a level that rises with time, up to the brim, and sinks by one with each request.
 * It counts in parts of a request so small that with whole milliseconds every sum is exact.
 */
function createModel(rate: number) {
  const one = minuteMs
  const brim = rate * one
  let level = brim
  return {
    wait(ms: number) {
      level = Math.min(brim, level + ms * rate)
    },
    check({ allowed, limit, remaining, resetMs, retryAfterMs }: LimiterAnswer) {
      // Within the tolerance either answer is right; the model follows.
      if (level >= one) expect(allowed).toBe(true)
      if (level < one * (1 - tolerance)) expect(allowed).toBe(false)
      if (allowed) level = Math.max(0, level - one)
      expect(limit).toBe(rate)
      expect(Math.abs(remaining - Math.floor(level / one + tolerance))).toBeLessThanOrEqual(
        isNearWhole(level / one) ? 1 : 0,
      )
      expect(Math.abs(resetMs - (brim - level) / rate)).toBeLessThanOrEqual(
        1 + (one * tolerance) / rate,
      )
      if (allowed) expect(retryAfterMs).toBe(0)
      else expect(Math.abs(retryAfterMs - (one - level) / rate)).toBeLessThanOrEqual(1)
    },
  }
}

function isNearWhole(requests: number): boolean {
  return Math.abs(requests - Math.round(requests)) <= 2 * tolerance
}
