import { beforeEach, describe, expect, test } from 'vitest'
import type { KeptRefusal, Refusals } from '../../../gateway/src/ports/refusals.ts'
import type { Store } from '../../../gateway/src/ports/store.ts'

interface Subject {
  readonly store: Store
  reopen(): Promise<Store>
}

const hour = 3_600_000
const sample = (further: Partial<Refusals> = {}): Refusals => ({
  hour: 10 * hour,
  keyId: 'key_1',
  operation: 'chat',
  code: 'rate_limited',
  status: 429,
  count: 1,
  lastAt: 10 * hour + 5,
  message: 'Too many',
  callId: 'req_1',
  ...further,
})
const owners = { userId: 'user_1', teamId: 'team_1', organizationId: 'org_1' }

/** The meaning of the stored refusals: a part of the contract of Store. */
export function describeRefusals(subjectOf: () => Subject): void {
  describe('refusals', () => {
    let subject: Subject
    let store: Store
    beforeEach(() => {
      subject = subjectOf()
      store = subject.store
    })
    const list = (further: object = {}) =>
      store.refusals.list({ from: 0, to: 100 * hour, limit: 10, ...further })

    test('are returned as added, also after a restart', async () => {
      const full = sample({ ...owners, keyId: 'key_2', model: 'a"b', count: 3 })
      await store.refusals.add([sample(), full])
      store = await subject.reopen()
      expect(await list()).toEqual([full, sample()])
    })

    test('are summed per hour, keeping the last, and over several hours', async () => {
      await store.refusals.add([sample({ model: 'a' })])
      await store.refusals.add([sample({ count: 4, lastAt: 10 * hour + 9, callId: 'req_2' })])
      expect(await list()).toEqual([sample({ count: 5, lastAt: 10 * hour + 9, callId: 'req_2' })])
      const later = { hour: 12 * hour, lastAt: 12 * hour + 1, callId: 'req_3', message: 'Again' }
      await store.refusals.add([sample({ ...later, count: 2 })])
      expect(await list()).toEqual([sample({ ...later, hour: 10 * hour, count: 7 })])
      expect(await list({ from: 11 * hour })).toEqual([sample({ ...later, count: 2 })])
      expect(await list({ to: 10 * hour })).toEqual([])
    })

    test('are filtered by their owner', async () => {
      await store.refusals.add([
        sample({ ...owners, count: 2 }),
        sample({ keyId: 'key_2', operation: 'embed' }),
      ])
      for (const one of [owners, { keyId: 'key_1' }, { operation: 'chat' }])
        expect(await list(one)).toMatchObject([{ keyId: 'key_1' }])
      expect(await list({ limit: 1 })).toMatchObject([{ keyId: 'key_1' }])
      expect(await list({ teamId: 'team_2' })).toEqual([])
    })

    test('are deleted when old, and when their owner is erased', async () => {
      const reasons = [sample(), sample({ hour: 11 * hour, code: 'forbidden', ...owners })]
      await store.refusals.add([...reasons, sample({ hour: 11 * hour, keyId: 'key_2' })])
      await store.refusals.forget(11 * hour)
      expect(await list()).toHaveLength(2)
      await store.usage.erase({ kind: 'user', id: 'user_1' })
      expect(await list()).toMatchObject([{ keyId: 'key_2' }])
      await store.usage.erase({ kind: 'key', id: 'key_2' })
      expect(await list()).toEqual([])
    })

    const kept = (callId: string, further: Partial<KeptRefusal> = {}): KeptRefusal => ({
      callId,
      at: 10 * hour,
      durationMs: 3,
      keyId: 'key_1',
      operation: 'chat',
      format: 'messages',
      status: 429,
      code: 'rate_limited',
      message: 'Too many',
      ...further,
    })
    const search = async (further: object = {}) => {
      const found = await store.refusals.search({ from: 0, to: 100 * hour, limit: 10, ...further })
      return found.map(({ callId }) => callId)
    }

    test('are kept with all facts, once, also after a restart', async () => {
      const full = kept('req_2', { ...owners, requestId: 'mine', model: 'a"b', at: 11 * hour })
      await store.refusals.keep([kept('req_1'), full])
      await store.refusals.keep([kept('req_1', { message: 'Another' })])
      await store.refusals.keep([])
      store = await subject.reopen()
      const found = await store.refusals.search({ from: 0, to: 100 * hour, limit: 10 })
      expect(found).toEqual([full, kept('req_1')])
    })

    test('are found by both ids and by every filter, page by page', async () => {
      await store.refusals.keep([
        kept('req_1', { requestId: 'mine', status: 404 }),
        kept('req_2', { at: 11 * hour, ...owners }),
        kept('req_3', {
          at: 11 * hour,
          keyId: 'key_2',
          model: 'm',
          operation: 'embed',
          format: 'embeddings',
        }),
      ])
      expect(await search()).toEqual(['req_3', 'req_2', 'req_1'])
      for (const [further, ids] of [
        [{ id: 'mine' }, ['req_1']],
        [{ id: 'req_2' }, ['req_2']],
        [{ id: 'other' }, []],
        [{ status: [404, 404] }, ['req_1']],
        [{ keyId: 'key_2' }, ['req_3']],
        [{ userId: 'user_1' }, ['req_2']],
        [{ teamId: 'team_1' }, ['req_2']],
        [{ organizationId: 'org_1' }, ['req_2']],
        [{ operation: 'embed' }, ['req_3']],
        [{ format: 'embeddings' }, ['req_3']],
        [{ model: 'm' }, ['req_3']],
        [{ from: 11 * hour }, ['req_3', 'req_2']],
        [{ to: 11 * hour }, ['req_1']],
        [{ limit: 1 }, ['req_3']],
        [{ before: { at: 11 * hour, callId: 'req_3' } }, ['req_2', 'req_1']],
        [{ before: { at: 11 * hour, callId: 'req_2' } }, ['req_1']],
      ] as const)
        expect([further, await search(further)]).toEqual([further, ids])
      await store.refusals.forgetKept(11 * hour)
      expect(await search()).toEqual(['req_3', 'req_2'])
    })

    test('are erased with their key or user', async () => {
      await store.refusals.keep([kept('req_1'), kept('req_2', { keyId: 'key_2', ...owners })])
      await store.usage.erase({ kind: 'key', id: 'key_1' })
      expect(await search()).toEqual(['req_2'])
      await store.usage.erase({ kind: 'user', id: 'user_1' })
      expect(await search()).toEqual([])
    })
  })
}
