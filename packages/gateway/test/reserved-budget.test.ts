import fc from 'fast-check'
import { expect, test } from 'vitest'
import '../../../test/support/property-limits.ts'
import { claimReserved, reservedOf } from '../src/admit/reserved-budget.ts'
import type { Budget, Holder } from '../src/ports/account.ts'

const budget: Budget = { id: 'b', window: 'month', limitMicroUsd: 9, model: 'acme/*' }
const holder = { id: 'k', kind: 'key', terms: {} } as unknown as Holder

test('a claim round-trips through the record to the nanodollar', () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), (amount) => {
      const claim = { kind: 'budget', bucket: 'b', window: 'month', limit: 9_000, amount } as const
      const reserved = reservedOf({ ...claim, holder, budget })
      expect(reserved).toMatchObject({
        limit: 9,
        amount: Math.floor(amount / 1_000),
        model: 'acme/*',
      })
      expect(claimReserved(reserved)).toEqual(claim)
    }),
  )
})

test('reads reservations that an older version wrote in microdollars', () => {
  const reserved = { bucket: 'b', window: 24, limit: 9, amount: 5, model: 'acme/*' }
  expect(claimReserved(reserved)).toEqual({
    kind: 'budget',
    bucket: 'b',
    window: 24,
    limit: 9_000,
    amount: 5_000,
  })
})
