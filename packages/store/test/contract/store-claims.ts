import { beforeEach, describe, expect, test } from 'vitest'
import { sampleJob } from '../../../../test/support/store-samples.ts'
import type { Store } from '../../../gateway/src/ports/store.ts'
import type { StoreUnderTest } from './store.ts'

/** That an unfinished task is worked on by one process. */
export function describeClaims(subject: () => StoreUnderTest): void {
  describe('leases on video tasks', () => {
    let store: Store
    beforeEach(() => {
      store = subject().store
    })

    const claim = async (owner: string, at: number, gone: readonly string[] = []) => {
      const jobs = await store.claimVideoJobs({ provider: 'acme', owner, gone, at, until: at + 10 })
      return jobs.map(({ id }) => id)
    }

    test('claims unfinished tasks without a lease, oldest first', async () => {
      const states = ['queued', 'completed', 'in_progress', 'failed', 'queued'] as const
      for (const [n, status] of states.entries())
        await store.addVideoJob(sampleJob({ id: `video_${9 - n}`, status }))
      await store.addVideoJob(sampleJob({ id: 'video_x', provider: 'other' }))
      expect(await store.videoJobOwners('acme')).toEqual([undefined])
      expect(await claim('a', 0)).toEqual(['video_9', 'video_7', 'video_5'])
      store = await subject().reopen()
      expect(await store.videoJobOwners('acme')).toEqual(['a'])
      expect(await claim('b', 9)).toEqual([])
      expect(await claim('a', 9)).toHaveLength(3)
      expect(await claim('b', 18)).toEqual([])
      expect(await claim('b', 19)).toHaveLength(3)
      expect(await claim('a', 20)).toEqual([])
      expect(await claim('c', 20, ['x'])).toEqual([])
      expect(await claim('c', 20, ['b'])).toHaveLength(3)
      await store.releaseVideoJobs('c')
      expect(await claim('d', 20)).toHaveLength(3)
    })

    test('only the owner changes a task, also after its lease expired', async () => {
      await store.addVideoJob(sampleJob())
      const change = (owner: string, progress: number) =>
        store.updateClaimedVideoJob('video_1', owner, { status: 'in_progress', progress })
      expect(await change('a', 1)).toBe(false)
      await claim('a', 0)
      expect([await change('a', 2), await change('b', 3)]).toEqual([true, false])
      await claim('b', 100)
      expect([await change('a', 4), await change('b', 5)]).toEqual([false, true])
      expect((await store.findVideoJob('video_1'))?.progress).toBe(5)
      await store.updateVideoJob('video_1', { status: 'failed' })
      expect(await change('b', 6)).toBe(false)
      expect(await store.videoJobOwners('acme')).toEqual([])
    })

    test('each task is claimed by one of several concurrent processes', async () => {
      for (let n = 0; n < 5; n += 1) await store.addVideoJob(sampleJob({ id: `video_${n}` }))
      const another = await subject().openAnother()
      const claims = await Promise.all(
        Array.from({ length: 10 }, (_, n) =>
          (n % 2 ? store : another).claimVideoJobs({
            provider: 'acme',
            owner: `owner ${n}`,
            gone: [],
            at: 0,
            until: 10,
          }),
        ),
      )
      const ids = claims.flat().map(({ id }) => id)
      expect(ids.toSorted()).toEqual(['video_0', 'video_1', 'video_2', 'video_3', 'video_4'])
    })
  })
}
