// Limits per minute of a target: exact under concurrency, passed over, waited for, told and shared.
import { describe, expect, test } from 'vitest'
import { granted } from '../../support/administrate.ts'
import { answering, chatFaces, postAs } from '../../support/clients/four-formats.ts'
import { type Answering, fakeUpstream, json } from '../../support/fakes/fake-upstream.ts'
import { chatReply } from '../../support/fakes/openai-wire.ts'
import { startProgram } from '../../support/gateways/program.ts'
import { leaveOut } from '../../support/leave-out.ts'
import { error, type Routes } from '../../support/routes.ts'
import { noRedis, openRedisServer } from '../../support/servers/redis-server.ts'
import { adminKey, start, until } from '../../support/start.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

type Target = Exclude<
  Extract<NonNullable<Routes['models']>[string], object>['targets'][number],
  string
>

async function two(first: Answering = answering.openai) {
  await using opened = new AsyncDisposableStack()
  const one = opened.use(await fakeUpstream(first))
  const other = opened.use(await fakeUpstream(answering.openai))
  const moved = opened.move()
  return {
    one,
    other,
    seen: () => [one.seen.length, other.seen.length],
    routes: (
      limits: Partial<Target>,
      further: Partial<Extract<NonNullable<Routes['models']>[string], object>> = {},
    ): Routes => ({
      providers: {
        one: { type: 'openai', baseUrl: one.url, key: 'k' },
        other: { type: 'openai', baseUrl: other.url, key: 'k' },
      },
      models: { main: { targets: [{ target: 'one/m', ...limits }], ...further } },
      defaults: { retries: { attempts: 2, baseMs: 1, maxMs: 1 } },
    }),
    [Symbol.asyncDispose]: () => moved[Symbol.asyncDispose](),
  }
}

describe.each(chatFaces)('asked as %s', (face) => {
  test.each([false, true])('a target at its limit is passed over, streamed: %s', async (stream) => {
    await using at = await two()
    await using gateway = await start(
      at.routes({ requestsPerMinute: 2 }, { fallback: ['other/m'] }),
    )
    const providers = []
    for (let count = 0; count < 4; count += 1) {
      const response = await postAs(gateway, face, { model: 'main', stream })
      expect(response.status, await response.text()).toBe(200)
      providers.push(response.headers.get('x-sluice-provider'))
    }
    expect(providers).toEqual(['one', 'one', 'other', 'other'])
  })
})

test.each([1, 5])('of many calls at once exactly %i are sent', async (most) => {
  await using at = await two()
  await using gateway = await start(at.routes({ requestsPerMinute: most }))
  const calls = Array.from({ length: 40 }, () => postAs(gateway, 'chat', { model: 'main' }))
  const statuses = (await Promise.all(calls)).map(({ status }) => status)
  expect(statuses.filter((status) => status === 200).length).toBe(most)
  expect(statuses.filter((status) => status === 429).length).toBe(40 - most)
  expect(at.one.seen.length).toBe(most)
})

test('a call that nothing else serves is told when there is room', async () => {
  await using at = await two()
  await using gateway = await start(at.routes({ requestsPerMinute: 1 }))
  expect((await postAs(gateway, 'chat', { model: 'main' })).status).toBe(200)
  const refused = await postAs(gateway, 'chat', { model: 'main' })
  expect(refused.status).toBe(429)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(50)
  expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60)
  expect(await refused.json()).toMatchObject({
    error: { message: expect.stringContaining('one/m is at its limit (requestsPerMinute: 1)') },
  })
  expect(at.one.seen.length).toBe(1)
})

test('of several targets the first that has room again is told', async () => {
  await using at = await two()
  const targets = [
    { target: 'one/m', requestsPerMinute: 1, priority: 0 },
    { target: 'other/m', requestsPerMinute: 4, priority: 1 },
  ]
  await using gateway = await start(at.routes({}, { targets }))
  for (let count = 0; count < 5; count += 1)
    expect((await postAs(gateway, 'chat', { model: 'main' })).status).toBe(200)
  const refused = await postAs(gateway, 'chat', { model: 'main' })
  expect(refused.status).toBe(429)
  expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(15)
  expect(at.seen()).toEqual([1, 4])
})

