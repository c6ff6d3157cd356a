import { beforeEach, describe, expect, test } from 'vitest'
import { sampleJob, sampleResponse } from '../../../../test/support/store-samples.ts'
import type { Store } from '../../src/ports/store.ts'
import type { StoreUnderTest } from './store.ts'

/** That what one key keeps is bounded, by number and bytes. */
export function describeKept(subject: () => StoreUnderTest): void {
  describe('what a key keeps', () => {
    let store: Store
    beforeEach(() => {
      store = subject().store
    })

    const large = `{"text":"${'é'.repeat(500)}"}`

    test('the oldest responses beyond a number or beyond bytes go, and no other key’s', async () => {
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

    test('of videos only those that failed or expired make room', async () => {
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
      expect(await store.trimVideoJobs('key_1', { count: 3, at: 100 })).toEqual({
        count: 3,
        bytes: 107,
      })
      expect(await left()).toEqual(['v5', 'v4', 'v3'])
      expect(await store.trimVideoJobs('key_1', { count: 1, at: 100 })).toEqual({
        count: 2,
        bytes: 107,
      })
      expect(await left()).toEqual(['v4', 'v3'])
      expect(await store.trimVideoJobs('key_3', { count: 1, at: 100 })).toEqual({
        count: 0,
        bytes: 0,
      })
      expect(await store.findVideoJob('other')).toMatchObject({ keyId: 'key_2' })
    })
  })
}
