import fc from 'fast-check'
import { expect, test } from 'vitest'
import '../../../test/support/property-limits.ts'
import {
  formatUsd,
  joinMoney,
  type Money,
  microUsdOf,
  moneyOfMicroUsd,
  moneyOfNanoUsd,
  nanoUsdOf,
  splitMoney,
  usdOf,
} from '../src/core/money.ts'

/** Up to a billion dollars, small amounts as often as large ones. */
const money: fc.Arbitrary<Money> = fc
  .tuple(fc.bigInt({ min: 0n, max: 10n ** 21n }), fc.integer({ min: 0, max: 21 }))
  .map(([digits, shift]) => digits / 10n ** BigInt(shift))
/** Millionths with six decimals of which each is another number: up to $8,589. */
const small = fc.bigInt({ min: 0n, max: 2n ** 33n * 1_000_000n })

test('property: money splits into two safe integers and joins again', () => {
  fc.assert(
    fc.property(money, (amount) => {
      const [microUsd, rest] = splitMoney(amount)
      expect(Number.isSafeInteger(microUsd)).toBe(true)
      expect(rest).toBeGreaterThanOrEqual(-500_000)
      expect(rest).toBeLessThan(500_000)
      expect(joinMoney(microUsd, rest)).toBe(amount)
    }),
  )
})

test('property: sums of the parts are the parts of the sum, in any grouping', () => {
  fc.assert(
    fc.property(fc.array(money, { maxLength: 9 }), (amounts) => {
      const parts = amounts.map(splitMoney)
      const sum = (at: 0 | 1) => parts.reduce((total, part) => total + part[at], 0)
      expect(joinMoney(sum(0), sum(1))).toBe(amounts.reduce((total, one) => total + one, 0n))
    }),
  )
})

test('property: microdollars are exact up to $8,589 and the nearest number beyond', () => {
  fc.assert(
    fc.property(small, (amount) => {
      expect(moneyOfMicroUsd(microUsdOf(amount))).toBe(amount)
    }),
  )
  fc.assert(
    fc.property(money, (amount) => {
      const digits = String(amount).padStart(13, '0')
      expect(microUsdOf(amount)).toBe(Number(`${digits.slice(0, -6)}.${digits.slice(-6)}`))
      expect(usdOf(amount)).toBe(Number(`${digits.slice(0, -12)}.${digits.slice(-12)}`))
    }),
  )
})

test('property: nanodollars are rounded up, by less than one', () => {
  fc.assert(
    fc.property(small, (amount) => {
      const rounded = moneyOfNanoUsd(nanoUsdOf(amount)) - amount
      expect(rounded).toBeGreaterThanOrEqual(0n)
      expect(rounded).toBeLessThan(1_000n)
    }),
  )
})

test.each([
  [0n, '0.000000'],
  [1n, '0.000000000001'],
  [240_000n, '0.00000024'],
  [1_000_000n, '0.000001'],
  [123_000_000n, '0.000123'],
  [1_500_000_000_000n, '1.500000'],
  [12_345_678_901_000_000n, '12345.678901'],
  [12_345_678_901_000_001n, '12345.678901000001'],
])('%d picodollars are formatted exactly with at least six decimals: %s', (amount, written) => {
  expect(formatUsd(amount)).toBe(written)
})
