// `choose`: by calls in progress, and by tokens used.
import { describe, expect, test } from 'vitest'
import { asked, granted } from '../../support/administrate.ts'
import { answering, chatFaces, postAs } from '../../support/clients/four-formats.ts'
import {
  type Answering,
  fakeUpstream,
  json,
  type SeenRequest,
} from '../../support/fakes/fake-upstream.ts'
import { fakeDate } from '../../support/fake-date.ts'
import { chatReply } from '../../support/fakes/openai-wire.ts'
import type { Routes } from '../../support/routes.ts'
import { start, until } from '../../support/start.ts'

/** Upstreams by name, with targets of a route among them. */
async function several(answers: Readonly<Record<string, Answering>>) {
  await using opened = new AsyncDisposableStack()
  const upstreams: Record<string, Awaited<ReturnType<typeof fakeUpstream>>> = {}
  for (const [name, answer] of Object.entries(answers))
    upstreams[name] = opened.use(await fakeUpstream(answer))
  const moved = opened.move()
  return {
    upstreams,
    counts: () =>
      Object.fromEntries(Object.entries(upstreams).map(([name, { seen }]) => [name, seen.length])),
    routes: (route: object, further: Routes['models'] = {}): Routes => ({
      providers: Object.fromEntries(
        Object.entries(upstreams).map(([name, { url }]) => [
          name,
          { type: 'openai' as const, baseUrl: url, key: 'k' },
        ]),
      ),
      models: {
        main: { targets: Object.keys(upstreams).map((name) => `${name}/m`), ...route },
        ...further,
      },
      defaults: { retries: { attempts: 1 } },
    }),
    [Symbol.asyncDispose]: () => moved[Symbol.asyncDispose](),
  }
}

/** Answers all when it is told to. */
function holding() {
  const { promise, resolve } = Promise.withResolvers<void>()
  const answer: Answering = async (seen, response) => {
    await promise
    return answering.openai(seen, response)
  }
  return { answer, release: resolve }
}

describe.each(chatFaces)('least-busy, asked as %s', (face) => {
  test.each([false, true])('spreads calls in progress evenly, streamed: %s', async (stream) => {
    const held = holding()
    await using at = await several({ a: held.answer, b: held.answer, c: held.answer })
    await using gateway = await start(at.routes({ choose: 'least-busy' }))
    const calls = Array.from({ length: 9 }, () => postAs(gateway, face, { model: 'main', stream }))
    await until(() => Object.values(at.counts()).reduce((sum, count) => sum + count, 0) === 9)
    expect(at.counts()).toEqual({ a: 3, b: 3, c: 3 })
    held.release()
    for (const call of calls) expect((await call).status).toBe(200)
  })
})

describe('least-busy', () => {
  test('counts calls for the weight, and those of other routes too', async () => {
    const held = holding()
    await using at = await several({ a: held.answer, b: held.answer })
    const targets = [
      { target: 'a/m', weight: 3 },
      { target: 'b/m', weight: 1 },
    ]
    await using gateway = await start(
      at.routes({ choose: 'least-busy', targets }, { plain: 'b/m' }),
    )
    const others = [1, 2].map(() => postAs(gateway, 'chat', { model: 'plain' }))
    await until(() => at.counts()['b'] === 2)
    const calls = Array.from({ length: 6 }, () => postAs(gateway, 'chat', { model: 'main' }))
    await until(() => at.counts()['a'] === 6)
    held.release()
    for (const call of [...others, ...calls]) expect((await call).status).toBe(200)
  })

  test('a call that is over, failed or abandoned is in progress no more', async () => {
    await using at = await several({ a: answering.openai, b: answering.openai })
    await using gateway = await start(at.routes({ choose: 'least-busy' }))
    const ask = (options: object = {}) => postAs(gateway, 'chat', { model: 'main', ...options })
    await (await ask({ stream: true })).text()
    at.upstreams['a']!.answer((_seen, response) => void response.writeHead(400).end('{}'))
    at.upstreams['b']!.answer((_seen, response) => void response.writeHead(400).end('{}'))
    for (let count = 0; count < 3; count += 1) await (await ask()).text()
    expect(gateway.gateway.health.loads.busy('a/m')).toBe(0)
    expect(gateway.gateway.health.loads.busy('b/m')).toBe(0)
    const held = holding()
    at.upstreams['a']!.answer(held.answer)
    at.upstreams['b']!.answer(held.answer)
    const before = at.counts()
    const leaving = new AbortController()
    const left = gateway.request('/v1/chat/completions', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'main', messages: [{ role: 'user', content: 'Hi' }] }),
      signal: leaving.signal,
    })
    const sum = (counts: Readonly<Record<string, number>>) => counts['a']! + counts['b']!
    await until(() => sum(at.counts()) === sum(before) + 1)
    leaving.abort()
    await expect(left).rejects.toThrow(/abort/i)
    const { loads } = gateway.gateway.health
    await until(() => loads.busy('a/m') + loads.busy('b/m') === 0)
    held.release()
  })
})

