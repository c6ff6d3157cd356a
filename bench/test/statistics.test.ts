import { expect, test } from 'vitest'
import { fitLine, median, percentile, spread } from '../src/statistics.ts'

test('the median of odd, even and single counts', () => {
  expect(median([9, 1, 5])).toBe(5)
  expect(median([4, 1, 9, 2])).toBe(3)
  expect(median([7])).toBe(7)
  expect(() => median([])).toThrow(RangeError)
})

test('a percentile is always one of the values', () => {
  const values = [50, 10, 40, 20, 30]
  expect([0, 10, 24, 25, 50, 100].map((percent) => percentile(values, percent))).toEqual([
    10, 10, 10, 20, 30, 50,
  ])
  expect(percentile([7], 10)).toBe(7)
  expect(() => percentile([], 10)).toThrow(RangeError)
})

test('the spread is relative to the median', () => {
  expect(spread([90, 100, 120])).toBeCloseTo(0.3)
  expect(spread([5])).toBe(0)
})

test('fitting points on a line gives its slope and no error', () => {
  const points = [0, 1, 2, 5].map((x) => [x, 3 + 2 * x] as const)
  expect(fitLine(points)).toEqual({ slope: 2, error: 0 })
})

test('the error of a slope matches the textbook', () => {
  // y = 1, 3, 2, 5 over x = 1, 2, 3, 4: slope 1.1, sum of squared residuals 2.7, so error √(2.7 / 2 / 5).
  const { slope, error } = fitLine([
    [1, 1],
    [2, 3],
    [3, 2],
    [4, 5],
  ])
  expect(slope).toBeCloseTo(1.1)
  expect(error).toBeCloseTo(Math.sqrt(2.7 / 2 / 5))
  expect(() => fitLine([[0, 0]])).toThrow(RangeError)
})
