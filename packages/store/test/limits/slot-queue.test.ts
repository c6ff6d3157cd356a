import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import '../../../../test/support/property-limits.ts'
import { linked } from '../../../../test/support/servers/linked-processes.ts'
import { until } from '../../../../test/support/start.ts'
import type { SlotLimits, SlotQueue, SlotTicket } from '../../../gateway/src/ports/slot-queue.ts'
import { createSlotQueue } from '../../src/limits/memory-slot-queue.ts'
import { createRemoteSlotQueue, serveSlotQueues } from '../../src/limits/remote-slot-queue.ts'

const bounds = (inside: number, change: Partial<SlotLimits> = {}): SlotLimits => ({
  inside,
  waiting: 1_000,
  waitMs: 60_000,
  ...change,
})

/** Asks for a slot, and notes when it is had and why not. */
function ask(queue: SlotQueue, key: string, of: SlotLimits, count = 1) {
  const asked = { key, count, isIn: false, refused: undefined as unknown, leave: () => {} }
  let ticket: SlotTicket
  try {
    ticket = queue.enter(key, of, count)
  } catch (error) {
    return { ...asked, refused: error }
  }
  asked.leave = () => {
    asked.isIn = false
    ticket.leave()
  }
  if (ticket.entered)
    ticket.entered.then(
      () => {
        asked.isIn = true
      },
      (error: unknown) => {
        asked.refused = error
      },
    )
  else asked.isIn = true
  return asked
}

