import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { heapFlags } from '../../src/cli/heap-growth.ts'

const mib = 1024 * 1024
const source = new URL('../../src/cli/heap-growth.ts', import.meta.url).href

/** When V8 collects also depends on what else the machine does, so one run alone says little. */
function severalTimes(run: () => number): readonly number[] {
  return Array.from({ length: 4 }, run)
}

/** The largest that the space for young objects becomes while many objects live for a while. */
function youngMiB(prepare: string): number {
  const program = `
    import { setHeapGrowth } from ${JSON.stringify(source)}
    import { getHeapSpaceStatistics } from 'node:v8'
    ${prepare}
    let largest = 0
    for (let turn = 0; turn < 500; turn += 1) {
      const kept = Array.from({ length: 40_000 }, (_, index) => ({ index, list: [index] }))
      const { space_size: size } = getHeapSpaceStatistics().find((space) => space.space_name === 'new_space')
      largest = Math.max(largest, size, kept.length)
      await new Promise((resolve) => setImmediate(resolve))
      if (largest >= 128 * 1024 * 1024) break
    }
    console.log(largest)`
  const args = ['--expose-gc', '--max-semi-space-size=64', '--input-type=module', '-e', program]
  return Number(execFileSync(process.execPath, args, { encoding: 'utf8' })) / mib
}

test('limits the young generation', () => {
  expect(Math.max(...severalTimes(() => youngMiB('')))).toBeGreaterThanOrEqual(128)
  const bounded = youngMiB('setHeapGrowth()')
  expect(bounded).toBeGreaterThanOrEqual(32)
  expect(bounded).toBeLessThan(120)
}, 60_000)

test('lets the young generation grow after V8 shrank it', () => {
  const again = `setHeapGrowth()
    for (const count of [40_000, 40_000, 1]) {
      for (let turn = 0; turn < 200; turn += 1) {
        const kept = Array.from({ length: count }, (_, index) => ({ index, list: [index] }))
        await new Promise((resolve) => setImmediate(resolve, kept))
      }
      globalThis.gc()
      globalThis.gc()
    }`
  const bounded = youngMiB(again)
  expect(bounded).toBeGreaterThanOrEqual(32)
  expect(bounded).toBeLessThan(120)
}, 60_000)

test('removes the limit of the young generation on dispose', () => {
  const sizes = severalTimes(() => youngMiB('setHeapGrowth()[Symbol.dispose]()'))
  expect(Math.max(...sizes)).toBeGreaterThanOrEqual(128)
}, 60_000)

/** How often everything alive is marked while a heap that was just collected grows by 80 MB. */
function fullCollections(prepare: string): number {
  const program = `
    import { constants, PerformanceObserver } from 'node:perf_hooks'
    import { setHeapGrowth } from ${JSON.stringify(source)}
    ${prepare}
    const turn = () => new Promise((resolve) => setTimeout(resolve, 1))
    // As much as the gateway has: V8 lets no heap of a few megabytes grow by 80.
    const used = Array.from({ length: 160 }, () => new Array(16_384).fill(0))
    for (let quiet = 0; quiet < 3; quiet += 1) {
      globalThis.gc()
      await turn()
    }
    // Those were told to observers by now, however slow the machine is.
    for (let told = 0; told < 3; told += 1) await new Promise((resolve) => setImmediate(resolve))
    let count = 0
    new PerformanceObserver((list) => {
      for (const { detail } of list.getEntries())
        if (detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR) count += 1
    }).observe({ entryTypes: ['gc'] })
    const kept = []
    while (kept.length < 640) {
      kept.push(new Array(16_384).fill(kept.length))
      if (kept.length % 8 === 0) await turn()
    }
    console.log(kept.length + used.length === 800 ? count : NaN)`
  const args = ['--expose-gc', '--input-type=module', '-e', program]
  return Number(execFileSync(process.execPath, args, { encoding: 'utf8' }))
}

test('avoids full collections while the heap grows', () => {
  expect(fullCollections('')).toBeGreaterThan(0)
  expect(fullCollections('setHeapGrowth()')).toBe(0)
}, 60_000)

test('V8 knows every heap flag', () => {
  const known = execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8' })
  for (const flag of heapFlags) expect(known).toContain(`\n  --${flag} (`)
})
