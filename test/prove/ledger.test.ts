import { expect, test } from 'vitest'
import { proveLedger } from './ledger.ts'

test.each([
  ['gateway', 1],
  ['worker and then its primary process', 2],
])(
  'a killed %s has each answered call in the ledger once',
  { timeout: 120_000 },
  async (_, workers) => {
    const { wrong, seen, unsettled, operations } = await proveLedger({
      rounds: 2,
      clients: 12,
      workers,
    })
    expect(wrong).toEqual([])
    expect(seen).toBeGreaterThan(100)
    expect(unsettled).toBeGreaterThan(0)
    for (const operation of ['chat', 'embed', 'speak', 'createVideo'])
      expect(operations[operation], operation).toBeGreaterThan(0)
  },
)