test('waits for a target that has room soon', async () => {
  await using at = await two()
  await using gateway = await start({
    ...at.routes({ requestsPerMinute: 240 }),
    defaults: { retries: { attempts: 3, baseMs: 1, maxMs: 2000 } },
  })
  const calls = Array.from({ length: 241 }, () => postAs(gateway, 'chat', { model: 'main' }))
  const statuses = (await Promise.all(calls)).map(({ status }) => status)
  expect(new Set(statuses)).toEqual(new Set([200]))
})

test('every try counts, retries included', async () => {
  await using at = await two(error(500))
  await using gateway = await start(at.routes({ requestsPerMinute: 2 }))
  expect((await postAs(gateway, 'chat', { model: 'main' })).status).toBe(503)
  expect(at.one.seen.length).toBe(2)
  at.one.answer(answering.openai)
  expect((await postAs(gateway, 'chat', { model: 'main' })).status).toBe(429)
})

test('a request that is refused before it is sent takes nothing', async () => {
  await using at = await two()
  await using gateway = await start({
    ...at.routes({ requestsPerMinute: 1 }),
    providers: { one: { type: 'anthropic', baseUrl: at.one.url, key: 'k' } },
  })
  at.one.answer(answering.anthropic)
  const further = { logprobs: true }
  for (let count = 0; count < 3; count += 1)
    expect((await postAs(gateway, 'chat', { model: 'main', further })).status).toBe(400)
  expect((await postAs(gateway, 'chat', { model: 'main' })).status).toBe(200)
  expect((await postAs(gateway, 'chat', { model: 'main' })).status).toBe(429)
})

describe('tokens per minute', () => {
  /** Answers with this usage. */
  const answersUsing = (tokens: number): Answering => {
    const usage = { prompt_tokens: 1, completion_tokens: tokens - 1, total_tokens: tokens }
    return (_seen, response) => json(response, chatReply('Hello', { usage }))
  }
  const further = (tokens: number) => ({ max_tokens: tokens })

  test('are reserved by the limit of the output, and settled with what was used', async () => {
    await using at = await two(answersUsing(10))
    await using gateway = await start(at.routes({ tokensPerMinute: 1000 }))
    for (let count = 0; count < 5; count += 1) {
      const response = await postAs(gateway, 'chat', { model: 'main', further: further(800) })
      expect(response.status, await response.text()).toBe(200)
    }
    at.one.answer(answersUsing(2000))
    expect((await postAs(gateway, 'chat', { model: 'main', further: further(800) })).status).toBe(
      200,
    )
    // It has used more than was reserved.
    const refused = await postAs(gateway, 'chat', { model: 'main', further: further(1) })
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(50)
  })

  test('are held while calls run', async () => {
    await using at = await two()
    const held = Promise.withResolvers<void>()
    at.one.answer(async (seen, response, request) => {
      await held.promise
      return answersUsing(10)(seen, response, request)
    })
    await using gateway = await start(at.routes({ tokensPerMinute: 1000 }))
    const first = postAs(gateway, 'chat', { model: 'main', further: further(800) })
    await until(() => at.one.seen.length === 1)
    expect((await postAs(gateway, 'chat', { model: 'main', further: further(800) })).status).toBe(
      429,
    )
    held.resolve()
    expect((await first).status).toBe(200)
    expect((await postAs(gateway, 'chat', { model: 'main', further: further(800) })).status).toBe(
      200,
    )
  })

  test('a call larger than the limit takes all of it', async () => {
    await using at = await two(answersUsing(10))
    await using gateway = await start(at.routes({ tokensPerMinute: 100 }))
    expect(
      (await postAs(gateway, 'chat', { model: 'main', further: further(64_000) })).status,
    ).toBe(200)
  })

  test('of a stream are settled when it ends, and those of a failed try given back', async () => {
    await using at = await two()
    const routes = at.routes({ tokensPerMinute: 1000 })
    await using gateway = await start(routes)
    for (let count = 0; count < 3; count += 1)
      expect(
        await (
          await postAs(gateway, 'chat', { model: 'main', stream: true, further: further(500) })
        ).text(),
      ).toContain('Hello')
    at.one.answer(error(400))
    for (let count = 0; count < 3; count += 1)
      expect((await postAs(gateway, 'chat', { model: 'main', further: further(500) })).status).toBe(
        400,
      )
  })
})

