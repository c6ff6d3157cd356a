// Sums of refused calls are bounded between two writes, and none is lost while the store does not answer.
import { expect, test } from 'vitest'
import type { CallEnd } from '../../../gateway/src/call/call.ts'
import type { RefusalStore, Refusals } from '../../../gateway/src/ports/refusals.ts'
import { RefusedCalls } from '../../src/telemetry/refused-calls.ts'

/** So many sums wait, as docs/requests.md says. */
const waitingMax = 5_000

/** A call of a key that was refused. */
function refusedOf(key: string): CallEnd {
  const end = {
    id: `req_${key}`,
    key: { id: key, owners: {} },
    format: { id: 'chat', operation: 'chat' },
    failure: 'rate_limited',
    status: 429,
    reason: 'Too many',
    durationMs: 1,
    disconnected: false,
  }
  return end as unknown as CallEnd
}

function refusalStore(add: RefusalStore['add']): RefusalStore {
  const nothing = async () => {}
  return { add, list: async () => [], forget: nothing, keep: nothing } as unknown as RefusalStore
}

test('a refused call beyond the bound of sums is shown live, but not counted', async () => {
  const written: Refusals[] = []
  const told: string[] = []
  const store = refusalStore(async (refusals) => void written.push(...refusals))
  const live = { isWatched: true, refused: ({ id }: { id: string }) => void told.push(id) }
  const calls = new RefusedCalls({ store, live, now: () => 0, failed: () => {} })
  for (let at = 0; at <= waitingMax; at++) calls.ended(refusedOf(`key_${at}`))
  // What has a sum already goes on being counted.
  calls.ended(refusedOf('key_0'))
  await calls[Symbol.asyncDispose]()
  expect(told).toHaveLength(waitingMax + 2)
  expect(written).toHaveLength(waitingMax)
  expect(written[0]).toMatchObject({ keyId: 'key_0', count: 2 })
  expect(written.at(-1)).toMatchObject({ keyId: `key_${waitingMax - 1}`, count: 1 })
})

test('writes sums of a failed write with the next one', async () => {
  const written: Refusals[] = []
  const failures: unknown[] = []
  let isAway = true
  const store = refusalStore(async (refusals) => {
    if (isAway) throw new Error('The store is away')
    written.push(...refusals)
  })
  const live = { isWatched: false, refused: () => {} }
  const failed = (error: unknown) => void failures.push(error)
  const calls = new RefusedCalls({ store, live, now: () => 0, failed })
  calls.ended(refusedOf('key_1'))
  await calls[Symbol.asyncDispose]()
  await calls[Symbol.asyncDispose]()
  expect(failures).toHaveLength(1)
  isAway = false
  calls.ended(refusedOf('key_1'))
  await calls[Symbol.asyncDispose]()
  expect(written).toMatchObject([{ keyId: 'key_1', count: 2 }])
})

test('bounds waiting sums while writing keeps failing', async () => {
  const sizes: number[] = []
  let calls: RefusedCalls | undefined
  const store = refusalStore(async (refusals) => {
    sizes.push(refusals.length)
    for (let at = 0; at < waitingMax; at++)
      calls?.ended(refusedOf(`key_${sizes.length * waitingMax + at}`))
    throw new Error('The store is away')
  })
  const live = { isWatched: false, refused: () => {} }
  calls = new RefusedCalls({ store, live, now: () => 0, failed: () => {} })
  calls.ended(refusedOf('key_0'))
  for (let time = 0; time < 3; time++) await calls[Symbol.asyncDispose]()
  expect(sizes).toEqual([1, waitingMax, waitingMax])
})
