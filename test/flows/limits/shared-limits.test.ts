// Several gateways with one Redis, and their limits while it is unavailable.
import { afterAll, describe, expect, test } from 'vitest'
import type { ConfigFile } from '../../../packages/sluice/src/config/schema.ts'
import { leaveOut } from '../../support/leave-out.ts'
import { noRedis, openRedisServer } from '../../support/servers/redis-server.ts'
import { type Started, start, until } from '../../support/start.ts'

const redis = await openRedisServer()
afterAll(() => redis?.[Symbol.asyncDispose]())

test('Redis is available', (context) => {
  if (!redis) leaveOut(context, noRedis)
})

const chat = { model: 'builtin-chat', messages: [{ role: 'user', content: 'Hi' }] }
const gone = 'Redis does not answer: limits are not shared'

async function ask(gateway: Started): Promise<Response> {
  const answer = await gateway.post('/v1/chat/completions', chat)
  await answer.clone().arrayBuffer()
  return answer
}

async function statuses(gateway: Started, count: number): Promise<readonly number[]> {
  const seen: number[] = []
  while (seen.length < count) seen.push((await ask(gateway)).status)
  return seen
}

const times = (gateway: Started, sentence: string) =>
  gateway.logged.filter(({ message }) => message === sentence).length

describe.runIf(redis)('gateways at one Redis', () => {
  const url = redis?.url ?? ''
  const open = (shared: ConfigFile['redis'], requestsPerMinute: number) =>
    start({ limits: { requestsPerMinute }, redis: { url, timeoutMs: 2_000, ...shared } })
  const afresh = async () => {
    await redis?.kill()
    await redis?.start({ empty: true })
  }

  test('share one limit, refuse while Redis is down and then continue', async () => {
    await afresh()
    await using first = await open({}, 5)
    await using second = await open({}, 5)
    expect([...(await statuses(first, 2)), ...(await statuses(second, 1))]).toEqual([200, 200, 200])
    await redis?.kill()
    for (const gateway of [first, second, first]) {
      const refused = await ask(gateway)
      expect(refused.status).toBe(503)
      expect(refused.headers.get('retry-after')).toBe('1')
      expect(await refused.json()).toMatchObject({
        error: { code: 'overloaded', message: /^The limits cannot be checked/ },
      })
    }
    await redis?.start()
    for (const gateway of [first, second]) {
      await until(() => times(gateway, 'Redis answers: limits are shared') === 2, 10_000)
      expect(times(gateway, gone)).toBe(1)
    }
    expect([...(await statuses(second, 1)), ...(await statuses(first, 2))]).toEqual([200, 200, 429])
  })

  test('admit their share each while Redis is down, with whenDown: local', async () => {
    await afresh()
    await using gateway = await open({ whenDown: 'local', processes: 2 }, 6)
    expect(await statuses(gateway, 1)).toEqual([200])
    await redis?.kill()
    expect(await statuses(gateway, 4)).toEqual([200, 200, 200, 429])
    await redis?.start()
    await until(() => times(gateway, 'Redis answers: limits are shared') === 2, 10_000)
    // What was granted meanwhile counts.
    expect(await statuses(gateway, 3)).toEqual([200, 200, 429])
  })
})