test('the limits of a target are those of its route', async () => {
  await using at = await two()
  const routes = at.routes({ requestsPerMinute: 1 })
  const targets = [{ target: 'one/m', requestsPerMinute: 1 }]
  await using gateway = await start({
    ...routes,
    models: { ...routes.models, second: { targets }, plain: 'one/m' },
  })
  for (const [model, status] of [
    ['main', 200],
    ['main', 429],
    ['second', 200],
    ['second', 429],
    ['plain', 200],
    ['plain', 200],
  ] as const)
    expect((await postAs(gateway, 'chat', { model })).status, model).toBe(status)
})

test('each choice that takes a request of its own counts', async () => {
  await using at = await two(answering.anthropic)
  await using gateway = await start({
    ...at.routes({ requestsPerMinute: 5 }),
    providers: { one: { type: 'anthropic', baseUrl: at.one.url, key: 'k' } },
  })
  const ask = (n: number) => postAs(gateway, 'chat', { model: 'main', further: { n } })
  expect((await ask(3)).status).toBe(200)
  expect((await ask(3)).status).toBe(429)
  expect((await ask(2)).status).toBe(200)
  expect((await ask(1)).status).toBe(429)
  expect(at.one.seen.length).toBe(5)
})

test('a hedge at its limit leaves the call to the other target', async () => {
  await using at = await two(async (seen, response) => {
    await new Promise((resolve) => setTimeout(resolve, 100))
    return answering.openai(seen, response)
  })
  const targets = [
    { target: 'one/m', priority: 0 },
    { target: 'other/m', priority: 1, requestsPerMinute: 1 },
  ]
  await using gateway = await start(
    at.routes({}, { targets, hedge: { enabled: true, delayMs: 1 } }),
  )
  const providers = []
  for (let count = 0; count < 3; count += 1) {
    const response = await postAs(gateway, 'chat', { model: 'main' })
    expect(response.status, await response.text()).toBe(200)
    providers.push(response.headers.get('x-sluice-provider'))
  }
  expect(providers).toEqual(['other', 'one', 'one'])
  expect(at.other.seen.length).toBe(1)
})

test('a call that no target had room for is among the refused ones, with the reason', async () => {
  await using at = await two()
  await using gateway = await start(at.routes({ requestsPerMinute: 1 }))
  await (await postAs(gateway, 'chat', { model: 'main' })).text()
  const refused = await postAs(gateway, 'chat', { model: 'main' })
  const id = refused.headers.get('x-request-id')
  const found = await until(async () => {
    const response = await gateway.request(`/admin/v1/requests/${id}`, { key: adminKey })
    return response.status === 200 ? response.text() : undefined
  })
  expect(found).toContain('at its limit (requestsPerMinute: 1)')
})

test('embeddings count', async () => {
  await using at = await two((_seen, response) =>
    json(response, {
      object: 'list',
      model: 'm',
      data: [{ object: 'embedding', index: 0, embedding: [0.5] }],
      usage: { prompt_tokens: 1, total_tokens: 1 },
    }),
  )
  await using gateway = await start(at.routes({ requestsPerMinute: 1 }))
  const embed = () => gateway.post('/v1/embeddings', { model: 'main', input: 'Hi' })
  expect((await embed()).status).toBe(200)
  expect((await embed()).status).toBe(429)
})

