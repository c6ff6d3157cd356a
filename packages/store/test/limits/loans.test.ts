import assert from 'node:assert/strict'
import { setImmediate as turn } from 'node:timers/promises'
import fc from 'fast-check'
import { afterEach, expect, test, vi } from 'vitest'
import '../../../../test/support/property-limits.ts'
import { linked } from '../../../../test/support/servers/linked-processes.ts'
import type { Claim, Limiter, Reservation } from '../../../gateway/src/ports/limiter.ts'
import { createLimiterServer, createRemoteLimiter } from '../../src/limits/remote-limiter.ts'
import { leaseMs, money, place, requests, startDate } from '../contract/limiter-claims.ts'

afterEach(() => vi.useRealTimers())

const minuteMs = 60_000
/** How often processes tell what they have used. */
const tellMs = 50

/** A process that holds the limits, and so many that borrow from it; `asked` counts the messages of all of them. */
function openProcesses(count: number) {
  let time = 0
  const clocks = { now: () => time, date: () => startDate + time }
  const server = createLimiterServer(clocks)
  const seen = { messages: 0 }
  const join = () => {
    const { near, far, end } = linked((batch) => (seen.messages += batch.length))
    server.serve(far)
    const hang = () => {
      near.receive = () => {}
    }
    return { limiter: createRemoteLimiter(near, clocks), end, hang, far }
  }
  return {
    seen,
    processes: Array.from({ length: count }, join),
    join,
    advance: (ms: number): void => {
      time += ms
    },
  }
}

/** Lets messages arrive that are under way. */
async function settled(): Promise<void> {
  for (let turns = 0; turns < 4; turns += 1) await turn()
}

/** Asks until calls are granted here. Returns the reservation that was. */
async function borrow(limiter: Limiter, claims: readonly Claim[]): Promise<Reservation> {
  for (;;) {
    const decision = limiter.reserve(claims, leaseMs)
    if (!(decision instanceof Promise) && decision.granted) return decision
    expect(await decision).toMatchObject({ granted: true })
    await settled()
  }
}

async function isGranted(limiter: Limiter, claims: readonly Claim[]): Promise<boolean> {
  return (await limiter.reserve(claims, leaseMs)).granted
}

test('lends room to processes that ask often, which then ask no more', async () => {
  const { processes, seen } = openProcesses(2)
  const claims = [requests('key', 1e9), money('key', 'day', { limit: 1e9, amount: 10 })]
  const [first] = processes
  assert(first)
  await borrow(first.limiter, claims)
  const { messages } = seen
  for (let n = 0; n < 3; n += 1) {
    const decision = first.limiter.reserve(claims, leaseMs)
    assert(!(decision instanceof Promise) && decision.granted)
    await first.limiter.settle(decision, { nanoUsd: 3 })
  }
  expect(seen.messages).toBe(messages)
})

test('lends nothing where there is room for few', async () => {
  const { processes } = openProcesses(2)
  const claims = [place('key', 70), money('key', 'day', { limit: 1e9, amount: 10 })]
  const [first] = processes
  assert(first)
  for (let n = 0; n < 20; n += 1)
    expect(first.limiter.reserve(claims, leaseMs)).toBeInstanceOf(Promise)
})

test.each([
  ['requests', [requests('key', 5_000), money('team', 'month', { limit: 60_000, amount: 10 })]],
  ['money', [requests('key', 9_000), money('team', 'month', { limit: 50_000, amount: 10 })]],
  ['places', [place('key', 5_000), money('team', 5, { limit: 60_000, amount: 10 })]],
])(
  'processes that ask at once are granted exactly the %s that there are',
  async (_unit, claims) => {
    const { processes, seen } = openProcesses(3)
    let granted = 0
    await Promise.all(
      processes.map(async ({ limiter }) => {
        for (let n = 0; n < 4_000; n += 1) if (await isGranted(limiter, claims)) granted += 1
      }),
    )
    expect(granted).toBe(5_000)
    // A question and an answer for each refusal.
    expect(seen.messages - 2 * 7_000).toBeLessThan(2_000)
  },
)