/** Until what was said has come to the other process and back. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 8; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

describe.each([
  ['of this process', () => createSlotQueue()],
  [
    'of another process',
    () => {
      const { near, far } = linked()
      const queue = createSlotQueue()
      serveSlotQueues(() => queue, far)
      return createRemoteSlotQueue(near, 'requests')
    },
  ],
])('the slot queue %s', (_name, open) => {
  test('so many are in; the next one comes in when one leaves, once however often that is said', async () => {
    const queue = open()
    const asked = ['a', 'a', 'b', 'b'].map((key) => ask(queue, key, bounds(2)))
    await settled()
    expect(asked.map(({ isIn }) => isIn)).toEqual([true, true, false, false])
    asked[0]?.leave()
    asked[0]?.leave()
    await settled()
    expect(asked.map(({ isIn }) => isIn)).toEqual([false, true, true, false])
  })

  test('keys take turns, however many one of them has sent', async () => {
    const queue = open()
    const many = Array.from({ length: 500 }, () => ask(queue, 'many', bounds(1)))
    const few = [1, 2].map(() => ask(queue, 'few', bounds(1)))
    await settled()
    const order: string[] = []
    for (let turn = 0; turn < 5; turn += 1) {
      const inside = [...many, ...few].filter(({ isIn }) => isIn)
      expect(inside).toHaveLength(1)
      order.push(inside[0]?.key ?? '')
      inside[0]?.leave()
      await settled()
    }
    expect(order).toEqual(['many', 'many', 'few', 'many', 'few'])
  })

  test('a tenth of the slots is for others, from ten slots on', async () => {
    for (const [inside, most] of [
      [1, 1],
      [9, 9],
      [10, 9],
      [25, 23],
    ] as const) {
      const queue = open()
      const own = Array.from({ length: 30 }, () => ask(queue, 'a', bounds(inside)))
      const other = Array.from({ length: 3 }, () => ask(queue, 'b', bounds(inside)))
      await settled()
      expect(own.filter(({ isIn }) => isIn)).toHaveLength(most)
      expect(other.filter(({ isIn }) => isIn)).toHaveLength(Math.min(3, inside - most))
    }
  })

  test('who waits too long, or where too many wait, is refused', async () => {
    const queue = open()
    const of = bounds(1, { waiting: 4, waitMs: 20 })
    const first = ask(queue, 'a', of)
    const late = [1, 2].map(() => ask(queue, 'a', of))
    const beyondOwn = ask(queue, 'a', of)
    const others = ['b', 'c', 'd'].map((key) => ask(queue, key, of))
    await settled()
    expect(beyondOwn.refused).toMatchObject({ code: 'rate_limited' })
    expect(others[2]?.refused).toMatchObject({ code: 'overloaded' })
    await until(() => [...late, ...others].every(({ refused }) => refused !== undefined))
    for (const { refused } of late)
      expect(refused).toMatchObject({ code: 'overloaded', details: { retryAfterMs: 1_000 } })
    first.leave()
    const next = ask(queue, 'b', of)
    await settled()
    expect(next.isIn).toBe(true)
    const impatient = ask(queue, 'c', { ...of, waitMs: 0 })
    await settled()
    expect(impatient.refused).toMatchObject({ code: 'overloaded' })
  })

  test('who needs several slots and gives up lets those behind it in', async () => {
    for (const way of ['leaves', 'waits too long']) {
      const queue = open()
      const inside = [1, 2, 3].map(() => ask(queue, 'a', bounds(3)))
      const large = ask(queue, 'a', bounds(3, { waitMs: way === 'leaves' ? 60_000 : 100 }), 3)
      const small = [1, 2].map(() => ask(queue, 'a', bounds(3)))
      for (const one of inside.slice(1)) one.leave()
      await settled()
      expect([large, ...small].map(({ isIn }) => isIn)).toEqual([false, false, false])
      if (way === 'leaves') large.leave()
      else await until(() => large.refused !== undefined)
      await settled()
      expect(small.map(({ isIn }) => isIn)).toEqual([true, true])
    }
  })

  test('who leaves while it waits is let in no more', async () => {
    const queue = open()
    const [first, second, third] = ['a', 'b', 'c'].map((key) => ask(queue, key, bounds(1)))
    second?.leave()
    await settled()
    expect(second?.refused).toMatchObject({ code: 'cancelled' })
    first?.leave()
    await settled()
    expect([second?.isIn, third?.isIn]).toEqual([false, true])
  })
})

test('those of a process that is gone have left', async () => {
  const queue = createSlotQueue()
  const [dying, other] = [linked(), linked()]
  for (const { far } of [dying, other]) serveSlotQueues(() => queue, far)
  const [of, left] = [
    createRemoteSlotQueue(dying.near, 'requests'),
    createRemoteSlotQueue(other.near, 'requests'),
  ]
  const gone = [1, 2].map(() => ask(of, 'a', bounds(1)))
  const next = ask(left, 'b', bounds(1))
  await settled()
  expect([gone[0]?.isIn, next.isIn]).toEqual([true, false])
  dying.end()
  await settled()
  expect(next.isIn).toBe(true)
})

test('a larger bound lets those in who wait', () => {
  const queue = createSlotQueue()
  const tickets = [1, 2, 3].map(() => queue.enter('a', bounds(1)))
  let isIn = false
  void tickets[1]?.entered?.then(() => (isIn = true))
  expect(queue.enter('b', bounds(4)).entered).toBeUndefined()
  return until(() => isIn)
})

test('whatever comes and goes, slots are neither lost nor given twice, and none stays free in vain', async () => {
  const step = fc.oneof(
    fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.constantFrom(1, 1, 1, 2, 3)),
    fc.nat(30),
  )
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 60 }),
      fc.integer({ min: 1, max: 12 }),
      async (steps, inside) => {
        const queue = createSlotQueue()
        const own = inside - Math.floor(inside / 10)
        const open: ReturnType<typeof ask>[] = []
        for (const one of steps) {
          if (typeof one === 'object') {
            const [key, count] = one
            open.push(ask(queue, key, bounds(inside), Math.min(count, own)))
          } else open.splice(one % Math.max(1, open.length), 1)[0]?.leave()
          await settled()
          const inNow = open.filter(({ isIn }) => isIn)
          const held = inNow.reduce((sum, { count }) => sum + count, 0)
          expect(held).toBeLessThanOrEqual(inside)
          for (const key of new Set(open.map((each) => each.key))) {
            const sum = inNow.reduce((all, each) => all + (each.key === key ? each.count : 0), 0)
            expect(sum).toBeLessThanOrEqual(own)
            // The first of a key that waits does not fit; those behind it wait for it.
            const next = open.find((each) => each.key === key && !each.isIn)
            if (next) expect(held + next.count > inside || sum + next.count > own).toBe(true)
          }
        }
      },
    ),
    { numRuns: 60 },
  )
})
