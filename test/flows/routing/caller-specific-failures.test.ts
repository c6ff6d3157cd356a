// Failures caused by one caller's request do not affect other callers: rejected keys, and formats that seem to be
// missing.
import { describe, expect, test } from 'vitest'
import {
  type Answering,
  type FakeUpstream,
  fakeUpstream,
  json,
} from '../../support/fakes/fake-upstream.ts'
import { chatReply } from '../../support/fakes/openai-wire.ts'
import {
  owner as alice,
  stranger as bob,
  noSuchAddress,
  upstreamResponse,
  withTwoKeys,
} from '../../support/gateways/two-keys.ts'
import { error, good, type Routes } from '../../support/routes.ts'
import { type RequestOptions, type Started, start } from '../../support/start.ts'

const bad = 'too much'

/** Refuses what `bad` is in, whichever key comes with it. */
const refusesBad =
  (status: number): Answering =>
  (seen, response, request) =>
    seen.text.includes(bad) ? error(status)(seen, response) : void good(seen, response, request)

function routes(upstream: FakeUpstream, keys: readonly string[]): Routes {
  return {
    ...withTwoKeys({}),
    providers: { up: { type: 'openai', baseUrl: upstream.url, keys: [...keys] } },
    defaults: { retries: { attempts: 1 } },
  }
}

const chat = (gateway: Started, content: string, options: RequestOptions, model = 'up/m') =>
  gateway.post('/v1/chat/completions', { model, messages: [{ role: 'user', content }] }, options)

const keysOf = ({ seen }: FakeUpstream) => seen.map(({ headers }) => headers['authorization'])

describe.each([401, 402, 403])('a request that upstream keys fail with %i', (status) => {
  test('for two keys is rejected without blocking the keys for other callers', async () => {
    await using upstream = await fakeUpstream(refusesBad(status))
    await using gateway = await start(routes(upstream, ['key-one', 'key-two', 'key-three']))
    for (let time = 0; time < 3; time += 1) {
      const refused = await chat(gateway, bad, bob)
      expect(refused.status).toBe(502)
      expect(refused.headers.get('x-sluice-attempts')).toBe('2')
      expect(await refused.json()).toMatchObject({
        error: { message: expect.stringMatching(/two of its keys \(40\d\)/) },
      })
    }
    const used = upstream.seen.length
    for (let time = 0; time < 6; time += 1) {
      const answer = await chat(gateway, 'Hi', alice)
      expect(answer.status).toBe(200)
      expect(answer.headers.get('x-sluice-attempts')).toBe('1')
    }
    expect(new Set(keysOf(upstream).slice(used)).size).toBe(3)
    expect((await chat(gateway, 'Hi', bob)).status).toBe(200)
  })

  test('for the only key blocks it for its caller and model until another call succeeds', async () => {
    await using upstream = await fakeUpstream(refusesBad(status))
    await using gateway = await start(routes(upstream, ['key-one']))
    expect((await chat(gateway, bad, bob)).status).toBe(502)
    expect((await chat(gateway, 'Hi', bob, 'up/other')).status).toBe(200)
    if (status !== 403) {
      const used = upstream.seen.length
      const resting = await chat(gateway, 'Hi', bob)
      expect(resting.status).toBe(502)
      expect(Number(resting.headers.get('retry-after'))).toBeLessThanOrEqual(5)
      expect(upstream.seen.length).toBe(used)
    }
    expect((await chat(gateway, 'Hi', alice)).status).toBe(200)
    expect((await chat(gateway, 'Hi', bob)).status).toBe(200)
  })

  test('for two keys falls back to the next target', async () => {
    await using upstream = await fakeUpstream(error(status))
    await using spare = await fakeUpstream(good)
    await using gateway = await start({
      ...routes(upstream, ['key-one', 'key-two', 'key-three']),
      providers: {
        up: { type: 'openai', baseUrl: upstream.url, keys: ['key-one', 'key-two', 'key-three'] },
        spare: { type: 'openai', baseUrl: spare.url, key: 'key-spare' },
      },
      models: { m: { targets: [{ target: 'up/m' }], fallback: ['spare/m'] } },
    })
    const answer = await chat(gateway, 'Hi', bob, 'm')
    expect(answer.status).toBe(200)
    expect(answer.headers.get('x-sluice-provider')).toBe('spare')
    expect(upstream.seen.length).toBe(2)
  })
})

