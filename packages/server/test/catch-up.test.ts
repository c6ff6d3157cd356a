import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { catchUp } from '../src/usage.ts'
import type { Store } from '../../gateway/src/ports/store.ts'

/** A store that has so many steps to sum, each of which takes a while. */
function storeWith(steps: number, stepMs: number) {
  let done = 0
  const fold = async () => {
    await wait(stepMs)
    done += 1
    return Math.max(0, steps - done)
  }
  // Nothing else of a store is asked for.
  const store = { flush: async () => {}, usage: { fold } } as unknown as Store
  return { store, done: () => done }
}

test('sums pending records before an answer', async () => {
  const held = storeWith(80, 0)
  await catchUp(held.store)
  expect(held.done()).toBe(80)
})

test('limits how long an answer waits for sums', async () => {
  const held = storeWith(1_000, 20)
  await catchUp(held.store, 100)
  expect(held.done()).toBeGreaterThan(0)
  expect(held.done()).toBeLessThan(10)
})
