// What a key may take: reserved before an upstream is asked, settled when the call has ended.
import { expect, test } from 'vitest'
import { createOpenApi } from '../../packages/sluice/src/http/openapi.ts'
import { addresses } from '../../packages/sluice/src/http/routes.ts'
import type { Claim, Limiter } from '../../packages/sluice/src/ports/limiter.ts'
import { createMemoryLimiter } from '../../packages/sluice/src/storage/limiter-memory.ts'
import { fakeUpstream, json } from '../support/fake-upstream.ts'
import { chatReply } from '../support/openai-wire.ts'
import { start, until } from '../support/start.ts'

interface Described {
  readonly requestBody?: { readonly content: Readonly<Record<string, { example?: object }>> }
}

const every = { requestsPerMinute: 1e6, tokensPerMinute: 1e9, concurrentRequestsPerKey: 1_000 }
const chat = (max_tokens: number) => ({
  model: 'up/m',
  messages: [{ role: 'user', content: 'Hello there' }],
  max_tokens,
})

async function stage(limits: object) {
  const upstream = await fakeUpstream((_seen, response) => json(response, chatReply('Hello')))
  const gateway = await start({
    limits,
    defaults: { retries: { attempts: 1 } },
    providers: { up: { type: 'openai', baseUrl: upstream.url, key: 'k' } },
  })
  return {
    upstream,
    gateway,
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]()
      await upstream[Symbol.asyncDispose]()
    },
  }
}

/** Every operation of the document, with the body that it shows. */
function operations(): readonly { path: string; method: string; body?: string }[] {
  const { paths } = JSON.parse(JSON.stringify(createOpenApi(addresses))) as {
    paths: Record<string, Record<string, Described>>
  }
  const caller = new Set(addresses.filter(({ access }) => access === 'caller').map((a) => a.path))
  return Object.entries(paths)
    .filter(([path]) => caller.has(path))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { requestBody }]) => {
        const example = requestBody?.content['application/json']?.example ?? {}
        const body = { body: JSON.stringify({ ...example, model: 'up/m' }) }
        const address = path.replace('{model}', 'up%2Fm').replace(/\{\w+\}/g, 'some_id')
        return { path: address, method: method.toUpperCase(), ...(method === 'post' && body) }
      }),
    )
}

test('no operation reaches an upstream without a reservation, and each settles its own once', async () => {
  await using staged = await stage(every)
  const { gateway, upstream } = staged
  const memory = createMemoryLimiter()
  let isRefusing = false
  let open = 0
  const refused: Claim = { kind: 'concurrency', bucket: 'full', limit: 0 }
  const watched: Limiter = {
    reserve(claims, leaseMs) {
      if (!isRefusing) open += 1
      return memory.reserve(isRefusing ? [...claims, refused] : claims, leaseMs)
    },
    settle(reservation, actual) {
      open -= 1
      memory.settle(reservation, actual)
    },
    renew() {},
    look: (claims) => memory.look(claims),
    seed() {},
    [Symbol.asyncDispose]: () => memory[Symbol.asyncDispose](),
  }
  Object.assign(gateway.gateway, { limiter: watched })
  const statuses: string[] = []
  const walk = async () => {
    for (const { path, method, body } of operations()) {
      const headers = body === undefined ? {} : { 'content-type': 'application/json' }
      const options = body === undefined ? { method, headers } : { method, headers, body }
      const answer = await gateway.request(path, options)
      await answer.arrayBuffer()
      if (isRefusing && answer.status !== 429) statuses.push(`${method} ${path} ${answer.status}`)
    }
  }
  await walk()
  expect(upstream.seen.length).toBeGreaterThan(10)
  await until(() => open === 0)
  const before = upstream.seen.length
  isRefusing = true
  await walk()
  expect(statuses).toEqual([])
  expect(upstream.seen).toHaveLength(before)
})

test('tokens are reserved by what may come, and settled by what came', async () => {
  await using staged = await stage({ tokensPerMinute: 1_000 })
  const { gateway, upstream } = staged
  const first = await gateway.post('/v1/chat/completions', chat(900))
  expect(first.status).toBe(200)
  expect(first.headers.get('x-ratelimit-limit-tokens')).toBe('1000')
  expect(Number(first.headers.get('x-ratelimit-remaining-tokens'))).toBeLessThan(100)
  await first.arrayBuffer()
  const again = async (most: number) => gateway.post('/v1/chat/completions', chat(most))
  // What was not used is back.
  await until(async () => (await again(900)).status === 200)
  const large = await again(2_000)
  expect(large.status).toBe(429)
  expect(large.headers.get('x-should-retry')).toBe('false')
  const seen = upstream.seen.length
  expect((await again(2_000)).status).toBe(429)
  expect(upstream.seen).toHaveLength(seen)
})

test('a key holds so many requests at the same time and no more', async () => {
  await using staged = await stage({ concurrentRequestsPerKey: 2 })
  const { gateway, upstream } = staged
  const answers: (() => void)[] = []
  upstream.answer((_seen, response) => {
    answers.push(() => json(response, chatReply('Hello')))
  })
  const held = [1, 2].map(() => gateway.post('/v1/chat/completions', chat(5)))
  await until(() => answers.length === 2)
  const third = await gateway.post('/v1/chat/completions', chat(5))
  expect(third.status).toBe(429)
  expect(third.headers.get('retry-after')).toBe('1')
  for (const answer of answers) answer()
  for (const one of await Promise.all(held)) await one.arrayBuffer()
  upstream.answer((_seen, response) => json(response, chatReply('Hello')))
  await until(async () => (await gateway.post('/v1/chat/completions', chat(5))).status === 200)
})
