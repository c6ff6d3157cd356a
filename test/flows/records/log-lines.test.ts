// The log of a call: one line for the call, and a warning for each failure.
import { describe, expect, test } from 'vitest'
import { type Answering, fakeUpstream, json, sse } from '../../support/fakes/fake-upstream.ts'
import { chunk, textStream } from '../../support/fakes/openai-wire.ts'
import { ask, at, error, good, type Routes } from '../../support/routes.ts'
import { type Started, start, testKey, until } from '../../support/start.ts'

const nobody = 'http://127.0.0.1:1'

const warnings = ({ logged }: Started) => logged.filter(({ level }) => level === 'warn')

/** The line of the last request, which is written a moment after its answer. */
const requestLine = (gateway: Started, path = '/v1/chat/completions') =>
  until(() =>
    gateway.logged.findLast(
      ({ message, fields }) => message === 'request' && fields['path'] === path,
    ),
  )

async function call(gateway: Started, body: object = {}): Promise<Response> {
  const response = await gateway.post('/v1/chat/completions', { model: 'm', ...ask, ...body })
  await response.clone().arrayBuffer()
  return response
}

/** Cuts the connection after the first content. */
const cut: Answering = async (_seen, response) => {
  await sse(response, [chunk({ role: 'assistant', content: 'Hel' })], { end: false })
  response.destroy()
}

interface Failure {
  readonly what: string
  readonly answering: Answering
  readonly body?: object
  readonly fields: object
}

const failures: readonly Failure[] = [
  {
    what: 'an error of the upstream',
    answering: error(503, { message: 'We are down' }),
    fields: {
      status: 503,
      code: 'upstream_unavailable',
      reason: 'first answered 503: We are down',
    },
  },
  {
    what: 'a rate limit',
    answering: error(429),
    fields: { status: 429, code: 'rate_limit_exceeded', reason: 'first answered 429: said so' },
  },
  {
    what: 'a refused credential, which is not shown',
    answering: error(401, { message: 'Incorrect API key provided: key-of-first' }),
    fields: {
      status: 401,
      code: 'upstream_authentication',
      reason: expect.stringMatching(
        /refused the gateway’s credential or account \(401\): .*\*\*\*/,
      ),
    },
  },
  {
    what: 'a model that the upstream does not have',
    answering: error(404, { code: 'model_not_found' }),
    fields: {
      status: 404,
      code: 'model_not_found',
      upstreamCode: 'model_not_found',
      reason: 'first refused the request (404)',
    },
  },
  {
    what: 'something that is no JSON',
    answering: (_seen, response) => void response.end('<html>'),
    fields: { code: 'bad_response', reason: expect.stringContaining('JSON') },
  },
  {
    what: 'a connection that is cut',
    answering: (_seen, response) => void response.destroy(),
    fields: {
      code: 'upstream_unavailable',
      reason: expect.stringContaining('closed the connection before the end of its response'),
    },
  },
]

