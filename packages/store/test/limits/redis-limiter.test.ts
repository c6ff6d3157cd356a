import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { createClient } from '@redis/client'
import { afterAll, describe, expect, test } from 'vitest'
import { leaveOut } from '../../../../test/support/leave-out.ts'
import { noRedis, openTestRedis } from '../../../../test/support/servers/redis-server.ts'
import { until } from '../../../../test/support/start.ts'
import '../../../../test/support/property-limits.ts'
import { openRedisLimiter, type RedisLimiterOptions } from '../../src/limits/redis-limiter.ts'
import { describeLimiter } from '../contract/limiter.ts'
import { leaseMs, money, place, requests, startDate, tokens } from '../contract/limiter-claims.ts'

const redis = await openTestRedis()
afterAll(() => redis?.[Symbol.asyncDispose]())
const url = redis?.url ?? ''

test('Redis is available', (context) => {
  if (!redis) leaveOut(context, noRedis)
})

async function openUnderTest(options: Partial<RedisLimiterOptions> = {}) {
  const prefix = `{sluice-test-${randomUUID()}}:`
  const limiter = await openRedisLimiter({ url, prefix, timeoutMs: 5_000, ...options })
  return {
    limiter,
    prefix,
    async [Symbol.asyncDispose]() {
      await limiter[Symbol.asyncDispose]()
      const client = await createClient({ url }).connect()
      const keys = await client.keys(`${prefix}*`)
      if (keys.length > 0) await client.del(keys)
      await client.close()
    },
  }
}

