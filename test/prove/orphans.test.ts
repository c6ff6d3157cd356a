import { expect, test } from 'vitest'
import { proveOrphans } from './orphans.ts'

test('workers end in time when their primary process is killed under load', {
  timeout: 120_000,
}, async () => {
  const { workers, seen, left } = await proveOrphans({ rounds: 3 })
  expect(workers).toBe(6)
  expect(seen).toBeGreaterThan(200)
  expect(left).toBe(0)
})
