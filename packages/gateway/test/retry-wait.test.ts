import { expect, test } from 'vitest'
import { retryWait } from '../src/failover/retry-wait.ts'

const options = { tries: 1, baseMs: 100, maxMs: 1_000, random: 0.5 }

test.each<[string, number | undefined, Partial<typeof options>, number | undefined]>([
  ['the first is a random share of the base', undefined, {}, 50],
  ['the smallest random share', undefined, { random: 0 }, 0],
  ['the largest random share', undefined, { random: 0.99 }, 99],
  ['the second doubles the base', undefined, { tries: 2 }, 100],
  ['the fourth', undefined, { tries: 4 }, 400],
  ['the fifth is a share of the maximum', undefined, { tries: 5 }, 500],
  ['a late one is a share of the maximum', undefined, { tries: 60 }, 500],
  ['Retry-After below the random wait', 20, {}, 50],
  ['Retry-After above the random wait', 51, {}, 51],
  ['Retry-After just below the maximum', 999, {}, 999],
  ['Retry-After equal to the maximum', 1_000, {}, 1_000],
  ['Retry-After just above the maximum', 1_001, {}, undefined],
  [
    'Retry-After above the maximum with a small random wait',
    1_001,
    { random: 0, tries: 9 },
    undefined,
  ],
  ['Retry-After of zero', 0, {}, 50],
])('the wait before a retry: %s', (_name, retryAfterMs, further, expected) => {
  expect(retryWait(retryAfterMs, { ...options, ...further })).toBe(expected)
})