describe('log of failed attempts', () => {
  test.each(failures)('has one warning for $what', async ({ answering, fields }) => {
    await using first = await fakeUpstream(answering)
    await using second = await fakeUpstream(good)
    const models = {
      m: { targets: [{ target: 'first/x' }], fallback: ['second/y'], retries: { attempts: 1 } },
    }
    await using gateway = await start(at({ first, second }, { models }))
    const response = await call(gateway)
    expect(response.status).toBe(200)
    const id = response.headers.get('x-request-id')
    expect(warnings(gateway)).toEqual([
      {
        level: 'warn',
        message: 'an attempt failed',
        fields: expect.objectContaining({ id, attempt: 1, target: 'first/x', ...fields }),
      },
    ])
    expect(JSON.stringify(gateway.logged)).not.toContain('key-of-')
    expect((await requestLine(gateway)).fields).toMatchObject({
      id,
      target: 'second/y',
      attempts: 2,
    })
  })

  test('has one warning per attempt', async () => {
    await using first = await fakeUpstream(error(500))
    const routes: Routes = {
      ...at({ first }),
      models: {
        m: {
          targets: [{ target: 'first/x' }],
          fallback: ['gone/y'],
          retries: { attempts: 2, baseMs: 1 },
        },
      },
    }
    const { providers = {} } = routes
    await using gateway = await start({
      ...routes,
      providers: { ...providers, gone: { type: 'openai', baseUrl: nobody, key: 'k' } },
    })
    expect((await call(gateway)).status).toBe(503)
    expect(
      warnings(gateway).map(({ fields: { attempt, target, status } }) => [attempt, target, status]),
    ).toEqual([
      [1, 'first/x', 500],
      [2, 'first/x', 500],
      [3, 'gone/y', undefined],
      [4, 'gone/y', undefined],
    ])
    expect(warnings(gateway).at(-1)?.fields['reason']).toMatch(/ECONNREFUSED/)
  })

  test('does not repeat the caller’s content when the upstream rejects it', async () => {
    await using first = await fakeUpstream(
      error(400, { message: 'No: a very private thought', code: 'bad_thought', param: 'messages' }),
    )
    await using gateway = await start(at({ first }, { models: { m: 'first/x' } }))
    expect((await call(gateway)).status).toBe(400)
    expect(warnings(gateway).map(({ fields }) => fields)).toEqual([
      expect.objectContaining({
        target: 'first/x',
        status: 400,
        code: 'bad_thought',
        upstreamCode: 'bad_thought',
        reason: 'first refused the request (400)',
      }),
    ])
    expect(JSON.stringify(gateway.logged)).not.toContain('private thought')
  })

  test('has no warning for an invalid request or a caller that disconnects', async () => {
    await using first = await fakeUpstream((seen, response) => {
      if (seen.method === 'GET') json(response, { data: [] })
    })
    await using gateway = await start(at({ first }, { models: { m: 'first/x' } }))
    expect((await call(gateway, { messages: 7 })).status).toBe(400)
    expect((await call(gateway, { model: 'nothing-like-it' })).status).toBe(404)
    const leaving = new AbortController()
    const asked = gateway.post(
      '/v1/chat/completions',
      { model: 'm', ...ask },
      { signal: leaving.signal },
    )
    await until(() => first.seen.some(({ method }) => method === 'POST'))
    leaving.abort()
    await expect(asked).rejects.toThrow('aborted')
    await until(() => gateway.logged.some(({ fields }) => fields['left'] === true))
    expect(warnings(gateway)).toEqual([])
  })

  test('has one warning for a broken stream, with the code of its error event', async () => {
    await using first = await fakeUpstream(cut)
    await using gateway = await start(at({ first }, { models: { m: 'first/x' } }))
    const response = await call(gateway, { stream: true })
    expect(await response.text()).toContain('"stream_interrupted"')
    const { fields } = await requestLine(gateway)
    expect(fields).toMatchObject({ status: 200, stream: true, code: 'stream_interrupted' })
    expect(warnings(gateway).map(({ fields: { attempt, code } }) => ({ attempt, code }))).toEqual([
      { attempt: 1, code: 'stream_interrupted' },
    ])
  })
})

test('logs each change of the breaker’s state once', async () => {
  await using first = await fakeUpstream(error(500))
  const breaker = { failures: 2, windowMs: 60_000, cooldownMs: 50 }
  const models = { m: { targets: [{ target: 'first/x' }], retries: { attempts: 1 }, breaker } }
  await using gateway = await start(at({ first }, { models }))
  const changes = () =>
    gateway.logged.flatMap(({ level, message, fields }) =>
      message.includes('breaker')
        ? [`${level} ${String(fields['target'])} ${String(fields['state'])}`]
        : [],
    )
  const rest = () => new Promise((resolve) => setTimeout(resolve, breaker.cooldownMs + 10))
  await call(gateway)
  expect(changes()).toEqual([])
  await call(gateway)
  expect(changes()).toEqual(['warn first/x open'])
  await rest()
  await call(gateway)
  const reopened = ['warn first/x open', 'warn first/x half-open', 'warn first/x open']
  expect(changes()).toEqual(reopened)
  first.answer(good)
  await rest()
  await call(gateway)
  await call(gateway)
  expect(changes()).toEqual([...reopened, 'warn first/x half-open', 'warn first/x closed'])
})

