// A call reserves what it may use before an upstream is called, and settles the reservation when it ends.
import type { ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import type { ConfigFile } from '../../../packages/sluice/src/config/schema.ts'
import { createOpenApi } from '../../../packages/server/src/openapi.ts'
import { addresses } from '../../../packages/server/src/routes.ts'
import type { Limiter } from '../../../packages/gateway/src/ports/limiter.ts'
import { createMemoryLimiter } from '../../../packages/store/src/limits/memory-limiter.ts'
import { fakeUpstream, json } from '../../support/fakes/fake-upstream.ts'
import { chatReply } from '../../support/fakes/openai-wire.ts'
import { ownedKey, writeOwners } from '../../support/gateways/owners.ts'
import { type Started, start, testKey, until } from '../../support/start.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

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
function operations(model: string): readonly Walked[] {
  const { paths } = JSON.parse(JSON.stringify(createOpenApi(addresses))) as {
    paths: Record<string, Record<string, Described>>
  }
  const caller = new Set(addresses.filter(({ access }) => access === 'caller').map((a) => a.path))
  return Object.entries(paths)
    .filter(([path]) => caller.has(path))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { requestBody }]) => {
        const example = requestBody?.content['application/json']?.example ?? {}
        const address = path
          .replace('{model}', encodeURIComponent(model))
          .replace(/\{\w+\}/g, 'some_id')
        const walked = { path: address, method: method.toUpperCase() }
        return method === 'post' ? { ...walked, body: { ...example, model } } : walked
      }),
    )
}

interface Walked {
  readonly path: string
  readonly method: string
  readonly body?: Readonly<Record<string, unknown>>
}

async function ask(gateway: Started, { path, method, body }: Walked, key: string): Promise<number> {
  const said = body && {
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  }
  const answer = await gateway.request(path, { method, key, ...said })
  await answer.arrayBuffer()
  return answer.status
}