test('an explanation tells what is left, and which target is skipped', async () => {
  await using at = await two()
  await using gateway = await start(
    at.routes({ requestsPerMinute: 1, tokensPerMinute: 1000 }, { fallback: ['other/m'] }),
  )
  const request = { model: 'main', messages: [{ role: 'user', content: 'Hi' }] }
  const explained = () => granted(gateway, 'POST /admin/v1/explain', { request })
  expect((await explained())['targets']).toMatchObject([
    {
      target: 'one/m',
      chosen: true,
      skipped: null,
      rates: [
        { unit: 'requests', limit: 1, remaining: 1 },
        { unit: 'tokens', limit: 1000, remaining: 1000 },
      ],
    },
    { target: 'other/m', chosen: false, skipped: null, rates: [] },
  ])
  await (await postAs(gateway, 'chat', { model: 'main' })).text()
  expect((await explained())['targets']).toMatchObject([
    {
      target: 'one/m',
      chosen: false,
      skipped: 'at its limit (requestsPerMinute: 1)',
      rates: [{ remaining: 0 }, {}],
    },
    { target: 'other/m', chosen: true },
  ])
})

test('an explanation reckons with the tokens that the call may use', async () => {
  await using at = await two()
  await using gateway = await start(at.routes({ tokensPerMinute: 1000 }, { fallback: ['other/m'] }))
  const skipped = async (tokens: number) => {
    const request = { ...asked, max_tokens: tokens }
    const { targets } = await granted(gateway, 'POST /admin/v1/explain', { request })
    return (targets as readonly { readonly skipped: string | null }[]).map((one) => one.skipped)
  }
  await (await postAs(gateway, 'chat', { model: 'main', further: { max_tokens: 9 } })).text()
  expect(await skipped(500)).toEqual([null, null])
  expect(await skipped(990)).toEqual(['at its limit (tokensPerMinute: 1000)', null])
})

const asked = { model: 'main', messages: [{ role: 'user', content: 'Hi' }] }

test('all workers share the limits', { timeout: 60_000 }, async () => {
  using folder = temporaryFolder()
  await using at = await two()
  await using program = await startProgram({
    folder: folder.path,
    content: { ...at.routes({ requestsPerMinute: 7 }), server: { workers: 2 } },
  })
  const calls = Array.from({ length: 40 }, () =>
    program.ask('/v1/chat/completions', { body: asked }),
  )
  const statuses = (await Promise.all(calls)).map(({ status }) => status)
  expect(statuses.filter((status) => status === 200).length).toBe(7)
  expect(at.one.seen.length).toBe(7)
})

test('all replicas share the limits in Redis', { timeout: 120_000 }, async (context) => {
  await using redis = await openRedisServer()
  if (!redis) return leaveOut(context, noRedis)
  await using at = await two()
  const content: Routes = { ...at.routes({ requestsPerMinute: 7 }), redis: { url: redis.url } }
  await using first = await start(content)
  await using second = await start(content)
  const calls = Array.from({ length: 20 }, () => [
    postAs(first, 'chat', { model: 'main' }),
    postAs(second, 'chat', { model: 'main' }),
  ])
  const statuses = (await Promise.all(calls.flat())).map(({ status }) => status)
  expect(statuses.filter((status) => status === 200).length).toBe(7)
  expect(at.one.seen.length).toBe(7)
})

test('while Redis does not answer, a target with a limit is passed over', {
  timeout: 120_000,
}, async (context) => {
  await using redis = await openRedisServer()
  if (!redis) return leaveOut(context, noRedis)
  await using at = await two()
  const content = (fallback?: readonly string[]): Routes => ({
    ...at.routes({ requestsPerMinute: 7 }, fallback && { fallback: [...fallback] }),
    redis: { url: redis.url },
  })
  await using gateway = await start(content())
  expect((await postAs(gateway, 'chat', { model: 'main' })).status).toBe(200)
  await redis.kill()
  const refused = await postAs(gateway, 'chat', { model: 'main' })
  expect(refused.status).toBe(503)
  expect(await refused.text()).toContain('The limits cannot be checked')
  await gateway.configure(content(['other/m']))
  expect((await postAs(gateway, 'chat', { model: 'main' })).status).toBe(200)
  expect(at.seen()).toEqual([1, 1])
})
