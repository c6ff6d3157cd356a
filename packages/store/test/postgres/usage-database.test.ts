import { expect, test } from 'vitest'
import { postgresUsage } from '../../src/postgres/usage-database.ts'

test('the fold size shrinks after server timeouts and grows again', async () => {
  let failure: Error | undefined
  const usage = postgresUsage({
    rows: () => Promise.resolve([]),
    change: async () => {
      if (failure) throw failure
      return []
    },
  })
  const most = usage.recordsPerFold
  failure = new Error('Query read timeout')
  for (const part of [2, 4, 8]) {
    await expect(usage.changeWith([], [])).rejects.toThrow(failure)
    expect(usage.recordsPerFold).toBe(most / part)
  }
  for (let tries = 0; tries < 20; tries += 1)
    await expect(usage.changeWith([], [])).rejects.toThrow(failure)
  expect(usage.recordsPerFold).toBeGreaterThan(0)
  failure = undefined
  for (let step = 0; step < 10; step += 1) await usage.changeWith([], [])
  expect(usage.recordsPerFold).toBe(most)
})