test('every operation settles its reservation exactly once', async () => {
  await using staged = await stage(every)
  const { gateway, upstream } = staged
  const memory = createMemoryLimiter()
  let open = 0
  const watched: Limiter = {
    reserve(claims, leaseMs) {
      open += 1
      return memory.reserve(claims, leaseMs)
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
  for (const walked of operations('up/m')) await ask(gateway, walked, testKey)
  expect(upstream.seen.length).toBeGreaterThan(10)
  await until(() => open === 0)
})

describe('an invalid request counts against the request limit, however early it is rejected:', () => {
  const sized = { tokensPerMinute: 1e9 }
  test.each<[string, string, object, number]>([
    ['invalid JSON', '{"model":', {}, 400],
    ['invalid JSON with a token limit', '{"model":', sized, 400],
    ['no model', '{"messages":[]}', {}, 400],
    ['no model with a token limit', '{"messages":[]}', sized, 400],
    ['a field of the wrong type', JSON.stringify({ ...chat(1), temperature: 'warm' }), {}, 400],
    [
      'a field of the wrong type with a token limit',
      JSON.stringify({ ...chat(1), top_p: 'a' }),
      sized,
      400,
    ],
    ['an unknown model', JSON.stringify({ ...chat(1), model: 'no/m' }), {}, 404],
    [
      'an unknown model with a token limit',
      JSON.stringify({ ...chat(1), model: 'no/m' }),
      sized,
      404,
    ],
  ])('%s', async (_name, body, limits, status) => {
    await using gateway = await start({ limits: { requestsPerMinute: 3, ...limits } })
    const headers = { 'content-type': 'application/json' }
    const statuses: number[] = []
    for (let count = 0; count < 5; count += 1) {
      const answer = await gateway.request('/v1/chat/completions', {
        method: 'POST',
        body,
        headers,
      })
      await answer.arrayBuffer()
      statuses.push(answer.status)
    }
    expect(statuses).toEqual([status, status, status, 429, 429])
  })
})

const provider = (type: 'openai' | 'anthropic' | 'gemini' | 'cohere', baseUrl: string) => ({
  type,
  baseUrl,
  key: 'k',
})

/** Every way that leads to an upstream, by the model that takes it, with what a request says beside. */
const ways: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'up/m': {},
  // Several answers, asked for one by one, and an upstream that speaks the caller's own format.
  'claude/m': { n: 3 },
  'gem/m': { stream: true },
  'co/m': {},
  // Tried again, somewhere else, and at two targets at once.
  raced: { stream: true },
  'builtin-chat': { stream: true },
  'builtin-video': {},
  'builtin-image': {},
}

const throughAll = (url: string): ConfigFile => ({
  defaults: { retries: { baseMs: 1 } },
  providers: {
    up: provider('openai', url),
    claude: provider('anthropic', url),
    gem: provider('gemini', url),
    co: provider('cohere', url),
  },
  models: {
    raced: {
      targets: [{ target: 'up/m' }, { target: 'claude/m', priority: 1 }],
      hedge: { enabled: true, delayMs: 1 },
      retries: { attempts: 3, baseMs: 1 },
    },
  },
})

const walkOf = (model: string, further: Readonly<Record<string, unknown>>) =>
  operations(model).map((walked) =>
    walked.body ? { ...walked, body: { ...walked.body, ...further } } : walked,
  )

describe('no operation reaches a target once the budget is spent', () => {
  test.each(Object.entries(ways))('%s', async (model, further) => {
    using folder = temporaryFolder()
    const budgets = [{ id: 'spent', window: 'lifetime', limitMicroUsd: 0 }] as const
    await writeOwners(folder.path, { organization: { budgets } })
    await using upstream = await fakeUpstream((_seen, response) => json(response, {}))
    await using gateway = await start(throughAll(upstream.url), { dataFolder: folder.path })
    const walk = walkOf(model, further)
    const reached = async () => {
      await gateway.gateway.store.flush()
      return (await gateway.gateway.store.listUsage({ limit: 1_000 })).length
    }
    const refused: string[] = []
    for (const walked of walk)
      if ((await ask(gateway, walked, ownedKey)) === 429) refused.push(walked.path)
    expect(await reached()).toBe(0)
    expect(upstream.seen.filter(({ method }) => method !== 'GET')).toEqual([])
    // Another key, which has no budget, comes to what this one was refused.
    for (const walked of walk) await ask(gateway, walked, testKey)
    expect(await reached()).toBeGreaterThan(0)
    expect(refused.length).toBeGreaterThan(0)
  })
})

describe('every request to an upstream is sent while the money for its call is reserved', () => {
  const answers = {
    'that answers': (_seen: unknown, response: ServerResponse) => json(response, {}),
    // Then it is tried again, somewhere else, and at the same time.
    'that fails': (_seen: unknown, response: ServerResponse) =>
      json(response, { error: { message: 'no' } }, { status: 500 }),
  }
  const cases = Object.entries(ways).flatMap(([model, further]) =>
    Object.entries(answers)
      .filter(([name]) => name === 'that fails' || !model.startsWith('builtin'))
      .map(([name, answer]) => ({ model, further, name, answer })),
  )

  test.each(cases)('$model, at an upstream $name', async ({ model, further, answer }) => {
    using folder = temporaryFolder()
    const budgets = [{ id: 'ample', window: 'lifetime', limitMicroUsd: 1e12 }] as const
    await writeOwners(folder.path, { organization: { budgets } })
    await using upstream = await fakeUpstream(answer)
    await using gateway = await start(throughAll(upstream.url), { dataFolder: folder.path })
    let open = 0
    /** Of each request that was sent how many calls had their money put aside. */
    const sent: { readonly url: string; readonly open: number }[] = []
    const { limiter, send } = gateway.gateway
    const watched: Limiter = {
      async reserve(claims, leaseMs) {
        const decision = await limiter.reserve(claims, leaseMs)
        if (decision.granted && claims.some(({ kind }) => kind === 'budget')) open += 1
        return decision
      },
      settle(reservation, actual) {
        if (reservation.claims.some(({ kind }) => kind === 'budget')) open -= 1
        return limiter.settle(reservation, actual)
      },
      renew: (reservation, leaseMs) => limiter.renew(reservation, leaseMs),
      look: (claims) => limiter.look(claims),
      seed: (claim, spent) => limiter.seed(claim, spent),
      async [Symbol.asyncDispose]() {},
    }
    const watchedSend: typeof send = (outgoing, receiver) => {
      if (outgoing.method !== 'GET') sent.push({ url: outgoing.url, open })
      return send(outgoing, receiver)
    }
    Object.assign(gateway.gateway, { limiter: watched, send: watchedSend })
    for (const walked of walkOf(model, further)) {
      await ask(gateway, walked, ownedKey)
      await until(() => open === 0)
    }
    expect(sent.filter((one) => one.open !== 1)).toEqual([])
    if (!model.startsWith('builtin')) expect(sent.length).toBeGreaterThan(0)
  })
})

test('reserves the most tokens a call may use and settles those it used', async () => {
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

test('limits the concurrent requests of a key', async () => {
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