test('what is used of a loan of a full bucket refills from then on', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const { processes, advance } = openProcesses(1)
  const [one] = processes
  assert(one)
  const rate = requests('key', 6_000)
  await borrow(one.limiter, [rate])
  vi.advanceTimersByTime(tellMs)
  await settled()
  advance(2 * minuteMs)
  await borrow(one.limiter, [rate])
  vi.advanceTimersByTime(tellMs)
  await settled()
  let granted = 1
  while (await isGranted(one.limiter, [rate])) granted += 1
  expect(granted).toBe(6_000)
  advance(10)
  expect(await isGranted(one.limiter, [rate])).toBe(true)
  expect(await isGranted(one.limiter, [rate])).toBe(false)
})

test('what settles after midnight is no room of the next day', async () => {
  const { processes, advance } = openProcesses(1)
  const [one] = processes
  assert(one)
  const budget = money('key', 'day', { limit: 100_000, amount: 100 })
  const borrowed = await borrow(one.limiter, [budget])
  advance(12 * 3_600_000)
  await one.limiter.settle(borrowed, { nanoUsd: 0 })
  let granted = 0
  while (await isGranted(one.limiter, [budget])) granted += 1
  expect(granted).toBe(1_000)
})

test('what a process has borrowed counts as used when it ends, and slots are free', async () => {
  const { processes } = openProcesses(2)
  const [dying, other] = processes
  assert(dying && other)
  const budget = money('key', 'lifetime', { limit: 100_000, amount: 10 })
  const claims = [place('key', 1_000), budget]
  for (let n = 0; n < 100; n += 1) expect(await isGranted(dying.limiter, claims)).toBe(true)
  dying.end()
  const [places, left] = await other.limiter.look(claims)
  expect(places).toMatchObject({ remaining: 1_000 })
  expect(left?.remaining).toBeLessThanOrEqual(99_000)
  expect(left?.remaining).toBeGreaterThanOrEqual(100_000 - 100_000 / 20 - 1_000)
  await expect(dying.limiter.reserve(claims, leaseMs)).rejects.toMatchObject({ code: 'overloaded' })
})

test('what arrives from a process after its end gives nothing back', async () => {
  const { processes } = openProcesses(2)
  const [dying, other] = processes
  assert(dying && other)
  const budget = money('key', 'lifetime', { limit: 10_000, amount: 10 })
  await borrow(dying.limiter, [budget])
  dying.end()
  const use = { claim: { ...budget, amount: 0 }, shrinks: 5_000 }
  dying.far.receive([{ tell: 'limiter.used', body: { uses: [use], wishes: [] } }])
  let granted = 0
  while (await isGranted(other.limiter, [budget])) granted += 1
  expect(granted).toBeLessThan(1_000)
})

test('a process that does not give back keeps its loan and is waited for once', async () => {
  const { processes } = openProcesses(2)
  const [hanging, other] = processes
  assert(hanging && other)
  const budget = money('key', 'lifetime', { limit: 10_000, amount: 10 })
  await borrow(hanging.limiter, [budget])
  hanging.hang()
  let granted = 0
  while (await isGranted(other.limiter, [budget])) granted += 1
  expect(granted).toBeGreaterThan(900)
  expect(granted).toBeLessThan(1_000)
  const from = performance.now()
  for (let n = 0; n < 20; n += 1) expect(await isGranted(other.limiter, [budget])).toBe(false)
  expect(performance.now() - from).toBeLessThan(20 * 50)
})

test('another limit of the same bucket holds at once', async () => {
  const { processes } = openProcesses(2)
  const [first] = processes
  assert(first)
  for (let n = 0; n < 30; n += 1) await first.limiter.reserve([place('key', 1_000)], leaseMs)
  expect(await isGranted(first.limiter, [place('key', 30)])).toBe(false)
  expect(await isGranted(first.limiter, [place('key', 31)])).toBe(true)
})

interface Limits {
  readonly money: number
  readonly places: number
  readonly requests: number
}

const limits = fc.record({
  money: fc.integer({ min: 5_000, max: 60_000 }),
  places: fc.integer({ min: 150, max: 1_000 }),
  requests: fc.integer({ min: 200, max: 3_000 }),
})

interface Open {
  readonly reservation: Reservation
  readonly process: number
  readonly nanoUsd: number
}

/** A bucket of money, one of slots and one of requests, counted in the plainest way. */
class Counted {
  spent = 0
  held = 0
  kills = 0
  level: number
  readonly limits: Limits

  constructor(limits: Limits) {
    this.limits = limits
    this.level = limits.requests
  }

  pass(ms: number): void {
    const { requests: limit } = this.limits
    this.level = Math.min(limit, this.level + (ms * limit) / minuteMs)
  }

