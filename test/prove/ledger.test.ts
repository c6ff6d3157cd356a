import { expect, test } from 'vitest'
import { proveLedger } from './ledger.ts'

test('a killed gateway has every call in its ledger, once', { timeout: 120_000 }, async () => {
  const { wrong, seen, unsettled, operations } = await proveLedger({ rounds: 2, clients: 12 })
  expect(wrong).toEqual([])
  expect(seen).toBeGreaterThan(100)
  expect(unsettled).toBeGreaterThan(0)
  for (const operation of ['chat', 'embed', 'speak', 'createVideo'])
    expect(operations[operation], operation).toBeGreaterThan(0)
})
