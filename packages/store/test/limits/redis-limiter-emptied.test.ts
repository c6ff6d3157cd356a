// A Redis that has lost its data, and settlements that are sent again.
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { createClient } from '@redis/client'
import { afterAll, describe, expect, test } from 'vitest'
import { leaveOut } from '../../../../test/support/leave-out.ts'
import { noRedis, openTestRedis } from '../../../../test/support/servers/redis-server.ts'
import { openWay } from '../../../../test/support/servers/cuttable-proxy.ts'
import { until } from '../../../../test/support/start.ts'
import { openRedisLimiter, type RedisLimiterOptions } from '../../src/limits/redis-limiter.ts'
import { leaseMs, money, place, requests, startDate } from '../contract/limiter-claims.ts'

const redis = await openTestRedis()
afterAll(() => redis?.[Symbol.asyncDispose]())
const url = redis?.url ?? ''

test('Redis is available', (context) => {
  if (!redis) leaveOut(context, noRedis)
})

/** Keys of its own in Redis, and what is done to them past the limiters. */
async function stage() {
  const prefix = `{sluice-test-${randomUUID()}}:`
  const client = await createClient({ url }).connect()
  const opened = new AsyncDisposableStack()
  const empty = async (pattern = '*') => {
    const keys = await client.keys(`${prefix}${pattern}`)
    if (keys.length > 0) await client.del(keys)
  }
  return {
    client,
    prefix,
    empty,
    async open(options: Partial<RedisLimiterOptions> = {}) {
      const told: boolean[] = []
      const limiter = opened.use(
        await openRedisLimiter({
          url,
          prefix,
          timeoutMs: 5_000,
          changed: (isUp) => told.push(isUp),
          ...options,
        }),
      )
      return { limiter, told, isBack: () => until(() => told.at(-1) === true, 10_000) }
    },
    async [Symbol.asyncDispose]() {
      await opened.disposeAsync()
      await empty()
      await client.close()
    },
  }
}

