import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import '../../../../test/support/property-limits.ts'
import { linked } from '../../../../test/support/linked.ts'
import { until } from '../../../../test/support/start.ts'
import type { Entrance, EntranceBounds, Ticket } from '../../src/ports/entrance.ts'
import { createEntrance } from '../../src/storage/entrance-memory.ts'
import { createRemoteEntrance, serveEntrances } from '../../src/storage/entrance-remote.ts'

const bounds = (inside: number, change: Partial<EntranceBounds> = {}): EntranceBounds => ({
  inside,
  waiting: 1_000,
  waitMs: 60_000,
  ...change,
})

/** Asks for a place, and notes when it is had and why not. */
function ask(entrance: Entrance, key: string, of: EntranceBounds) {
  const asked = { key, isIn: false, refused: undefined as unknown, leave: () => {} }
  let ticket: Ticket
  try {
    ticket = entrance.enter(key, of)
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
  ['of this process', () => createEntrance()],
  [
    'of another process',
    () => {
      const { near, far } = linked()
      const entrance = createEntrance()
      serveEntrances(() => entrance, far)
      return createRemoteEntrance(near, 'requests')
    },
  ],
])('the entrance %s', (_name, open) => {
  test('so many are in; the next one comes in when one leaves, once however often that is said', async () => {
    const entrance = open()
    const asked = ['a', 'a', 'b', 'b'].map((key) => ask(entrance, key, bounds(2)))
    await settled()
    expect(asked.map(({ isIn }) => isIn)).toEqual([true, true, false, false])
    asked[0]?.leave()
    asked[0]?.leave()
    await settled()
    expect(asked.map(({ isIn }) => isIn)).toEqual([false, true, true, false])
  })

  test('keys take turns, however many one of them has sent', async () => {
    const entrance = open()
    const many = Array.from({ length: 500 }, () => ask(entrance, 'many', bounds(1)))
    const few = [1, 2].map(() => ask(entrance, 'few', bounds(1)))
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

  test('a tenth of the places is for others, from ten places on', async () => {
    for (const [inside, most] of [
      [1, 1],
      [9, 9],
      [10, 9],
      [25, 23],
    ] as const) {
      const entrance = open()
      const own = Array.from({ length: 30 }, () => ask(entrance, 'a', bounds(inside)))
      const other = Array.from({ length: 3 }, () => ask(entrance, 'b', bounds(inside)))
      await settled()
      expect(own.filter(({ isIn }) => isIn)).toHaveLength(most)
      expect(other.filter(({ isIn }) => isIn)).toHaveLength(Math.min(3, inside - most))
    }
  })

  test('who waits too long, or where too many wait, is refused', async () => {
    const entrance = open()
    const of = bounds(1, { waiting: 4, waitMs: 20 })
    const first = ask(entrance, 'a', of)
    const late = [1, 2].map(() => ask(entrance, 'a', of))
    const beyondOwn = ask(entrance, 'a', of)
    const others = ['b', 'c', 'd'].map((key) => ask(entrance, key, of))
    await settled()
    expect(beyondOwn.refused).toMatchObject({ code: 'rate_limited' })
    expect(others[2]?.refused).toMatchObject({ code: 'overloaded' })
    await until(() => [...late, ...others].every(({ refused }) => refused !== undefined))
    for (const { refused } of late)
      expect(refused).toMatchObject({ code: 'overloaded', details: { retryAfterMs: 1_000 } })
    first.leave()
    const next = ask(entrance, 'b', of)
    await settled()
    expect(next.isIn).toBe(true)
    const impatient = ask(entrance, 'c', { ...of, waitMs: 0 })
    await settled()
    expect(impatient.refused).toMatchObject({ code: 'overloaded' })
  })

  test('who leaves while it waits is let in no more', async () => {
    const entrance = open()
    const [first, second, third] = ['a', 'b', 'c'].map((key) => ask(entrance, key, bounds(1)))
    second?.leave()
    await settled()
    expect(second?.refused).toMatchObject({ code: 'cancelled' })
    first?.leave()
    await settled()
    expect([second?.isIn, third?.isIn]).toEqual([false, true])
  })
})

test('those of a process that is gone have left', async () => {
  const entrance = createEntrance()
  const [dying, other] = [linked(), linked()]
  for (const { far } of [dying, other]) serveEntrances(() => entrance, far)
  const [of, left] = [
    createRemoteEntrance(dying.near, 'requests'),
    createRemoteEntrance(other.near, 'requests'),
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
  const entrance = createEntrance()
  const tickets = [1, 2, 3].map(() => entrance.enter('a', bounds(1)))
  let isIn = false
  void tickets[1]?.entered?.then(() => (isIn = true))
  expect(entrance.enter('b', bounds(4)).entered).toBeUndefined()
  return until(() => isIn)
})

test('whatever comes and goes, places are neither lost nor given twice, and none stays free in vain', async () => {
  const step = fc.oneof(fc.constantFrom('a', 'b', 'c'), fc.nat(30))
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 60 }),
      fc.integer({ min: 1, max: 12 }),
      async (steps, inside) => {
        const entrance = createEntrance()
        const own = inside - Math.floor(inside / 10)
        const open: ReturnType<typeof ask>[] = []
        for (const one of steps) {
          if (typeof one === 'string') open.push(ask(entrance, one, bounds(inside)))
          else open.splice(one % Math.max(1, open.length), 1)[0]?.leave()
          await settled()
          const inNow = open.filter(({ isIn }) => isIn)
          const heldBy = (key: string) => inNow.filter((other) => other.key === key).length
          expect(inNow.length).toBeLessThanOrEqual(inside)
          for (const { key, isIn } of open) {
            expect(heldBy(key)).toBeLessThanOrEqual(own)
            if (!isIn) expect(inNow.length === inside || heldBy(key) === own).toBe(true)
          }
        }
      },
    ),
    { numRuns: 60 },
  )
})
