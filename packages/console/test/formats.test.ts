import { expect, test } from 'vitest'
import { formatBudget } from '../src/parts/formats.ts'

test.each([
  [12_500, 12_500, '$0.0125', '$0.0125'],
  [999_999, 983_417, '$0.999999', '$0.983417'],
  [500_000, 0, '$0.50', '$0.00'],
  [40, 1, '$0.00004', '$0.000001'],
  [1_000_000, 960_004, '$1.00', '$0.96'],
  [2_012_500, 1_470_000, '$2.0125', '$1.47'],
])('a budget of %i millionths is shown to its last digit', (limit, left, shown, shownLeft) => {
  const budget = { limitMicroUsd: limit, remainingMicroUsd: left }
  expect(formatBudget(budget)).toEqual([shownLeft, shown])
})
