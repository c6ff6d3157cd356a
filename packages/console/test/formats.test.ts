import { expect, test } from 'vitest'
import { formatBudget, formatMicroUsd } from '../src/parts/formats.ts'
import { overviewTexts } from '../src/texts/operation.ts'

test.each([
  [12_500, 12_500, '$0.0125', '$0.0125'],
  [999_999, 983_417, '$0.999999', '$0.983417'],
  [500_000, 0, '$0.50', '$0.00'],
  [40, 1, '$0.00004', '$0.000001'],
  [1_000_000, 960_004, '$1.00', '$0.96'],
  [2_012_500, 1_470_000, '$2.0125', '$1.47'],
  [10, 0.16, '$0.00001', '<$0.000001'],
  [10, 9.84, '$0.00001', '$0.00001'],
  [2_000_000, 1_230, '$2.00', '$0.0012'],
  [2_000_000, 0.999999, '$2.00', '<$0.000001'],
])('formats a budget of %i microdollars without rounding', (limit, left, shown, shownLeft) => {
  const budget = { limitMicroUsd: limit, remainingMicroUsd: left }
  expect(formatBudget(budget)).toEqual([shownLeft, shown])
})

test.each([
  [undefined, '–'],
  [null, '–'],
  [0, '$0.00'],
  [0.000001, '<$0.000001'],
  [0.999999, '<$0.000001'],
  [1, '$0.0000010'],
  [1.24, '$0.0000012'],
  [24, '$0.000024'],
  [12_345, '$0.01'],
  [1_234_567.24, '$1.23'],
])('formats %d microdollars as %s', (microUsd, shown) => {
  expect(formatMicroUsd(microUsd)).toBe(shown)
})

test('a change is told in percent, or as more than ten times', () => {
  expect(overviewTexts.more(899)).toBe('▲ 899 %')
  expect(overviewTexts.more(900)).toBe('▲ more than 10 ×')
  expect(overviewTexts.more(64_483_927)).toBe('▲ more than 10 ×')
})