/** A way to Redis on which, after each mend, the first command with this word is carried out and its answer lost. */
async function openDeafWay(word: string) {
  const sockets = new Set<Socket>()
  let isOpen = true
  let isArmed = false
  let unanswered = 0
  const server = createServer((near) => {
    if (!isOpen) return near.destroy()
    const far = connect(Number(new URL(url).port), '127.0.0.1')
    let isDeaf = false
    for (const one of [near, far]) {
      sockets.add(one)
      one.on('error', () => one.destroy())
      one.on('close', () => {
        sockets.delete(one)
        near.destroy()
        far.destroy()
      })
    }
    near.on('data', (asked: Buffer) => {
      if (isArmed && asked.includes(word)) {
        isArmed = false
        isDeaf = true
        unanswered += 1
      }
      far.write(asked)
    })
    far.on('data', (reply: Buffer) => {
      if (isDeaf) near.destroy()
      else near.write(reply)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut() {
      isOpen = false
      for (const socket of sockets) socket.destroy()
    },
    mend() {
      isOpen = true
      isArmed = true
    },
    unanswered: () => unanswered,
    [Symbol.dispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

const claim = (amount: number) => money('key', 'lifetime', { limit: 1_000, amount })

describe.runIf(redis)('with Redis', () => {
  test('reserves open reservations again and settles them with their usage', async () => {
    await using staged = await stage()
    const { limiter, told, isBack } = await staged.open({ recall: () => [] })
    const reservation = await limiter.reserve([claim(600), place('key', 1)], leaseMs)
    if (!reservation.granted) return expect.unreachable()
    await staged.empty()
    await until(() => told.length > 1, 10_000)
    await isBack()
    const left = async () =>
      (await limiter.look([claim(0), place('key', 1)])).map(({ remaining }) => remaining)
    expect(await left()).toEqual([400, 0])
    expect(await limiter.reserve([claim(401)], leaseMs)).toMatchObject({ granted: false })
    await limiter.settle(reservation, { nanoUsd: 50 })
    expect(await left()).toEqual([950, 1])
  })

  test('admits nothing before all processes have counted, or until the time is over', async () => {
    await using staged = await stage()
    const counted = Promise.withResolvers<void>()
    const present = ['one', 'two']
    const missed: string[] = []
    const countingOf = (name: string, count = async () => {}) => ({
      counting: {
        name,
        count,
        present: async () => present,
        missed: async (names: readonly string[]) => void missed.push(...names),
      },
    })
    const one = await staged.open(countingOf('one'))
    const two = await staged.open(countingOf('two', () => counted.promise))
    expect(one.told).toEqual([false])
    await expect(one.limiter.reserve([claim(1)], leaseMs)).rejects.toThrow('cannot be checked')
    counted.resolve()
    for (const { isBack } of [one, two]) await isBack()
    expect(await one.limiter.reserve([claim(1)], leaseMs)).toMatchObject({ granted: true })
    expect(missed).toEqual([])
    // Again, and a third one never counts.
    present.push('gone')
    await staged.empty()
    await until(() => one.told.at(-1) === false, 10_000)
    await expect(one.limiter.look([claim(1)])).rejects.toThrow('cannot be checked')
    const late = await staged.open({ ...countingOf('one'), countingMs: 500 })
    await late.isBack()
    expect(missed).toEqual(['gone'])
    for (const { isBack } of [one, two]) await isBack()
  })

  test.each(['refuse', { processes: 1 }] as const)(
    'does not charge again what ended before the loss was noticed (%s)',
    async (whenDown) => {
      await using staged = await stage()
      let spent = 0
      const { limiter, isBack, told } = await staged.open({
        whenDown,
        recall: () => [{ at: startDate, nanoUsd: spent }],
        now: () => startDate,
      })
      const reservation = await limiter.reserve([claim(100)], leaseMs)
      if (!reservation.granted) return expect.unreachable()
      await staged.empty()
      spent = 70
      const settled = limiter.settle(reservation, { nanoUsd: 70 })
      await until(() => told.includes(false), 10_000)
      await isBack()
      await settled
      expect(await limiter.look([claim(0)])).toMatchObject([{ remaining: 930 }])
    },
  )

  test('counts a repeated charge once', async () => {
    await using staged = await stage()
    using way = await openDeafWay('charge')
    const { limiter, told, isBack } = await staged.open({
      url: way.url,
      whenDown: { processes: 1 },
    })
    const look = (await staged.open()).limiter
    await limiter.reserve([claim(100)], leaseMs)
    for (let turn = 1; turn <= 2; turn += 1) {
      way.cut()
      await until(() => told.at(-1) === false, 10_000)
      const granted = await limiter.reserve([claim(50)], leaseMs)
      if (!granted.granted) return expect.unreachable()
      await limiter.settle(granted, { nanoUsd: 30 })
      way.mend()
      await isBack()
      expect(way.unanswered()).toBe(turn)
      expect(await look.look([claim(0)])).toMatchObject([{ remaining: 900 - 30 * turn }])
    }
  })

  test('sends a settlement that waited for Redis once, however often Redis is lost later', async () => {
    await using staged = await stage()
    await using way = await openWay(new URL(url))
    const { limiter, told, isBack } = await staged.open({ url: way.url })
    const look = (await staged.open()).limiter
    const reservation = await limiter.reserve([claim(100)], leaseMs)
    if (!reservation.granted) return expect.unreachable()
    way.cut()
    await until(() => told.at(-1) === false, 10_000)
    const settled = limiter.settle(reservation, { nanoUsd: 30 })
    way.mend()
    await isBack()
    await settled
    for (let turn = 0; turn < 2; turn += 1) {
      expect(await look.look([claim(0)])).toMatchObject([{ remaining: 970 }])
      // As a minute later, when it is not known any more that it was settled.
      await staged.empty('call:*')
      const before = told.length
      way.cut()
      await until(() => told.length > before, 10_000)
      way.mend()
      await isBack()
    }
    expect(await look.look([claim(0)])).toMatchObject([{ remaining: 970 }])
  })

  test('a refusal says whether open reservations could make room', async () => {
    await using staged = await stage()
    const { limiter } = await staged.open()
    const made = await limiter.reserve([claim(600)], leaseMs)
    if (!made.granted) return expect.unreachable()
    expect(await limiter.reserve([claim(600)], leaseMs)).toMatchObject({ mayReturn: true })
    expect(await limiter.reserve([claim(1_001)], leaseMs)).toMatchObject({ mayReturn: false })
    const mixed = [claim(600), { ...requests('key', 1), amount: 2 }]
    expect(await limiter.reserve(mixed, leaseMs)).toMatchObject({ mayReturn: false })
    await limiter.settle(made, { nanoUsd: 500 })
    expect(await limiter.reserve([claim(600)], leaseMs)).toMatchObject({ mayReturn: false })
    expect(await limiter.reserve([claim(500)], leaseMs)).toMatchObject({ granted: true })
  })
})