/** Answers with this usage. */
const answersUsing =
  (tokens: number): Answering =>
  (_seen: SeenRequest, response) =>
    json(
      response,
      chatReply('Hello', {
        usage: { prompt_tokens: 1, completion_tokens: tokens - 1, total_tokens: tokens },
      }),
    )

describe('least-used', () => {
  const further = { max_tokens: 10 }
  const rounds = async (at: Awaited<ReturnType<typeof several>>, route: object, count: number) => {
    await using gateway = await start(at.routes({ choose: 'least-used', ...route }))
    for (let round = 0; round < count; round += 1)
      expect((await postAs(gateway, 'chat', { model: 'main', further })).status).toBe(200)
    return at.counts()
  }

  test('evens out tokens and not calls', async () => {
    using _ = fakeDate(1_800_000_000_000)
    await using at = await several({ a: answersUsing(300), b: answersUsing(100) })
    const counts = await rounds(at, {}, 20)
    expect(counts).toEqual({ a: 5, b: 15 })
  })

  test('for the limit of tokens per minute, where all targets have one', async () => {
    using _ = fakeDate(1_800_000_000_000)
    await using at = await several({ a: answersUsing(100), b: answersUsing(100) })
    const targets = [
      { target: 'a/m', tokensPerMinute: 300_000 },
      { target: 'b/m', tokensPerMinute: 100_000, weight: 9 },
    ]
    expect(await rounds(at, { targets }, 20)).toEqual({ a: 15, b: 5 })
  })

  test('for the weight, where not all have one', async () => {
    using _ = fakeDate(1_800_000_000_000)
    await using at = await several({ a: answersUsing(100), b: answersUsing(100) })
    const targets = [
      { target: 'a/m', tokensPerMinute: 300_000 },
      { target: 'b/m', weight: 3 },
    ]
    expect(await rounds(at, { targets }, 20)).toEqual({ a: 5, b: 15 })
  })

  test('forgets at the next minute', async () => {
    using date = fakeDate(1_800_000_000_000)
    await using at = await several({ a: answersUsing(5000), b: answersUsing(100) })
    await using gateway = await start(at.routes({ choose: 'least-used' }))
    const ask = async () => (await postAs(gateway, 'chat', { model: 'main', further })).text()
    for (let count = 0; count < 10; count += 1) await ask()
    expect(at.counts()).toEqual({ a: 1, b: 9 })
    date.set(1_800_000_060_000)
    for (let count = 0; count < 10; count += 1) await ask()
    expect(at.counts()).toEqual({ a: 2, b: 18 })
  })
})

test('the default of all routes holds where a route chooses in no way of its own', async () => {
  const held = holding()
  await using at = await several({ a: held.answer, b: held.answer })
  const content = at.routes({})
  await using gateway = await start({
    ...content,
    defaults: { ...content.defaults, choose: 'least-busy' },
  })
  const calls = Array.from({ length: 8 }, () => postAs(gateway, 'chat', { model: 'main' }))
  await until(() => at.counts()['a']! + at.counts()['b']! === 8)
  expect(at.counts()).toEqual({ a: 4, b: 4 })
  held.release()
  await Promise.all(calls)
  const request = { model: 'main', messages: [{ role: 'user', content: 'Hi' }] }
  const told = await granted(gateway, 'POST /admin/v1/explain', { request })
  expect(told['options']).toMatchObject({ strategy: 'least-busy' })
})

test('settings that choose twice are refused', async () => {
  await using at = await several({ a: answering.openai })
  const { providers = {} } = at.routes({})
  await using gateway = await start({ providers })
  const { etag } = await granted(gateway, 'GET /admin/v1/routes')
  const put = (route: object) =>
    asked(gateway, 'PUT /admin/v1/routes', {
      models: { two: { targets: ['a/m'], ...route } },
      etag,
    })
  for (const [route, problem] of [
    [{ choose: 'least-busy', strategy: 'latency' }, 'must not stand beside strategy'],
    [{ choose: 'least-used', sticky: true }, 'must not stand beside sticky'],
    [{ choose: 'random' }, 'must be one of weight, least-busy, least-used'],
  ] as const) {
    const refused = await put(route)
    expect(refused.status).toBe(400)
    expect(refused.body.error.message).toContain(`models.two.choose ${problem}`)
  }
  expect((await put({ choose: 'least-used', sticky: false })).status).toBe(200)
})
