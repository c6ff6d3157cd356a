import { expect, test } from 'vitest'
import { GatewayError } from '../../../contract/src/core/errors.ts'
import { retryWait } from '../../src/gateway/run/retry-wait.ts'

const options = { tries: 1, baseMs: 100, maxMs: 1_000, random: 0.5 }

test.each<[string, number | undefined, Partial<typeof options>, number | undefined]>([
  ['the first: a random share of the base', undefined, {}, 50],
  ['the least of it', undefined, { random: 0 }, 0],
  ['nearly all of it', undefined, { random: 0.99 }, 99],
  ['the second: twice that', undefined, { tries: 2 }, 100],
  ['the fourth', undefined, { tries: 4 }, 400],
  ['the fifth: a share of the maximum', undefined, { tries: 5 }, 500],
  ['a late one too', undefined, { tries: 60 }, 500],
  ['asked for less than chance gives', 20, {}, 50],
  ['asked for more than chance gives', 51, {}, 51],
  ['asked for just less than the maximum', 999, {}, 999],
  ['asked for exactly the maximum', 1_000, {}, 1_000],
  ['asked for just more than the maximum', 1_001, {}, undefined],
  ['asked for more, though chance gives less', 1_001, { random: 0, tries: 9 }, undefined],
  ['asked for nothing', 0, {}, 50],
])('the wait before a retry: %s', (_name, retryAfterMs, further, expected) => {
  const details = retryAfterMs === undefined ? {} : { retryAfterMs }
  const error = new GatewayError('upstream_rate_limited', 'Slow down', details)
  expect(retryWait(error, { ...options, ...further })).toBe(expected)
})