describe('the request log line', () => {
  test('has target, key name, stream flag, time to first token and tokens', async () => {
    await using first = await fakeUpstream((seen, response) =>
      seen.body['stream'] === true ? sse(response, textStream) : good(seen, response, response.req),
    )
    await using gateway = await start({
      ...at({ first }, { models: { m: 'first/x' } }),
      keys: [{ name: 'team one', key: 'sk-team-one-0123456789' }],
    })
    for (const stream of [false, true]) {
      const response = await gateway.post(
        '/v1/chat/completions',
        { model: 'm', ...ask, stream, ...(stream && { stream_options: { include_usage: true } }) },
        { key: 'sk-team-one-0123456789' },
      )
      await response.text()
      const line = await until(() =>
        gateway.logged.find(({ fields }) => fields['stream'] === stream),
      )
      expect(line).toMatchObject({
        level: 'info',
        message: 'request',
        fields: {
          id: response.headers.get('x-request-id'),
          method: 'POST',
          path: '/v1/chat/completions',
          status: 200,
          ms: expect.any(Number),
          keyName: 'team one',
          operation: 'chat',
          model: 'm',
          stream,
          target: 'first/x',
          attempts: 1,
          firstTokenMs: expect.any(Number),
          inputTokens: expect.any(Number),
          outputTokens: expect.any(Number),
        },
      })
      expect(line.fields).not.toHaveProperty('code')
    }
    expect(gateway.logged.filter(({ level }) => level !== 'info')).toEqual([])
  })

  const wrong = { model: 'nothing-like-it', max_tokens: 5, ...ask }
  test.each([
    ['/v1/chat/completions', wrong, (body: ErrorBody) => body.error.code],
    ['/v1/messages', wrong, (body: ErrorBody) => body.error.type],
    [
      '/v1beta/models/nothing:generateContent',
      { contents: [{ parts: [{ text: 'Hi' }] }] },
      (body: ErrorBody) => body.error.status,
    ],
    ['/v1/no-such-address', {}, (body: ErrorBody) => body.error.code],
  ])('has the error code that the caller got: %s', async (path, body, seen) => {
    await using gateway = await start()
    const response = await gateway.post(path, body)
    const code = seen((await response.json()) as ErrorBody)
    expect(code).toEqual(expect.any(String))
    expect((await requestLine(gateway, path)).fields).toMatchObject({
      status: response.status,
      code,
    })
  })

  test('has the error code of a rejected provider key as the caller got it', async () => {
    await using first = await fakeUpstream(error(401))
    await using gateway = await start(at({ first }, { models: { m: 'first/x' } }))
    expect(await (await call(gateway)).json()).toMatchObject({
      error: { code: 'upstream_authentication' },
    })
    const codes = gateway.logged.flatMap(({ fields }) => ('code' in fields ? [fields['code']] : []))
    await requestLine(gateway)
    expect(new Set(codes)).toEqual(new Set(['upstream_authentication']))
  })

  test('is at level debug for successful health probes', async () => {
    await using gateway = await start()
    for (const path of ['/healthz', '/readyz'])
      expect((await gateway.request(path, { key: null })).status).toBe(200)
    await gateway.request('/healthz', { key: testKey, method: 'HEAD' })
    await until(() => gateway.logged.length === 3)
    expect(gateway.logged.map(({ level }) => level)).toEqual(['debug', 'debug', 'debug'])
  })

  test('is at level info for failed health probes and all other requests', async () => {
    await using gateway = await start()
    const checkWritable = () => Promise.reject(new Error('The disk is full'))
    Object.assign(gateway.gateway.store, { checkWritable })
    const asks: readonly (readonly [path: string, status: number])[] = [
      ['/readyz', 503],
      ['/healthz', 200],
      ['/healthz/x', 404],
      ['/v1/models', 200],
    ]
    for (const [path, status] of asks) expect((await gateway.request(path)).status).toBe(status)
    const requests = () => gateway.logged.filter(({ message }) => message === 'request')
    await until(() => requests().length === asks.length)
    const told = requests().map(({ level, fields }) => [fields['path'], fields['status'], level])
    const expected = asks.map(([path, status]) => [
      path,
      status,
      path === '/healthz' ? 'debug' : 'info',
    ])
    expect(told).toEqual(expect.arrayContaining(expected))
  })
})

interface ErrorBody {
  readonly error: { readonly code?: unknown; readonly type?: unknown; readonly status?: unknown }
}
