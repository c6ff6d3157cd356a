// What recorded replies of providers cost, against bills that were calculated by hand: `bill` has a line for each rate
// (quantity, USD, for how many), `microUsd` their sum, rounded once to whole millionths; null where nobody can know.
import { microUsdOf, type OperationName, splitMoney, type Usage } from '@sluice/contract'
import { expect, test } from 'vitest'
import { readUsage as readAnthropic } from '../../../protocols/src/anthropic/usage.ts'
import { readUsage as readBedrock } from '../../../protocols/src/bedrock/usage.ts'
import { readBilledUnits, readUsage as readCohere } from '../../../protocols/src/cohere/usage.ts'
import { readUsage as readGemini } from '../../../protocols/src/gemini/usage.ts'
import { mediaUsage } from '../../../protocols/src/openai/upstream/typed-events.ts'
import { readUsage as readOpenai } from '../../../protocols/src/usage.ts'
import { createPriceBook } from '../../src/prices/book.ts'
import { cost } from '../../src/prices/cost.ts'
import { openLibrary } from '../../src/prices/library.ts'
import { bills } from './bills.ts'

const readers: Readonly<Record<string, (usage: never) => Usage | undefined>> = {
  anthropic: readAnthropic,
  bedrock: (usage) => readBedrock({ usage }),
  billed: readBilledUnits,
  cohere: readCohere,
  gemini: readGemini,
  media: mediaUsage,
  normal: (usage) => usage,
  openai: readOpenai,
}

const book = createPriceBook({ library: openLibrary, overrides: [], today: '2026-11-22' })

test('enough replies are checked, each by its own name', () => {
  const names = bills.map(({ name }) => name)
  expect(new Set(names).size).toBe(bills.length)
  expect(names.filter((name) => !/^(rule|unknown):/.test(name)).length).toBeGreaterThanOrEqual(60)
})

test.each(bills)('$name: $microUsd', async ({ provider, model, operation, ...reply }) => {
  const { reader, usage, also, bill, microUsd, at = '2026-11-22T12:00:00Z' } = reply
  const read = readers[reader]?.(usage as never)
  const target = { provider, catalogue: provider, model }
  await book.open(target)
  const price = book.find(target, Date.parse(at))
  const found = read && price ? cost({ ...read, ...also }, operation as OperationName, price) : null
  expect(found && splitMoney(found.money)[0]).toBe(microUsd)
  if (!found || !bill) return
  const lines = bill.map(([quantity = 0, usd = 0, per = 1]) => (quantity * usd * 1_000_000) / per)
  const whole = lines.reduce((sum, line) => sum + line, 0)
  expect(microUsdOf(found.money)).toBeCloseTo(whole, 4)
  expect(found.priceDate).toMatch(/^20\d\d-\d\d-\d\d$/)
  expect(found.priceSource).not.toBe('')
})
