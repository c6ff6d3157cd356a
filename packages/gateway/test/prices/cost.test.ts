import { microUsdOf, type Usage } from '@sluice/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import '../../../../test/support/property-limits.ts'
import { cost, type PricedUsage } from '../../src/prices/cost.ts'
import { createPrice, type PriceInput, type RateInput } from '../../src/prices/price.ts'

/** Whole hundredths, as prices are written. */
const usd = fc.integer({ min: 0, max: 100_000 }).map((cents) => cents / 1_000)

const tokenRate: fc.Arbitrary<RateInput> = fc.record({ usd, per: fc.constant(1_000_000) })

/** A price whose cached tokens cost no more, and whose rates are all there. */
const price = fc
  .record({
    input: tokenRate,
    discount: fc.integer({ min: 0, max: 100 }),
    output: tokenRate,
    cacheWrite: tokenRate,
    cacheWrite1h: tokenRate,
    audioInput: tokenRate,
    audioOutput: tokenRate,
    reasoning: tokenRate,
    audioSecond: fc.record({ usd, per: fc.constantFrom(60, 3_600) }),
    image: fc.record({ usd, per: fc.constant(1) }),
  })
  .map(({ discount, ...rates }): PriceInput => {
    const cacheRead = {
      usd: Number((rates.input.usd * (discount / 100)).toFixed(6)),
      per: 1_000_000,
    }
    return { rates: { ...rates, cacheRead }, source: 'a page', date: '2026-11-22' }
  })

const count = fc.integer({ min: 0, max: 3_000_000 })
const details = [
  'cachedInputTokens',
  'cacheWriteTokens',
  'longCacheWriteTokens',
  'audioInputTokens',
  'reasoningTokens',
  'audioOutputTokens',
] as const
const usage = fc.record(
  {
    inputTokens: count,
    outputTokens: count,
    ...Object.fromEntries(details.map((name) => [name, count])),
    seconds: fc.double({ min: 0, max: 10_000, noNaN: true, noDefaultInfinity: true }),
    images: fc.integer({ min: 0, max: 10 }),
  },
  { requiredKeys: ['inputTokens', 'outputTokens'] },
) as fc.Arbitrary<PricedUsage>

function costOf(used: PricedUsage, of: PriceInput): bigint {
  const found = cost(used, 'chat', createPrice(of))
  if (!found) throw new Error('There is a price for everything')
  return found.money
}

