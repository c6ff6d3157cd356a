import { expect, test } from 'vitest'
import '../../../../test/support/property-limits.ts'
import { linked } from '../../../../test/support/servers/linked-processes.ts'
import {
  createLimiterServer,
  createRemoteLimiter,
  type RemoteLimiterOptions,
} from '../../src/limits/remote-limiter.ts'
import { describeLimiter } from '../contract/limiter.ts'
import {
  granted,
  leaseMs,
  money,
  place,
  refused,
  requests,
  startDate,
  tokens,
} from '../contract/limiter-claims.ts'

/** A process that holds the limits, and those that ask it. */
function openLimits() {
  let time = 0
  const clocks = { now: () => time, date: () => startDate + time }
  const server = createLimiterServer(clocks)
  return {
    advance: (ms: number): void => {
      time += ms
    },
    join: (options?: RemoteLimiterOptions) => {
      const { near, far, end } = linked()
      server.serve(far)
      return { limiter: createRemoteLimiter(near, { ...clocks, ...options }), end }
    },
  }
}

describeLimiter(
  'of another process',
  async () => {
    const { advance, join } = openLimits()
    const { limiter, end } = join()
    return { limiter, advance, remove: async () => end() }
  },
  10,
)

test('grants concurrent claims of several processes exactly once', async () => {
  const { join } = openLimits()
  const processes = [join(), join(), join()]
  const claims = [tokens('key', 1_000, 10), money('key', 'month', { limit: 500, amount: 5 })]
  const asked = processes.flatMap(({ limiter }) =>
    Array.from({ length: 100 }, async () => limiter.reserve(claims, leaseMs)),
  )
  const decisions = await Promise.all(asked)
  expect(decisions.filter((one) => one.granted)).toHaveLength(100)
})

test('frees the slots of a dead process at once and counts its reservations as used', async () => {
  const { join } = openLimits()
  const [dying, other] = [join(), join()]
  const claims = [place('key', 1), money('key', 'day', { limit: 10, amount: 4 })]
  await granted(dying.limiter, ...claims)
  await refused(other.limiter, ...claims)
  dying.end()
  await granted(other.limiter, ...claims)
  expect(await other.limiter.look(claims)).toMatchObject([{ remaining: 0 }, { remaining: 2 }])
  await expect(dying.limiter.reserve([requests('key', 1)], leaseMs)).rejects.toMatchObject({
    code: 'overloaded',
  })
})

test('recalls the spending of a budget once, from the process that reserves', async () => {
  const { join } = openLimits()
  const seen: unknown[] = []
  const recall: RemoteLimiterOptions['recall'] = async (claim) => {
    seen.push(claim)
    return [{ at: startDate, nanoUsd: 7 }]
  }
  const [first, second] = [join({ recall }), join({ recall })]
  const claim = { ...money('team', 'month', { limit: 10, amount: 3 }), holder: 'kept here' }
  await granted(first.limiter, claim)
  await refused(second.limiter, claim)
  expect(seen).toEqual([claim])
})

test('a process that dies during a recall leaves nothing reserved', async () => {
  const { join } = openLimits()
  const asked = Promise.withResolvers<void>()
  const dying = join({
    recall: () => {
      asked.resolve()
      return new Promise<never>(() => {})
    },
  })
  const claims = [place('key', 1), money('key', 'day', { limit: 10, amount: 4 })]
  const reserving = dying.limiter.reserve(claims, leaseMs)
  await asked.promise
  dying.end()
  await expect(reserving).rejects.toMatchObject({ code: 'overloaded' })
  await granted(join().limiter, ...claims)
})
