import { expect, test } from 'vitest'
import { readUsage } from '../src/usage.ts'

test.each([1e308, 2e13, Number.POSITIVE_INFINITY, Number.NaN, -1, '7', null])(
  'ignores usage of %s tokens',
  (count) => {
    expect(readUsage({ prompt_tokens: count, completion_tokens: count })).toBeUndefined()
    expect(readUsage({ prompt_tokens: 7, completion_tokens: count })).toEqual({
      inputTokens: 7,
      outputTokens: 0,
    })
  },
)

test('ignores an impossible detail of usage', () => {
  const details = { cached_tokens: 1e300 }
  const usage = readUsage({
    prompt_tokens: 7,
    completion_tokens: 3,
    prompt_tokens_details: details,
  })
  expect(usage).toEqual({ inputTokens: 7, outputTokens: 3 })
})
