import { beforeEach, describe, expect, test } from 'vitest'
import { sampleJob, sampleResponse } from '../../../../test/support/store-samples.ts'
import type { Store } from '../../../gateway/src/ports/store.ts'
import type { StoreUnderTest } from './store.ts'

const slot = (id: string) => ({ id, keyId: 'key_1', bytes: 0, at: 100_000, until: 200_000 })

/** That what one key keeps is bounded, by number and bytes. */
export function describeKept(subject: () => StoreUnderTest): void {
  describe('quotas of a key', () => {
    let store: Store
    beforeEach(() => {
      store = subject().store
    })

    const large = `{"text":"${'é'.repeat(500)}"}`

    test('evict its oldest responses over the count or byte limit, and no other key’s', async () => {
      for (const place of [1, 2, 3, 4])
        for (const keyId of ['key_1', 'key_2'])
          await store.addResponse(
            sampleResponse({
              id: `${keyId}_${place}`,
              keyId,
              createdAt: 5 - place,
              response: large,
            }),
            [`item_of_${keyId}_${place}`],
          )
      const idsLeft = async () => {
        const all = [1, 2, 3, 4].flatMap((place) => [`key_1_${place}`, `key_2_${place}`])
        const found = await Promise.all(all.map((id) => store.findResponse(id)))
        return found.flatMap((response) => response?.id ?? [])
      }
      expect(await store.trimResponses('key_1', { count: 4, bytes: 1_000_000 })).toBe(0)
      expect(await store.trimResponses('key_1', { count: 3, bytes: 1_000_000 })).toBe(1)
      expect(await idsLeft()).not.toContain('key_1_1')
      expect(await store.trimResponses('key_1', { count: 9, bytes: 2_200 })).toBe(1)
      store = await subject().reopen()
      expect(await store.trimResponses('key_1', { count: 9, bytes: 2_200 })).toBe(0)
      expect(await idsLeft()).toEqual([
        'key_2_1',
        'key_2_2',
        'key_1_3',
        'key_2_3',
        'key_1_4',
        'key_2_4',
      ])
      expect(await store.findUpstreamIds(['item_of_key_1_2'])).toMatchObject([{ deleted: false }])
    })

    test('evict only failed and expired videos', async () => {
      const over = { status: 'completed', bytes: 100 } as const
      const jobs = [
        sampleJob({ id: 'v1', ...over, expiresAt: 50 }),
        sampleJob({ id: 'v2', status: 'failed' }),
        sampleJob({ id: 'v3', ...over, expiresAt: 200 }),
        sampleJob({ id: 'v4', bytes: 7 }),
        sampleJob({ id: 'v5', ...over, expiresAt: 60 }),
        sampleJob({ id: 'other', keyId: 'key_2', status: 'failed' }),
      ]
      for (const job of jobs) await store.addVideoJob(job)
      const left = async () =>
        (await store.listVideoJobs('key_1', { limit: 9 })).map(({ id }) => id)
      const take = (id: string, count: number, bytes = 200) =>
        store.takeVideoSlot({ ...slot(id), bytes: 93, most: { count, bytes } })
      expect(await take('p1', 4)).toBeUndefined()
      expect(await left()).toEqual(['v5', 'v4', 'v3'])
      await store.freeVideoSlot('p1')
      expect(await take('p2', 4, 199)).toBe('bytes')
      expect(await take('p2', 2)).toBe('count')
      expect(await left()).toEqual(['v4', 'v3'])
      expect(await take('p2', 4)).toBeUndefined()
      expect(await take('p3', 4, 1000)).toBeUndefined()
      expect(await take('p4', 4, 1000)).toBe('count')
      expect(await store.findVideoJob('other')).toMatchObject({ keyId: 'key_2' })
    })

    test('a slot is a video’s when it comes, and free again when its time is over', async () => {
      const most = { count: 1, bytes: 1000 }
      const take = (id: string, at = 100_000) =>
        store.takeVideoSlot({ ...slot(id), at, until: at + 10, most })
      expect(await take('p1')).toBeUndefined()
      expect(await take('p2')).toBe('count')
      expect(await take('p2', 100_010)).toBeUndefined()
      await store.addVideoJob(sampleJob({ id: 'v1' }), 'p2')
      expect(await take('p3', 100_020)).toBe('count')
      await store.deleteVideoJob('v1')
      expect(await take('p3', 100_020)).toBeUndefined()
    })

    test('a slot that is renewed stays taken, and one that is free is not taken by that', async () => {
      const most = { count: 1, bytes: 1000 }
      const take = (id: string, at: number) =>
        store.takeVideoSlot({ ...slot(id), at, until: at + 10, most })
      expect(await take('p1', 100_000)).toBeUndefined()
      await store.renewVideoSlot('p1', 100_030)
      expect(await take('p2', 100_029)).toBe('count')
      expect(await take('p2', 100_030)).toBeUndefined()
      await store.renewVideoSlot('p1', 100_090)
      await store.freeVideoSlot('p2')
      expect(await take('p3', 100_050)).toBeUndefined()
    })

    test('of several processes that take slots at once none takes one too many', async () => {
      const others = await Promise.all([subject().openAnother(), subject().openAnother()])
      const asked = Array.from({ length: 30 }, (_, n) =>
        (others[n % 2] ?? store).takeVideoSlot({
          ...slot(`p${n}`),
          most: { count: 7, bytes: 1000 },
        }),
      )
      const taken = (await Promise.all(asked)).filter((lacking) => lacking === undefined)
      expect(taken).toHaveLength(7)
    })
  })
}