describe('a cost', () => {
  test('is never negative', () => {
    fc.assert(
      fc.property(usage, price, (used, of) => {
        expect(costOf(used, of)).toBeGreaterThanOrEqual(0n)
      }),
    )
  })

  test('increases with usage', () => {
    fc.assert(
      fc.property(usage, price, count, (used, of, more) => {
        const before = costOf(used, of)
        expect(
          costOf({ ...used, outputTokens: used.outputTokens + more }, of),
        ).toBeGreaterThanOrEqual(before)
        expect(
          costOf({ ...used, inputTokens: used.inputTokens + more }, of),
        ).toBeGreaterThanOrEqual(before)
        expect(costOf({ ...used, seconds: (used.seconds ?? 0) + more }, of)).toBeGreaterThanOrEqual(
          before,
        )
      }),
    )
  })

  test('does not increase when input was cached', () => {
    fc.assert(
      fc.property(count, count, price, (inputTokens, cached, of) => {
        const plain: Usage = { inputTokens, outputTokens: 0 }
        const read = { ...plain, cachedInputTokens: Math.min(cached, inputTokens) }
        expect(costOf(read, of)).toBeLessThanOrEqual(costOf(plain, of))
      }),
    )
  })

  test('of many calls equals the cost of their sum, except for rounding', () => {
    fc.assert(
      fc.property(fc.array(count, { maxLength: 50 }), price, (counts, of) => {
        const apart = counts.map((inputTokens) => costOf({ inputTokens, outputTokens: 0 }, of))
        const inputTokens = counts.reduce((sum, one) => sum + one, 0)
        const whole = costOf({ inputTokens, outputTokens: 0 }, of)
        const sum = apart.reduce((total, one) => total + one, 0n)
        // In picodollars.
        expect(Math.abs(Number(sum - whole))).toBeLessThanOrEqual((counts.length + 1) / 2)
      }),
    )
  })

  test('is unknown if anything used has no price', () => {
    const { rates } = { rates: { input: { usd: 1, per: 1_000_000 } } }
    const half = createPrice({ rates, source: 'a page', date: '2026-11-22' })
    expect(cost({ inputTokens: 5, outputTokens: 0 }, 'embed', half)?.money).toBe(5_000_000n)
    expect(cost({ inputTokens: 5, outputTokens: 1 }, 'chat', half)).toBeNull()
    expect(cost({ inputTokens: 0, outputTokens: 0, images: 1 }, 'createImage', half)).toBeNull()
    expect(cost({ inputTokens: 0, outputTokens: 0, characters: 9 }, 'speak', half)).toBeNull()
  })

  test('of text tokens equals the sum over all usage fields', () => {
    const zero = fc.constantFrom(0, undefined)
    const plain = fc.record(
      {
        inputTokens: count,
        outputTokens: count,
        cachedInputTokens: zero,
        images: zero,
        seconds: fc.constantFrom(0, 1.5),
        billedInputTokens: fc.constantFrom(0, 7),
        serviceTier: fc.constantFrom('default', 'flex', 'flex+default', 'unheard of'),
        size: fc.constantFrom('small', 'large'),
        reasoningTokens: fc.constantFrom(0, 9),
      },
      { requiredKeys: ['inputTokens', 'outputTokens'] },
    ) as fc.Arbitrary<PricedUsage>
    const tier = fc.record({ above: count, usd })
    const rate = fc.record(
      { usd, per: fc.constant(1_000_000), tiers: fc.array(tier, { maxLength: 2 }), minimum: count },
      { requiredKeys: ['usd', 'per'] },
    )
    const variant = fc.record({
      unit: fc.constantFrom('image', 'request'),
      size: fc.constant('small'),
      usd,
    })
    const of = fc.record({
      rates: fc.record({ input: rate, output: rate, request: rate }, { requiredKeys: [] }),
      variants: fc.array(variant, { maxLength: 1 }),
      serviceTiers: fc.constantFrom({}, { flex: 0.5 }, { flex: 0.5, default: 2 }),
      source: fc.constant('a page'),
      date: fc.constant('2026-11-22'),
    }) as fc.Arbitrary<PriceInput>
    fc.assert(
      fc.property(plain, of, (used, written) => {
        const ready = createPrice(written)
        // Tools that ran make a list necessary, and none did.
        const listed = { ...used, serverToolCalls: {} }
        expect(cost(used, 'chat', ready)).toEqual(cost(listed, 'chat', ready))
      }),
      { numRuns: 2_000 },
    )
  })

  test('is exact for decimal prices', () => {
    const tenth = { usd: 0.1, per: 1_000_000_000_000 }
    const of = {
      rates: { input: tenth, output: { usd: 0.2, per: 1_000_000_000_000 } },
      source: 'a',
      date: 'b',
    }
    // 0.1 × 3 + 0.2 × 1 is 0.5, which rounds up; in binary fractions it is 0.50000000000000001 or a little less.
    expect(costOf({ inputTokens: 3, outputTokens: 1 }, of)).toBe(1n)
    expect(costOf({ inputTokens: 2, outputTokens: 1 }, of)).toBe(0n)
    expect(costOf({ inputTokens: 9_007_199_254, outputTokens: 0 }, of)).toBe(900_719_925n)
  })

  test('of cached audio is at most that of all cached tokens, and counts each token once', () => {
    const per = 1_000_000
    const rates = {
      input: { usd: 1, per },
      cacheRead: { usd: 0.1, per },
      audioInput: { usd: 5, per },
      audioCacheRead: { usd: 0.5, per },
    }
    const of = { rates, source: 'a', date: 'b' }
    const heard = { inputTokens: 1_000, outputTokens: 0, audioInputTokens: 700 }
    const cached = { ...heard, cachedInputTokens: 600 }
    const costs = [0, 500, 600, 900].map((cachedAudioInputTokens) =>
      microUsdOf(costOf({ ...cached, cachedAudioInputTokens }, of)),
    )
    expect(costs).toEqual([
      600 * 0.1 + 400 * 5,
      100 * 0.1 + 500 * 0.5 + 200 * 5 + 200,
      600 * 0.5 + 100 * 5 + 300,
      600 * 0.5 + 100 * 5 + 300,
    ])
  })

  test('of a tool charged per request counts it once', () => {
    const of = createPrice({
      rates: { input: { usd: 1, per: 1 } },
      tools: { search: { usd: 0.5, per: 'request' }, look: 0.25 },
      source: 'a',
      date: 'b',
    })
    const costOf = (serverToolCalls: Record<string, number>) =>
      microUsdOf(
        cost({ inputTokens: 0, outputTokens: 0, serverToolCalls }, 'chat', of)?.money ?? 0n,
      )
    expect([{ search: 1 }, { search: 3 }, { look: 3 }, { search: 2, look: 1 }].map(costOf)).toEqual(
      [500_000, 500_000, 750_000, 750_000],
    )
  })

  test.each([
    ['nothing', { input: 0, output: 0 }, true, true],
    ['requests alone', { request: 2 }, true, false],
    ['tokens', { input: 1, output: 0 }, false, false],
  ])('at a price for %s is known without usage, or not', (_name, usds, isFixed, isFree) => {
    const rates = Object.fromEntries(
      Object.entries(usds).map(([name, each]) => [name, { usd: each, per: 1 }]),
    )
    expect(createPrice({ rates, source: 'a', date: 'b' })).toMatchObject({ isFixed, isFree })
  })

  test('is marked as an estimate if the usage is one', () => {
    const of = createPrice({ rates: { input: { usd: 1, per: 1 } }, source: 'a', date: 'b' })
    expect(cost({ inputTokens: 1, outputTokens: 0 }, 'chat', of)?.estimated).toBe(false)
    expect(cost({ inputTokens: 1, outputTokens: 0, estimated: true }, 'chat', of)?.estimated).toBe(
      true,
    )
  })
})

test.each([-1, Number.NaN, Number.POSITIVE_INFINITY])('rejects the price %s', (value) => {
  expect(() =>
    createPrice({ rates: { input: { usd: value, per: 1 } }, source: 'a', date: 'b' }),
  ).toThrow(RangeError)
})