  claims(nanoUsd: number): readonly Claim[] {
    return [
      requests('key', this.limits.requests),
      place('key', this.limits.places),
      money('team', 'lifetime', { limit: this.limits.money, amount: nanoUsd }),
    ]
  }

  /** Besides what may count as used with a process that was killed, and what may refill later than it would. */
  hasRoom(nanoUsd: number): boolean {
    const { money: most, places, requests: rate } = this.limits
    const loans = this.kills / (10 * 3)
    return (
      this.spent + nanoUsd + loans * most <= most &&
      this.held < places &&
      this.level - loans * rate - (tellMs * rate) / minuteMs >= 1
    )
  }
}

type Step =
  | { readonly ask: number; readonly times: number; readonly nanoUsd: number }
  | { readonly settle: number; readonly times: number; readonly part: number }
  | { readonly pass: number }
  | { readonly kill: number }
  | { readonly turn: true }

const steps = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        ask: fc.nat(2),
        times: fc.integer({ min: 1, max: 60 }),
        nanoUsd: fc.integer({ min: 1, max: 40 }),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        settle: fc.nat(10_000),
        times: fc.integer({ min: 1, max: 60 }),
        part: fc.double({ min: 0, max: 1, noNaN: true }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ pass: fc.integer({ min: 1, max: 3_000 }) }) },
    { weight: 1, arbitrary: fc.record({ kill: fc.nat(2) }) },
    { weight: 2, arbitrary: fc.constant({ turn: true } as const) },
  ),
  { minLength: 10, maxLength: 120 },
)

/** How many calls were granted without asking, and how many were refused. */
const counts = { locally: 0, refused: 0 }

test('property: with loans no bound is passed, and nothing is refused while there is room', async () => {
  await fc.assert(
    fc.asyncProperty(steps, limits, async (all: readonly Step[], chosen) => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
      const { processes, advance, join } = openProcesses(3)
      const counted = new Counted(chosen)
      const open: Open[] = []
      const ask = async (process: number, nanoUsd: number) => {
        const limiter = processes[process]?.limiter
        assert(limiter)
        const decided = limiter.reserve(counted.claims(nanoUsd), leaseMs)
        if (!(decided instanceof Promise)) counts.locally += 1
        const decision = await decided
        if (!decision.granted) {
          counts.refused += 1
          assert(!counted.hasRoom(nanoUsd), `refused ${JSON.stringify(decision)}`)
          return
        }
        assert(counted.level > 1 - 0.01, `a rate of ${counted.level}`)
        assert(counted.spent + nanoUsd <= counted.limits.money, 'money beyond the limit')
        assert(counted.held < counted.limits.places, 'a place beyond the limit')
        counted.level -= 1
        counted.held += 1
        counted.spent += nanoUsd
        open.push({ reservation: decision, process, nanoUsd })
      }
      const settle = async (index: number, part: number) => {
        const [one] = open.splice(index % open.length, 1)
        if (!one) return
        const used = Math.floor(one.nanoUsd * part)
        await processes[one.process]?.limiter.settle(one.reservation, { nanoUsd: used })
        counted.held -= 1
        counted.spent -= one.nanoUsd - used
      }
      const kill = (process: number) => {
        processes[process]?.end()
        processes[process] = join()
        const lost = open.filter((one) => one.process === process)
        open.splice(0, open.length, ...open.filter((one) => one.process !== process))
        counted.held -= lost.length
        counted.kills += 1
      }
      for (const step of all) {
        if ('ask' in step)
          for (let n = 0; n < step.times; n += 1) await ask((step.ask + (n >> 4)) % 3, step.nanoUsd)
        else if ('settle' in step) {
          for (let n = 0; n < step.times && open.length > 0; n += 1)
            await settle(step.settle + n, step.part)
          // Another process sees it when the message has arrived.
          await settled()
        } else if ('pass' in step) {
          for (let passed = 0; passed < step.pass; passed += tellMs) {
            advance(tellMs)
            counted.pass(tellMs)
            vi.advanceTimersByTime(tellMs)
            await settled()
          }
        } else if ('kill' in step) kill(step.kill)
        else await settled()
      }
      for (const { end } of processes) end()
    }),
    { numRuns: 40 },
  )
  expect(counts.locally).toBeGreaterThan(500)
  expect(counts.refused).toBeGreaterThan(100)
})
