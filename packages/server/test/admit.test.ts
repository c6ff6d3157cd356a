import { expect, test } from 'vitest'
import { start } from '../../../test/support/start.ts'
import type { Limiter } from '../../gateway/src/ports/limiter.ts'
import { createMemoryLimiter } from '../../store/src/limits/memory-limiter.ts'

const chat = { model: 'builtin-chat', messages: [{ role: 'user', content: 'Hi' }] }

test('waits for an asynchronous limiter', async () => {
  const inside = createMemoryLimiter({ now: () => 0 })
  const distant: Limiter = {
    reserve: (claims, leaseMs) =>
      new Promise((resolve) => setImmediate(() => resolve(inside.reserve(claims, leaseMs)))),
    settle: (reservation, actual) => inside.settle(reservation, actual),
    renew: (reservation, leaseMs) => inside.renew(reservation, leaseMs),
    look: (claims) => inside.look(claims),
    seed: (claim, spent) => inside.seed(claim, spent),
    [Symbol.asyncDispose]: () => inside[Symbol.asyncDispose](),
  }
  await using gateway = await start({ limits: { requestsPerMinute: 2, concurrentRequests: 1 } })
  Object.assign(gateway.gateway, { limiter: distant })
  const statuses: number[] = []
  for (let n = 0; n < 3; n++) {
    const answer = await gateway.post('/v1/chat/completions', chat)
    await answer.arrayBuffer()
    statuses.push(answer.status)
    expect(answer.headers.get('x-ratelimit-remaining-requests')).toBe(String(Math.max(0, 1 - n)))
    expect(answer.headers.get('retry-after')).toBe(n === 2 ? '30' : null)
  }
  expect(statuses).toEqual([200, 200, 429])
})

test('a failing limiter rejects the request', async () => {
  await using gateway = await start({ limits: { requestsPerMinute: 2 } })
  const gone = () => Promise.reject(new Error('the limiter is gone'))
  Object.assign(gateway.gateway, { limiter: { reserve: gone, async [Symbol.asyncDispose]() {} } })
  const answer = await gateway.post('/v1/chat/completions', chat)
  expect(answer.status).toBe(500)
  expect(await answer.text()).not.toContain('the limiter is gone')
})
