// What the book has for models, against the pages of their providers.
import { microUsdOf } from '@sluice/contract'
import { expect, test } from 'vitest'
import { createPriceBook } from '../../src/prices/book.ts'
import { openLibrary } from '../../src/prices/library.ts'
import { createTargetPrices } from '../../src/prices/target-price.ts'
import rows from './dated.json' with { type: 'json' }

/** A page's USD for a million tokens. */
interface Dated {
  readonly provider: string
  readonly model: string
  readonly page: string
  /** Where the page was read, if a copy or a citation was. */
  readonly copy?: string
  /** The day or month of what was read; if it has none, the day of reading. */
  readonly date: string
  readonly input: number
  readonly output?: number
  readonly cacheRead?: number
  readonly cacheWrite?: number
  readonly cacheWrite1h?: number
  readonly audioInput?: number
  /** What the whole request costs if it has more input than this. */
  readonly above?: { readonly tokens: number; readonly input: number; readonly output: number }
}

const dated: readonly Dated[] = rows

/** No tier begins at fewer. */
const tokens = 100_000
const input = { inputTokens: tokens }
const usages = {
  input,
  output: { outputTokens: tokens },
  cacheRead: { ...input, cachedInputTokens: tokens },
  cacheWrite: { ...input, cacheWriteTokens: tokens },
  cacheWrite1h: { ...input, cacheWriteTokens: tokens, longCacheWriteTokens: tokens },
  audioInput: { ...input, audioInputTokens: tokens },
} as const

const book = createPriceBook({ library: openLibrary, overrides: [], today: '2026-11-22' })
const prices = createTargetPrices(book, () => {})

test('covers at least sixty models', () => {
  const named = dated.map(({ provider, model }) => `${provider}/${model}`)
  expect(new Set(named).size).toBeGreaterThanOrEqual(60)
  for (const { page, date } of dated)
    expect(`${page} ${date}`).toMatch(/^https:\S+ 202\d-\d\d(-\d\d)?$/)
})

test.each(dated)('$provider/$model on $date', async (row) => {
  const price = prices.of({ provider: row.provider, catalogue: row.provider, model: row.model })
  await price.open()
  const at = Date.parse(row.date)
  const costOf = (usage: Readonly<Record<string, number>>): number => {
    const cost = price.cost({ inputTokens: 0, outputTokens: 0, ...usage }, 'chat', at)
    return cost ? microUsdOf(cost.money) : Number.NaN
  }
  // Some charge for the request too.
  const request = costOf({})
  for (const [name, usage] of Object.entries(usages)) {
    const usd = row[name as keyof typeof usages]
    if (usd !== undefined)
      expect([name, costOf(usage) - request]).toEqual([name, Math.round(usd * tokens)])
  }
  if (!row.above) return
  const long = row.above.tokens + 1
  const both = costOf({ inputTokens: long, outputTokens: tokens })
  expect(both).toBeCloseTo(long * row.above.input + tokens * row.above.output, 5)
  expect(costOf({ inputTokens: row.above.tokens })).toBeCloseTo(row.above.tokens * row.input, 5)
})
