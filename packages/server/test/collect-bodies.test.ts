import { constants, PerformanceObserver } from 'node:perf_hooks'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { countUnparsedBody } from '../src/collect-bodies.ts'

const mib = 1024 * 1024

function kindOf(detail: unknown): unknown {
  return typeof detail === 'object' && detail && 'kind' in detail ? detail.kind : undefined
}

test('collects the young generation once per 16 MiB of unparsed bodies', async () => {
  let minor = 0
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries())
      if ('detail' in entry && kindOf(entry.detail) === constants.NODE_PERFORMANCE_GC_MINOR)
        minor += 1
  })
  observer.observe({ entryTypes: ['gc'] })
  const collectionsOf = async (bodies: number): Promise<number> => {
    minor = 0
    for (let count = 0; count < bodies; count += 1) countUnparsedBody(mib)
    // Entries are told a turn later.
    for (let count = 0; count < 10; count += 1) await turn()
    return minor
  }
  expect(await collectionsOf(15)).toBe(0)
  expect(await collectionsOf(1)).toBe(1)
  expect(await collectionsOf(15)).toBe(0)
  expect(await collectionsOf(33)).toBe(3)
  observer.disconnect()
})