/** A way to Redis that can be cut. */
async function openWay() {
  const sockets = new Set<Socket>()
  let isOpen = true
  let isMute = false
  const server = createServer((socket) => {
    if (!isOpen) return socket.destroy()
    const onward = connect(Number(new URL(url).port), '127.0.0.1')
    for (const one of [socket, onward]) {
      sockets.add(one)
      one.on('error', () => one.destroy())
      one.on('close', () => {
        sockets.delete(one)
        socket.destroy()
        onward.destroy()
      })
    }
    socket.pipe(onward)
    onward.on('data', (reply: Buffer) => {
      if (!isMute) socket.write(reply)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut() {
      isOpen = false
      for (const socket of sockets) socket.destroy()
    },
    /** Nothing more passes on the connections that there are, which nobody closes. */
    freeze() {
      for (const socket of sockets) socket.unpipe().pause()
    },
    /** Redis hears everything, and nobody hears Redis. */
    mute() {
      isMute = true
    },
    mend() {
      isOpen = true
      isMute = false
    },
    [Symbol.dispose]: () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

describe.runIf(redis)('with Redis', () => {
  describeLimiter(
    'in Redis',
    async () => {
      let time = 0
      const opened = await openUnderTest({ now: () => startDate + time })
      return {
        limiter: opened.limiter,
        advance(ms) {
          time += ms
        },
        remove: () => opened[Symbol.asyncDispose](),
      }
    },
    10,
  )

  test('grants concurrent claims of several processes exactly once', async () => {
    await using first = await openUnderTest()
    const { prefix } = first
    await using second = await openUnderTest({ prefix })
    const claims = [tokens('key', 1_000, 10), money('key', 'month', { limit: 500, amount: 5 })]
    const asked = [first, second].flatMap(({ limiter }) =>
      Array.from({ length: 150 }, async () => limiter.reserve(claims, leaseMs)),
    )
    const decisions = await Promise.all(asked)
    expect(decisions.filter(({ granted }) => granted)).toHaveLength(100)
  })

  test('another process settles the reservations of a killed one, once', async () => {
    await using killed = await openUnderTest()
    await using other = await openUnderTest({ prefix: killed.prefix })
    const claim = (amount: number) => money('key', 'lifetime', { limit: 1_000, amount })
    const left = async () => (await other.limiter.look([claim(0)]))[0]?.remaining
    const made = await killed.limiter.reserve([claim(500), requests('key', 9)], leaseMs)
    const settled = await killed.limiter.reserve([claim(200)], leaseMs)
    if (!made.granted || !settled.granted) return expect.unreachable()
    await killed.limiter.settle(settled, { nanoUsd: 50 })
    expect(await left()).toBe(450)
    for (const nanoUsd of [120, 130]) {
      await other.limiter.settleOrphaned?.(made.id, [{ claim: claim(500), nanoUsd }])
      await other.limiter.settleOrphaned?.(settled.id, [{ claim: claim(200), nanoUsd }])
      await other.limiter.settleOrphaned?.('unknown', [{ claim: claim(5), nanoUsd }])
      expect(await left()).toBe(830)
    }
  })

  test('shares a budget with versions that count in microdollars', async () => {
    await using opened = await openUnderTest()
    const { limiter, prefix } = opened
    const client = await createClient({ url }).connect()
    const name = `${prefix}budget:lifetime:key`
    // So such a program reserves, and settles with another amount.
    const spend = (microUsd: number) => client.hIncrBy(name, '0', microUsd)
    const claim = (amount: number) => money('key', 'lifetime', { limit: 10_000, amount })
    const left = async () => (await limiter.look([claim(0)]))[0]?.remaining
    try {
      await spend(3)
      expect(await left()).toBe(7_000)
      const made = [240, 240, 240, 240, 240].map(async (nano) => {
        const decision = await limiter.reserve([claim(nano)], leaseMs)
        return decision.granted ? decision : expect.unreachable()
      })
      const [first] = await Promise.all(made)
      expect(await left()).toBe(5_800)
      // What it sees of them: whole millionths, rounded down.
      expect(await client.hGetAll(name)).toEqual({ '0': '4' })
      await spend(5)
      await spend(-1)
      expect(await left()).toBe(1_800)
      expect(await limiter.reserve([claim(1_801)], leaseMs)).toMatchObject({ granted: false })
      if (first) await limiter.settle(first, { nanoUsd: 1 })
      expect(await left()).toBe(2_039)
      expect(await client.hGetAll(name)).toEqual({ '0': '7' })
      expect(await client.hGetAll(`${prefix}budget-nano:lifetime:key`)).toEqual({ '0': '961' })
    } finally {
      await client.close()
    }
  })

  test('reads an unknown budget once for concurrent requests', async () => {
    let read = 0
    await using opened = await openUnderTest({
      recall: async () => {
        read += 1
        await pause(50)
        return [{ at: Date.now(), nanoUsd: 95 }]
      },
    })
    const claim = money('key', 'lifetime', { limit: 100, amount: 1 })
    const asked = Array.from({ length: 50 }, async () => opened.limiter.reserve([claim], leaseMs))
    const decisions = await Promise.all(asked)
    expect(decisions.filter(({ granted }) => granted)).toHaveLength(5)
    expect(read).toBe(1)
  })

  test('refuses with 503 without Redis, and settles open reservations when it is back', async () => {
    using way = await openWay()
    const told: boolean[] = []
    await using opened = await openUnderTest({ url: way.url, changed: (isUp) => told.push(isUp) })
    const { limiter } = opened
    const claims = [money('key', 'day', { limit: 100, amount: 60 }), place('key', 1)]
    const reservation = await limiter.reserve(claims, leaseMs)
    if (!reservation.granted) throw new Error('It was refused')
    way.cut()
    await expect(limiter.reserve(claims, leaseMs)).rejects.toMatchObject({ code: 'overloaded' })
    let isSettled = false
    const settling = Promise.resolve(limiter.settle(reservation, { nanoUsd: 20 })).then(() => {
      isSettled = true
    })
    await pause(100)
    expect(isSettled).toBe(false)
    way.mend()
    await until(() => told.at(-1) === true, 10_000)
    await settling
    expect((await limiter.look(claims)).map(({ remaining }) => remaining)).toEqual([80, 1])
    expect(told).toEqual([true, false, true])
  })

  test('replaces a lost connection', async () => {
    using way = await openWay()
    const told: boolean[] = []
    const changed = (isUp: boolean) => told.push(isUp)
    await using opened = await openUnderTest({ url: way.url, timeoutMs: 250, changed })
    const claims = [requests('key', 100)]
    way.freeze()
    await expect(opened.limiter.look(claims)).rejects.toMatchObject({ code: 'overloaded' })
    await expect(opened.limiter.reserve(claims, leaseMs)).rejects.toMatchObject({
      code: 'overloaded',
    })
    await until(() => told.at(-1) === true, 10_000)
    expect(await opened.limiter.reserve(claims, leaseMs)).toMatchObject({ granted: true })
    expect(told).toEqual([true, false, true])
  })

  test('does not time out an answer that came while the process was busy', async () => {
    const told: boolean[] = []
    const changed = (isUp: boolean) => told.push(isUp)
    await using opened = await openUnderTest({ timeoutMs: 50, changed })
    for (let round = 0; round < 5; round++) {
      const looked = opened.limiter.look([requests('key', 100)])
      await new Promise(setImmediate)
      const until = performance.now() + 200
      while (performance.now() < until);
      expect(await looked).toHaveLength(1)
    }
    expect(told).toEqual([true])
  })

  test('returns what Redis granted to a call that never got the answer', async () => {
    using way = await openWay()
    const told: boolean[] = []
    await using opened = await openUnderTest({
      url: way.url,
      timeoutMs: 300,
      changed: (isUp) => told.push(isUp),
    })
    const { limiter } = opened
    const claims = [money('key', 'day', { limit: 100, amount: 60 }), place('key', 1)]
    await limiter.look(claims)
    way.mute()
    await expect(limiter.reserve(claims, leaseMs)).rejects.toMatchObject({ code: 'overloaded' })
    way.cut()
    way.mend()
    await until(() => told.at(-1) === true, 10_000)
    expect((await limiter.look(claims)).map(({ remaining }) => remaining)).toEqual([100, 1])
  })

  test('each process grants its share without Redis, which counts when Redis is back', async () => {
    using way = await openWay()
    const told: boolean[] = []
    await using opened = await openUnderTest({
      url: way.url,
      whenDown: { processes: 2 },
      changed: (isUp) => told.push(isUp),
    })
    const { limiter } = opened
    const claims = [requests('key', 10), money('key', 'day', { limit: 100, amount: 10 })]
    await limiter.reserve(claims, leaseMs)
    way.cut()
    let granted = 0
    for (;;) {
      const decision = await limiter.reserve(claims, leaseMs)
      if (!decision.granted) break
      granted += 1
      await limiter.settle(decision, { nanoUsd: 5 })
    }
    expect(granted).toBe(5)
    way.mend()
    await until(() => told.at(-1) === true, 10_000)
    const [rate, budget] = await limiter.look(claims)
    expect(rate?.remaining).toBeLessThanOrEqual(5)
    expect(budget?.remaining).toBe(100 - 10 - 25)
  })

  test('counts all calls that ended without Redis when it is back', async () => {
    using way = await openWay()
    const told: boolean[] = []
    await using opened = await openUnderTest({
      url: way.url,
      whenDown: { processes: 1 },
      changed: (isUp) => told.push(isUp),
    })
    const { limiter } = opened
    const [limit, calls] = [1_000_000, 120_000]
    const claims = [
      money('key', 'day', { limit, amount: 3 }),
      money('team', 'lifetime', { limit, amount: 3 }),
    ]
    await limiter.look(claims)
    const first = await limiter.reserve(claims, leaseMs)
    way.cut()
    await until(() => told.at(-1) === false, 10_000)
    for (let call = 0; call < calls; call += 1) {
      const decision = await limiter.reserve(claims, leaseMs)
      if (!decision.granted) throw new Error('It was refused')
      await limiter.settle(decision, { nanoUsd: [1, 2] })
    }
    if (!first.granted) throw new Error('It was refused')
    const settling = limiter.settle(first, { nanoUsd: 5 })
    way.mend()
    await until(() => told.at(-1) === true, 10_000)
    await settling
    expect((await limiter.look(claims)).map(({ remaining }) => remaining)).toEqual([
      limit - calls - 5,
      limit - 2 * calls - 5,
    ])
  })

  test('grants no more of a budget than was left, however often Redis is lost', async () => {
    using way = await openWay()
    const told: boolean[] = []
    await using opened = await openUnderTest({
      url: way.url,
      whenDown: { processes: 2 },
      changed: (isUp) => told.push(isUp),
    })
    const { limiter } = opened
    const claim = money('key', 'day', { limit: 100, amount: 10 })
    await limiter.reserve([claim], leaseMs)
    for (const expected of [4, 0]) {
      way.cut()
      await until(() => told.at(-1) === false, 10_000)
      let granted = 0
      while ((await limiter.reserve([claim], leaseMs)).granted) granted += 1
      expect(granted).toBe(expected)
      way.mend()
      await until(() => told.at(-1) === true, 10_000)
    }
  })
})
