import { beforeEach, describe, expect, test } from 'vitest'
import { sampleKey, sampleResponse } from '../../../../test/support/store-samples.ts'
import type { Store } from '../../../gateway/src/ports/store.ts'
import type { StoreUnderTest } from './store.ts'

const sample = { id: 'conv_1', keyId: 'key_1', createdAt: 1_700_000_000, metadata: { topic: 'x' } }
const named = (...ids: readonly string[]) =>
  ids.map((id) => ({ id, item: JSON.stringify({ id, type: 'message', text: 'é' }) }))
const added = (...ids: readonly string[]) => ({
  items: named(...ids),
  tokens: 10,
  isTotal: false,
  at: 5,
})
const bytesOf = (items: readonly { readonly item: string }[]) =>
  items.reduce((sum, { item }) => sum + Buffer.byteLength(item), 0)

/** Conversations and their items. */
export function describeConversations(subject: () => StoreUnderTest): void {
  describe('conversations', () => {
    let store: Store
    beforeEach(async () => {
      store = subject().store
      await store.addConversation(sample, 1)
    })

    const idsOf = async (id = sample.id, page = {}) =>
      (await store.listItems(id, { limit: 100, ascending: true, ...page })).map((one) => one.id)

    test('are returned as added, changed and deleted with their items', async () => {
      expect(await store.findConversation('conv_1')).toEqual({
        ...sample,
        items: 0,
        bytes: 0,
        tokens: 0,
      })
      await expect(store.addConversation(sample, 2)).rejects.toMatchObject({ code: 'conflict' })
      expect(await store.updateConversation('conv_1', {})).toBe(true)
      expect(await store.updateConversation('conv_2', {})).toBe(false)
      await store.appendItems('conv_1', added('a'))
      store = await subject().reopen()
      expect(await store.findConversation('conv_1')).toMatchObject({ metadata: {}, items: 1 })
      expect(await store.deleteConversation('conv_1')).toBe(true)
      expect(await store.deleteConversation('conv_1')).toBe(false)
      expect(await store.findConversation('conv_1')).toBeUndefined()
      expect(await idsOf()).toEqual([])
    })

    test('have items in the order in which they came, also after one was deleted', async () => {
      expect(await store.appendItems('conv_1', added('b', 'a'))).toBe(true)
      expect(await store.appendItems('conv_1', added('c'))).toBe(true)
      expect(await store.deleteItem('conv_1', 'c')).toBe(true)
      expect(await store.deleteItem('conv_1', 'c')).toBe(false)
      expect(await store.appendItems('conv_1', added('d', 'c'))).toBe(true)
      expect(await idsOf()).toEqual(['b', 'a', 'd', 'c'])
      expect(await store.findItem('conv_1', 'a')).toEqual(named('a')[0])
      expect(await store.findItem('conv_2', 'a')).toBeUndefined()
      const all = named('b', 'a', 'd', 'c')
      expect(await store.findConversation('conv_1')).toMatchObject({
        items: 4,
        bytes: bytesOf(all),
        tokens: 30,
      })
    })

    test('have each id once, and other conversations may have it too', async () => {
      await store.addConversation({ ...sample, id: 'conv_2' }, 1)
      await store.appendItems('conv_1', added('a', 'b'))
      await store.appendItems('conv_1', added('b', 'c'))
      await store.appendItems('conv_2', added('a'))
      expect(await idsOf()).toEqual(['a', 'b', 'c'])
      expect(await idsOf('conv_2')).toEqual(['a'])
      expect(await store.findConversation('conv_1')).toMatchObject({ items: 3 })
    })

    test('that are gone take no items', async () => {
      expect(await store.appendItems('conv_2', added('a'))).toBe(false)
      expect(await idsOf('conv_2')).toEqual([])
    })

    test('are told their whole tokens by a response', async () => {
      await store.appendItems('conv_1', added('a'))
      await store.appendItems('conv_1', { ...added('b'), tokens: 7, isTotal: true })
      expect(await store.findConversation('conv_1')).toMatchObject({ tokens: 7 })
    })

    test('are listed page by page in either order', async () => {
      await store.appendItems('conv_1', added('a', 'b', 'c'))
      expect(await idsOf('conv_1', { limit: 2 })).toEqual(['a', 'b'])
      expect(await idsOf('conv_1', { limit: 2, after: 'b' })).toEqual(['c'])
      expect(await idsOf('conv_1', { ascending: false, limit: 2 })).toEqual(['c', 'b'])
      expect(await idsOf('conv_1', { ascending: false, after: 'b' })).toEqual(['a'])
      expect(await idsOf('conv_1', { after: 'x' })).toEqual([])
    })

    test('are locked by one owner at a time, until it unlocks or its time is over', async () => {
      const lock = (owner: string, at: number) =>
        store.lockConversation({ id: 'conv_1', owner, at, until: at + 10 })
      expect(await lock('one', 100)).toBe(true)
      expect(await lock('two', 109)).toBe(false)
      await store.renewConversationLock({ id: 'conv_1', owner: 'one', until: 120 })
      await store.renewConversationLock({ id: 'conv_1', owner: 'two', until: 900 })
      await store.unlockConversation({ id: 'conv_1', owner: 'two' })
      expect(await lock('two', 119)).toBe(false)
      expect(await lock('two', 120)).toBe(true)
      await store.unlockConversation({ id: 'conv_1', owner: 'two' })
      expect(await lock('one', 121)).toBe(true)
      expect(await store.lockConversation({ id: 'conv_2', owner: 'one', at: 1, until: 2 })).toBe(
        false,
      )
    })

    test('are locked by one of several processes that ask at once', async () => {
      const others = await Promise.all([subject().openAnother(), subject().openAnother()])
      const asked = Array.from({ length: 12 }, (_, n) =>
        (others[n % 2] ?? store).lockConversation({
          id: 'conv_1',
          owner: `owner ${n}`,
          at: 100,
          until: 200,
        }),
      )
      expect((await Promise.all(asked)).filter(Boolean)).toHaveLength(1)
    })

    test('take the items of several processes at once, and lose none', async () => {
      const others = await Promise.all([subject().openAnother(), subject().openAnother()])
      const ids = Array.from({ length: 12 }, (_, n) => `item ${n}`)
      await Promise.all(
        ids.map((id, n) => (others[n % 2] ?? store).appendItems('conv_1', added(id, `${id} b`))),
      )
      const found = await idsOf()
      expect(found.toSorted()).toEqual(ids.flatMap((id) => [id, `${id} b`]).toSorted())
      for (const id of ids) expect(found[found.indexOf(id) + 1]).toBe(`${id} b`)
      expect(await store.findConversation('conv_1')).toMatchObject({ items: 24 })
    })

    test('of a key are removed beyond the number or bytes, the longest unused first', async () => {
      for (const [id, keyId] of [
        ['conv_2', 'key_1'],
        ['conv_3', 'key_1'],
        ['other', 'key_2'],
      ] as const)
        await store.addConversation({ ...sample, id, keyId }, 2)
      await store.appendItems('conv_1', { ...added('a'), at: 9 })
      await store.appendItems('conv_3', { ...added('a'), at: 4 })
      const bytes = bytesOf(named('a'))
      const left = async () => {
        const all = ['conv_1', 'conv_2', 'conv_3', 'other']
        const found = await Promise.all(all.map((id) => store.findConversation(id)))
        return found.flatMap((one) => one?.id ?? [])
      }
      expect(await store.trimConversations('key_1', { count: 3, bytes: 2 * bytes })).toBe(0)
      expect(await store.trimConversations('key_1', { count: 2, bytes: 2 * bytes })).toBe(1)
      expect(await left()).toEqual(['conv_1', 'conv_3', 'other'])
      expect(await store.trimConversations('key_1', { count: 2, bytes })).toBe(1)
      expect(await left()).toEqual(['conv_1', 'other'])
      expect(await idsOf('conv_3')).toEqual([])
      expect(await idsOf('conv_1')).toEqual(['a'])
    })

    test('are erased with their key, or with all keys of a user, as stored responses are', async () => {
      for (const [keyId, ownerId] of [
        ['key_1', 'user_1'],
        ['key_2', 'user_1'],
        ['key_3', 'user_2'],
      ] as const) {
        await store.addKey(sampleKey({ id: keyId, ownerId }))
        await store.addConversation({ ...sample, id: `of ${keyId}`, keyId }, 1)
        await store.appendItems(`of ${keyId}`, added('a'))
        await store.addResponse(sampleResponse({ id: `resp_${keyId}`, keyId }))
      }
      expect(await store.eraseStored({ kind: 'key', id: 'key_2' })).toBe(2)
      expect(await idsOf('of key_2')).toEqual([])
      expect(await idsOf('of key_1')).toEqual(['a'])
      expect(await store.eraseStored({ kind: 'user', id: 'user_1' })).toBe(3)
      expect(await store.findConversation('conv_1')).toBeUndefined()
      expect(await store.findResponse('resp_key_1')).toBeUndefined()
      expect(await store.findConversation('of key_3')).toMatchObject({ items: 1 })
      expect(await store.findResponse('resp_key_3')).toBeDefined()
      expect(await store.eraseStored({ kind: 'user', id: 'user_1' })).toBe(0)
    })
  })
}
