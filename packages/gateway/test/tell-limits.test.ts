import { expect, test } from 'vitest'
import { fakeDate } from '../../../test/support/fake-date.ts'
import { tellLimits } from '../src/admit/tell-limits.ts'

const holder = { kind: 'key', id: 'k', name: 'k', terms: {} } as const

test.each([
  [1, '1ms', '1ms'],
  [999.4, '1000ms', '1000ms'],
  [1_000, '1s', '1s'],
  [1_001, '1.1s', '1.1s'],
  [1_500, '1.5s', '1.5s'],
  [59_900, '59.9s', '59.9s'],
  [59_901, '1m0s', '1m0s'],
  [60_001, '1m1s', '1m1s'],
])('rounds a wait of %d ms up: %s', (ms, again, reset) => {
  const claim = {
    kind: 'rate',
    unit: 'requests',
    bucket: 'b',
    limit: 1,
    amount: 1,
    holder,
  } as const
  const levels = [{ limit: 1, remaining: 0, resetMs: ms }]
  const decision = {
    granted: false,
    claims: [claim],
    levels,
    refused: 0,
    retryAfterMs: ms,
  } as const
  const headers: string[] = []
  expect(() =>
    tellLimits({ answerHeaders: headers }, { claims: [claim], decision }, () => 0),
  ).toThrow(`per minute; try again in ${again}`)
  expect(headers.at(-1)).toBe(reset)
})

test.each([-7, 0, 7])(
  'a calendar window ends on time although Redis’s clock differs by %d minutes',
  (minutes) => {
    const end = Date.parse('2026-12-01T00:00:00Z')
    const retryAfterMs = 5_400_000
    using _date = fakeDate(end - retryAfterMs + minutes * 60_000)
    const amount = 2
    const claim = {
      kind: 'budget',
      bucket: 'b',
      window: 'month',
      limit: 5,
      amount,
      holder,
    } as const
    const levels = [{ limit: 5, remaining: 1, resetMs: retryAfterMs }]
    const decision = { granted: false, claims: [claim], levels, refused: 0, retryAfterMs } as const
    expect(() =>
      tellLimits({ answerHeaders: [] }, { claims: [claim], decision }, Date.now),
    ).toThrow('the budget resets at 2026-12-01T00:00:00Z')
  },
)
