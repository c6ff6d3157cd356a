import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { StorageQuota } from '../src/stored/storage-quota.ts'

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 })
})
afterEach(() => {
  vi.useRealTimers()
})

/** A quota whose store has one slot, which it says until when it is held. */
function open() {
  let until: number | undefined
  const store = {
    takeVideoSlot: (slot: { readonly until: number }) => {
      until = slot.until
      return Promise.resolve(undefined)
    },
    renewVideoSlot: (_id: string, later: number) => {
      until = later
      return Promise.resolve()
    },
    freeVideoSlot: () => {
      until = undefined
      return Promise.resolve()
    },
    trimResponses: () => Promise.resolve(0),
    trimConversations: () => Promise.resolve(0),
  }
  const most = { count: 1, bytes: 1 }
  const limits = () => ({
    keptResponses: most,
    keptVideos: most,
    keptConversations: { ...most, items: 1 },
  })
  return {
    quota: new StorageQuota({ store, limits, now: Date.now }),
    store,
    until: () => until ?? 0,
  }
}

test('a slot is held for a minute, again and again while the video is asked for', async () => {
  const { quota, until } = open()
  await using slot = await quota.reserveVideo('key_1', 0)
  expect(until()).toBe(Date.now() + 60_000)
  for (let minute = 0; minute < 30; minute += 1) {
    await vi.advanceTimersByTimeAsync(60_000)
    expect(until()).toBeGreaterThan(Date.now() + 30_000)
  }
  expect(await slot.use(() => Promise.resolve('kept'))).toBe('kept')
})

test('stops renewing once the slot is released or used', async () => {
  for (const isKept of [true, false]) {
    const { quota, until } = open()
    {
      await using slot = await quota.reserveVideo('key_1', 0)
      if (isKept) await slot.use(() => Promise.resolve())
    }
    const last = until()
    await vi.advanceTimersByTimeAsync(300_000)
    expect(until()).toBe(last)
    expect(vi.getTimerCount()).toBe(0)
  }
})

test('survives a store that is unavailable while renewing', async () => {
  const { quota, store } = open()
  const renew = vi.fn(() => Promise.reject(new Error('The disk is away')))
  store.renewVideoSlot = renew
  await using slot = await quota.reserveVideo('key_1', 0)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(renew).toHaveBeenCalledTimes(3)
  expect(await slot.use(() => Promise.resolve('kept'))).toBe('kept')
})
