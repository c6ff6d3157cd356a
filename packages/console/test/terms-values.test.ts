// What a form of terms sends: as data, without a browser.
import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import '../../../test/support/property-limits.ts'
import {
  accountValuesOf,
  type BudgetValues,
  changesOf,
  type TermsValues,
  termsOf,
  valuesOf,
} from '../src/parts/terms/values.ts'

const hourMs = 3_600_000
const end = Date.UTC(2026, 2, 9)

const shown = {
  name: 'search',
  models: ['openai/*', 'fast'],
  requestsPerMinute: 60,
  tokensPerMinute: 9_000,
  concurrentRequests: 4,
  // A time of day that the form does not show.
  expiresAt: end - 5 * hourMs - 1,
  addresses: ['192.0.2.0/24'],
  tags: ['red', 'blue'],
  budgets: [
    { id: 'b1', limitMicroUsd: 12_500, window: 'day' as const, tag: 'red' },
    { id: 'b2', limitMicroUsd: 2_000_000, window: 48, overBudget: { route: 'cheap' } },
  ],
  output: 'reserve' as const,
  inputBound: 'estimate' as const,
  contentLogging: true,
  ownKeys: false,
}
const values = accountValuesOf(shown)
const [firstBudget, secondBudget] = values.budgets as [BudgetValues, BudgetValues]

afterEach(() => void vi.unstubAllEnvs())

describe('sends nothing of a form', () => {
  test.each([
    ['that nobody has changed', values, values],
    ['of a new key', valuesOf(), valuesOf()],
    ['with white space around what was there', { ...values, name: ' search ' }, values],
    ['whose lists are written otherwise', { ...values, models: 'openai/*, fast' }, values],
  ])('%s', (_name, now, before) => {
    expect(changesOf(now, before)).toEqual({})
  })
})

/** One change of each field, and what alone is sent of it. A new field has to be added here. */
const changes: Required<{ [Field in keyof TermsValues]: readonly [TermsValues[Field], object] }> = {
  name: ['find', { name: 'find' }],
  models: ['', { models: null }],
  requestsPerMinute: ['61', { requestsPerMinute: 61 }],
  tokensPerMinute: ['', { tokensPerMinute: null }],
  concurrentRequests: ['0', { concurrentRequests: 0 }],
  expires: ['', { expiresAt: null }],
  addresses: ['192.0.2.1\n192.0.2.10', { addresses: ['192.0.2.1', '192.0.2.10'] }],
  tags: ['red', { tags: ['red'] }],
  budgets: [[], { budgets: null }],
  output: ['refuse', { output: 'refuse' }],
  inputBound: ['', { inputBound: null }],
  contentLogging: ['no', { contentLogging: false }],
  ownKeys: ['', { ownKeys: null }],
}

test.each(Object.entries(changes))('sends only the changed field %s', (field, [value, sent]) => {
  expect(changesOf({ ...values, [field]: value }, values)).toEqual(sent)
})

test.each<[string, readonly BudgetValues[], readonly object[]]>([
  [
    'one changed',
    [{ ...firstBudget, usd: '0.02' }, secondBudget],
    [{ ...shown.budgets[0], limitMicroUsd: 20_000 }, shown.budgets[1]!],
  ],
  ['one removed', [secondBudget], [shown.budgets[1]!]],
  [
    'one added',
    [
      firstBudget,
      secondBudget,
      { row: 2, usd: '5', window: 'month', model: ' m ', tag: '', over: '' },
    ],
    [...shown.budgets, { limitMicroUsd: 5_000_000, window: 'month', model: 'm' }],
  ],
])('sends all budgets together: %s', (_name, budgets, sent) => {
  expect(changesOf({ ...values, budgets }, values)).toEqual({ budgets: sent })
})

test('a new account is sent with its set fields only', () => {
  const { expiresAt: _, ...rest } = shown
  expect(termsOf(accountValuesOf(rest))).toEqual(rest)
  expect(termsOf({ ...valuesOf(), name: ' a ' })).toEqual({ name: 'a' })
})

describe('a budget keeps all digits', () => {
  const sent = (usd: string) =>
    termsOf({
      ...valuesOf(),
      budgets: [{ row: 0, usd, window: 'day', model: '', tag: '', over: '' }],
    }).budgets?.[0]?.limitMicroUsd

  test.each([
    ['0.0125', 12_500],
    ['0.01', 10_000],
    ['0.000001', 1],
    ['0.999999', 999_999],
    ['1', 1_000_000],
    ['2.675', 2_675_000],
    ['1.005', 1_005_000],
    ['100000', 100_000_000_000],
  ])('$%s', (usd, microUsd) => {
    expect(sent(usd)).toBe(microUsd)
  })

  test('property: also after it was shown', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e12 }), (limitMicroUsd) => {
        const budget = { id: 'b', limitMicroUsd, window: 'day' as const }
        expect(termsOf(valuesOf({ name: 'a', budgets: [budget] })).budgets).toEqual([budget])
      }),
    )
  })
})

describe.each(['UTC', 'America/Los_Angeles', 'Pacific/Auckland', 'Asia/Kathmandu'])(
  'an expiry date in %s',
  (zone) => {
    test.each(['2026-01-01', '2026-02-28', '2028-02-29', '2026-03-08', '2026-04-05', '2026-12-31'])(
      '%s is sent as the end of the day and shown as chosen',
      (day) => {
        vi.stubEnv('TZ', zone)
        const { expiresAt = 0 } = termsOf({ ...valuesOf(), expires: day })
        const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
        expect(new Date(expiresAt)).toEqual(new Date(year, month - 1, date + 1))
        for (const at of [expiresAt, expiresAt - 1, expiresAt - 20 * hourMs])
          expect(valuesOf({ expiresAt: at }).expires).toBe(day)
        expect(valuesOf({ expiresAt: expiresAt + 1 }).expires).not.toBe(day)
      },
    )
  },
)
