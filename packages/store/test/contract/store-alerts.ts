import { beforeEach, describe, expect, test } from 'vitest'
import type { AlertMessage } from '../../../gateway/src/ports/alert.ts'
import type { Store } from '../../../gateway/src/ports/store.ts'

interface Subject {
  readonly store: Store
  reopen(): Promise<Store>
  openAnother(): Promise<Store>
}

const message = (further: Partial<AlertMessage> = {}): AlertMessage => ({
  name: 'budget.warning:key_1',
  id: 'msg_1',
  body: '{"type":"budget.warning"}',
  quietUntil: 2_000,
  ...further,
})

/** The meaning of the methods for alerts: a part of the contract of Store. */
export function describeAlerts(subjectOf: () => Subject): void {
  describe('alerts', () => {
    let subject: Subject
    let store: Store
    beforeEach(() => {
      subject = subjectOf()
      store = subject.store
    })

    const due = async (now: number, webhooks = ['a', 'b']) =>
      store.dueAlerts({ webhooks, now, limit: 10 })

    test('keeps a message for each webhook until it is delivered, also across restarts', async () => {
      expect(await store.addAlert(message(), ['a', 'b'], 1_000)).toBe(true)
      expect(await due(999)).toEqual([])
      store = await subject.reopen()
      const waiting = { id: 'msg_1', body: message().body, tries: 0, nextAt: 1_000 }
      expect(await due(1_000)).toEqual([
        { ...waiting, webhook: 'a' },
        { ...waiting, webhook: 'b' },
      ])
      expect(await due(1_000, ['b', 'c'])).toHaveLength(1)
      expect(await due(1_000, [])).toEqual([])
      await store.removeAlert({ id: 'msg_1', webhook: 'a' })
      expect(await due(1_000)).toMatchObject([{ webhook: 'b' }])
    })

    test('one of several processes that raise the same alert adds it, and none again during the quiet time', async () => {
      const other = await subject.openAnother()
      const told = await Promise.all(
        Array.from({ length: 12 }, (_, index) =>
          (index % 2 === 0 ? store : other).addAlert(message({ id: `msg_${index}` }), ['a'], 1_000),
        ),
      )
      expect(told.filter(Boolean)).toHaveLength(1)
      expect(await due(1_000)).toMatchObject([{ id: `msg_${told.indexOf(true)}` }])
      expect(await other.addAlert(message({ id: 'early' }), ['a'], 1_999)).toBe(false)
      expect(await other.addAlert(message({ id: 'other', name: 'other' }), ['a'], 1_999)).toBe(true)
      const later = message({ id: 'later', quietUntil: Number.MAX_SAFE_INTEGER })
      expect(await other.addAlert(later, ['a'], 2_000)).toBe(true)
      expect(await store.addAlert(message({ id: 'never' }), ['a'], 9e15)).toBe(false)
    })

    test('one of several processes claims a delivery', async () => {
      const other = await subject.openAnother()
      await store.addAlert(message(), ['a'], 1_000)
      const [delivery] = await due(1_000)
      if (!delivery) throw new Error('Nothing is due')
      const to = { tries: 1, nextAt: 5_000 }
      const taken = await Promise.all(
        [store, other, store, other].map((one) => one.changeAlert(delivery, to)),
      )
      expect(taken.filter(Boolean)).toHaveLength(1)
      expect(await due(4_999)).toEqual([])
      expect(await due(5_000)).toEqual([{ ...delivery, ...to }])
    })

    test('deletes old messages', async () => {
      await store.addAlert(message(), ['a'], 1_000)
      await store.addAlert(message({ name: 'kept', id: 'kept', quietUntil: 9_000 }), ['a'], 4_000)
      await store.forgetAlerts(3_000)
      expect(await due(9_999)).toMatchObject([{ id: 'kept' }])
      expect(await store.addAlert(message({ name: 'kept', id: 'again' }), ['a'], 5_000)).toBe(false)
      expect(await store.addAlert(message({ id: 'again' }), ['a'], 1_000)).toBe(true)
    })
  })
}