test('a provider key without credit for one model serves the others', async () => {
  await using upstream = await fakeUpstream((seen, response, request) =>
    seen.headers['authorization'] === 'Bearer key-one' && seen.body['model'] === 'dear'
      ? error(402)(seen, response)
      : good(seen, response, request),
  )
  await using gateway = await start(routes(upstream, ['key-one', 'key-two']))
  for (let time = 0; time < 4; time += 1)
    expect((await chat(gateway, 'Hi', bob, 'up/dear')).status).toBe(200)
  const dear = upstream.seen.filter(({ headers }) => headers['authorization'] === 'Bearer key-one')
  expect(dear.length).toBe(1)
  for (let time = 0; time < 4; time += 1)
    expect((await chat(gateway, 'Hi', alice, 'up/cheap')).headers.get('x-sluice-attempts')).toBe(
      '1',
    )
  const cheap = upstream.seen.filter(({ body }) => body['model'] === 'cheap')
  expect(new Set(cheap.map(({ headers }) => headers['authorization'])).size).toBe(2)
})

const conversation = 'conv_of_somebody'
const aboutConversation = {
  error: {
    message: `Conversation with id '${conversation}' not found.`,
    type: 'invalid_request_error',
    param: null,
    code: null,
  },
}

describe('an upstream that speaks the Responses API', () => {
  const native =
    (status: number, body: unknown): Answering =>
    (seen, response) => {
      if (!seen.path.endsWith('/responses')) return json(response, chatReply('Translated'))
      return seen.text.includes(conversation)
        ? json(response, body, { status })
        : json(response, upstreamResponse(`resp_${Math.random()}`, 'Native'))
    }
  const respond = (gateway: Started, further: object, options: RequestOptions) =>
    gateway.post('/v1/responses', { model: 'up/m', input: 'Hi', store: false, ...further }, options)
  const single = (upstream: FakeUpstream): Routes => routes(upstream, ['key-one'])

  test.each([
    ['an error object', 404, aboutConversation],
    ['a detail', 404, { detail: `${conversation} was not found` }],
    ['a message', 404, { code: 5, message: `${conversation} was not found` }],
    [
      'a message that contains an id of the request',
      404,
      { error: { message: 'No id "Not Found"' } },
    ],
  ])(
    'keeps its format after a 404 about the content of a request: %s',
    async (_name, status, body) => {
      await using upstream = await fakeUpstream(native(status, body))
      await using gateway = await start(single(upstream))
      const refused = await respond(gateway, { metadata: { conversation } }, bob)
      expect(refused.status).toBe(404)
      const answer = await respond(gateway, {}, alice)
      expect(await answer.text()).toContain('Native')
      expect(upstream.seen.every(({ path }) => path.endsWith('/responses'))).toBe(true)
    },
  )

  test.each([
    [405, {}],
    [501, {}],
    [404, {}],
    [404, { detail: 'Not Found' }],
  ])(
    'keeps its format for others after %i, once a Responses request succeeded',
    async (status, body) => {
      await using upstream = await fakeUpstream(native(status, body))
      await using gateway = await start(single(upstream))
      expect(await (await respond(gateway, {}, alice)).text()).toContain('Native')
      const refused = await respond(gateway, { metadata: { conversation } }, bob)
      expect(await refused.text()).toContain('Translated')
      expect(await (await respond(gateway, {}, alice)).text()).toContain('Native')
    },
  )

  test.each<[string, Answering]>([
    ['405', (_seen, response) => json(response, {}, { status: 405 })],
    ['501', (_seen, response) => json(response, {}, { status: 501 })],
    ['404 and nothing', (_seen, response) => noSuchAddress(response)],
    ['404 and a page', (_seen, response) => void response.writeHead(404).end('page not found')],
    [
      'FastAPI’s 404',
      (_seen, response) => json(response, { detail: 'Not Found' }, { status: 404 }),
    ],
    [
      'OpenAI’s 404',
      error(404, { message: 'Invalid URL (POST /v1/responses)', type: 'invalid_request_error' }),
    ],
    ['llama.cpp’s 404', error(404, { message: 'File Not Found', type: 'not_found_error' })],
  ])('is marked as lacking the format by %s, only at this base URL', async (_name, missing) => {
    await using upstream = await fakeUpstream((seen, response, request) =>
      seen.path.endsWith('/responses')
        ? missing(seen, response, request)
        : json(response, chatReply('Translated')),
    )
    await using other = await fakeUpstream(native(404, aboutConversation))
    await using gateway = await start(single(upstream))
    for (const caller of [bob, alice])
      expect(await (await respond(gateway, {}, caller)).text()).toContain('Translated')
    expect(upstream.seen.filter(({ path }) => path.endsWith('/responses')).length).toBe(1)
    await gateway.configure(single(other))
    expect(await (await respond(gateway, {}, alice)).text()).toContain('Native')
  })
})
