// What recorded replies of providers cost, against bills that were calculated by hand: `bill` has a line for each rate
// (quantity, USD, for how many), `microUsd` their sum, rounded once to whole millionths; null where nobody can know.
import { microUsdOf, type OperationName, splitMoney, type Usage } from '@sluice/contract'
import { expect, test } from 'vitest'
import { readUsage as readMessage } from '../../../protocols/src/anthropic/usage.ts'
import { BlockFees, readUsage as readBedrock } from '../../../protocols/src/bedrock/usage.ts'
import { readBilledUnits, readUsage as readCohere } from '../../../protocols/src/cohere/usage.ts'
import { contentUsage, readUsage as readGemini } from '../../../protocols/src/gemini/usage.ts'
import { responseUsage } from '../../../protocols/src/openai-responses/upstream/response-usage.ts'
import { usageOfAnswer } from '../../../protocols/src/openai/upstream/executed-tools.ts'
import { mediaUsage } from '../../../protocols/src/openai/upstream/typed-events.ts'
import { readUsage as readOpenai } from '../../../protocols/src/usage.ts'
import { createPriceBook } from '../../src/prices/book.ts'
import { openLibrary } from '../../src/prices/library.ts'
import { createTargetPrices } from '../../src/prices/target-price.ts'
import { bills } from './bills.ts'

const readers: Readonly<Record<string, (usage: never) => Usage | undefined>> = {
  anthropic: (usage) => readMessage({ usage }),
  bedrock: (usage) => readBedrock({ usage }),
  billed: readBilledUnits,
  chat: usageOfAnswer,
  cohere: readCohere,
  content: contentUsage,
  converse: readConverse,
  gemini: readGemini,
  media: mediaUsage,
  message: readMessage,
  normal: (usage) => usage,
  openai: readOpenai,
  response: responseUsage,
}

function readConverse(body: {
  readonly output: { readonly message: { readonly content: readonly object[] } }
}): Usage | undefined {
  const fees = new BlockFees()
  for (const block of body.output.message.content) fees.see(block as Record<string, unknown>)
  return fees.in(readBedrock(body as unknown as Record<string, unknown>))
}

const book = createPriceBook({ library: openLibrary, overrides: [], today: '2026-11-22' })
const prices = createTargetPrices(book, () => {})

test('checks enough replies under unique names', () => {
  const names = bills.map(({ name }) => name)
  expect(new Set(names).size).toBe(bills.length)
  expect(names.filter((name) => !/^(rule|unknown):/.test(name)).length).toBeGreaterThanOrEqual(60)
  expect(names.length).toBeGreaterThanOrEqual(140)
})

test.each(bills)('$name: $microUsd', async ({ provider, model, operation, ...reply }) => {
  const { reader, usage, also, bill, microUsd, at = '2026-11-22T12:00:00Z' } = reply
  const read = readers[reader]?.(usage as never)
  const price = prices.of({ provider, catalogue: provider, model })
  await price.open()
  const used = read && { ...read, ...also }
  const found = used ? price.cost(used, operation as OperationName, Date.parse(at)) : null
  expect(found && splitMoney(found.money)[0]).toBe(microUsd)
  if (!found || !bill) return
  const lines = bill.map(([quantity = 0, usd = 0, per = 1]) => (quantity * usd * 1_000_000) / per)
  const whole = lines.reduce((sum, line) => sum + line, 0)
  // Factors of tiers have six decimals.
  expect(microUsdOf(found.money)).toBeCloseTo(whole, 3)
  expect(found.priceDate).toMatch(used?.chargedUsd === undefined ? /^20\d\d-\d\d-\d\d$/ : /^$/)
  expect(found.priceSource).not.toBe('')
})
