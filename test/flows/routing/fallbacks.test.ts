import { describe, expect, test } from 'vitest'
import { fakeDate } from '../../support/fake-date.ts'
import { type Answering, fakeUpstream, json } from '../../support/fakes/fake-upstream.ts'
import { chatReply } from '../../support/fakes/openai-wire.ts'
import { ask, at, error, good } from '../../support/routes.ts'
import { start } from '../../support/start.ts'

/** One row each: what the first upstream says, and what it leads to. */
describe('retries, fallbacks and errors returned to the caller', () => {
  test.each([
    ['429', error(429), 1, true],
    ['503 that names a time', error(503, {}, { 'retry-after': '9' }), 1, true],
    ['429 insufficient_quota', error(429, { code: 'insufficient_quota' }), 1, true],
    ['500', error(500), 2, true],
    ['502', error(502), 2, true],
    ['503', error(503), 2, true],
    ['529', error(529), 2, true],
    ['425', error(425), 2, true],
    ['499: it lost its client, which is the gateway', error(499), 2, true],
    ['504', error(504), 1, true],
    ['408', error(408), 1, true],
    ['401', error(401), 1, true],
    ['403', error(403), 1, true],
    ['404', error(404), 1, true],
    ['400', error(400), 1, false],
    ['413', error(413), 1, false],
    ['422', error(422), 1, false],
    [
      'a closed connection',
      ((_s, response) => void response.destroy()) satisfies Answering,
      2,
      true,
    ],
    [
      'an answer that is not JSON',
      ((_s, response) => {
        response.writeHead(200, { 'content-type': 'application/json' })
        response.end('<html>')
      }) satisfies Answering,
      1,
      true,
    ],
    [
      'an error body with status 200',
      ((_s, response) => json(response, { error: { message: 'broken' } })) satisfies Answering,
      2,
      true,
    ],
    ['silence', (() => {}) satisfies Answering, 1, true],
  ])('%s', async (_name, answering, tries, fallsBack) => {
    await using first = await fakeUpstream(answering)
    await using second = await fakeUpstream(good)
    await using gateway = await start(
      at(
        { first, second },
        {
          models: { m: { targets: [{ target: 'first/m' }], fallback: ['second/m'] } },
          defaults: { retries: { attempts: 2, baseMs: 1 }, timeouts: { headersMs: 2_000 } },
        },
      ),
    )
    const response = await gateway.post('/v1/chat/completions', { model: 'm', ...ask })
    expect(first.seen.length).toBe(tries)
    expect(second.seen.length).toBe(fallsBack ? 1 : 0)
    expect(response.status === 200).toBe(fallsBack)
    expect(response.headers.get('x-sluice-attempts')).toBe(String(tries + (fallsBack ? 1 : 0)))
    const { store } = gateway.gateway
    await store.flush()
    expect((await store.listUsage({ limit: 9 })).length).toBe(tries + (fallsBack ? 1 : 0))
  })
})

test('keeps an upstream’s status, message and request id', async () => {
  await using only = await fakeUpstream(
    error(
      422,
      { message: 'Too many tools', code: 'tools', param: 'tools' },
      { 'x-request-id': 'r1' },
    ),
  )
  await using gateway = await start(at({ only }))
  const response = await gateway.post('/v1/chat/completions', { model: 'only/m', ...ask })
  expect(response.status).toBe(422)
  expect(response.headers.get('x-upstream-request-id')).toBe('r1')
  expect(await response.json()).toEqual({
    error: {
      message: 'Too many tools',
      type: 'invalid_request_error',
      param: 'tools',
      code: 'tools',
    },
  })
})

test('hides a rejected upstream credential from the caller and the log', async () => {
  await using only = await fakeUpstream(
    error(401, {
      message: 'Incorrect API key provided: sk-abcdefgh12345678 at http://10.0.0.7:8080',
    }),
  )
  await using gateway = await start(at({ only }))
  const response = await gateway.post('/v1/chat/completions', { model: 'only/m', ...ask })
  expect(response.status).toBe(502)
  const text = await response.text()
  expect(text).not.toMatch(/sk-abc|10\.0\.0\.7|key-of-only/)
  expect(JSON.stringify(gateway.logged)).not.toMatch(/sk-abc|key-of-only/)
})

test('skips a rejected key and uses the next', async () => {
  await using only = await fakeUpstream((seen, response) =>
    seen.headers['authorization'] === 'Bearer bad'
      ? json(response, { error: { message: 'no' } }, { status: 401 })
      : json(response, chatReply('Hello')),
  )
  await using gateway = await start({
    providers: { only: { type: 'openai', baseUrl: only.url, keys: ['bad', 'one', 'two'] } },
  })
  for (let call = 0; call < 6; call += 1) {
    const response = await gateway.post('/v1/chat/completions', { model: 'only/m', ...ask })
    expect(response.status).toBe(200)
  }
  const used = only.seen.map(({ headers }) => headers['authorization'])
  expect(used.filter((key) => key === 'Bearer bad').length).toBe(1)
  expect(new Set(used).size).toBe(3)
})

test('waits for a short Retry-After and passes on a long one', async () => {
  let times: number[] = []
  await using only = await fakeUpstream((seen, response) => {
    times = [...times, Date.now()]
    return times.length === 1
      ? error(429, {}, { 'retry-after-ms': '120' })(seen, response)
      : json(response, chatReply('Hello'))
  })
  await using gateway = await start(
    at({ only }, { defaults: { retries: { attempts: 2, baseMs: 1, maxMs: 1000 } } }),
  )
  const body = { model: 'only/m', ...ask }
  expect((await gateway.post('/v1/chat/completions', body)).status).toBe(200)
  expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(115)
  only.answer(error(429, {}, { 'retry-after': new Date(Date.now() + 30_000).toUTCString() }))
  const seen = only.seen.length
  const response = await gateway.post('/v1/chat/completions', body)
  expect(response.status).toBe(429)
  expect(only.seen.length).toBe(seen + 1)
  // Of half a minute, which this call has taken a part of.
  const seconds = Number(response.headers.get('retry-after'))
  expect([seconds > 25, seconds <= 30]).toEqual([true, true])
})

test('opens the breaker of a failing target and closes it after one probe', async () => {
  const begun = Date.UTC(2026, 0, 1)
  using date = fakeDate(begun)
  await using first = await fakeUpstream(error(500))
  await using second = await fakeUpstream(good)
  await using gateway = await start(
    at(
      { first, second },
      {
        models: {
          m: {
            targets: [{ target: 'first/m' }],
            fallback: ['second/m'],
            retries: { attempts: 1 },
            breaker: { failures: 3, windowMs: 60_000, cooldownMs: 100 },
          },
        },
      },
    ),
  )
  const call = async () => {
    const response = await gateway.post('/v1/chat/completions', { model: 'm', ...ask })
    await response.arrayBuffer()
    return `${response.status} ${response.headers.get('x-sluice-provider')}`
  }
  for (const at of [begun, begun + 99]) {
    date.set(at)
    for (let index = 0; index < 3; index += 1) expect(await call()).toBe('200 second')
  }
  expect(first.seen.length).toBe(3)
  // The probe fails, so it rests once more.
  date.set(begun + 100)
  expect([await call(), await call()]).toEqual(['200 second', '200 second'])
  expect(first.seen.length).toBe(4)
  first.answer(good)
  date.set(begun + 199)
  expect(await call()).toBe('200 second')
  date.set(begun + 200)
  expect([await call(), await call()]).toEqual(['200 first', '200 first'])
})

test('distributes calls by weight and priority', async () => {
  await using light = await fakeUpstream(good)
  await using heavy = await fakeUpstream(good)
  await using spare = await fakeUpstream(good)
  await using gateway = await start(
    at(
      { light, heavy, spare },
      {
        models: {
          m: {
            targets: [
              { target: 'light/m', weight: 1 },
              { target: 'heavy/m', weight: 9 },
              { target: 'spare/m', weight: 100, priority: 1 },
            ],
          },
        },
      },
    ),
  )
  for (let index = 0; index < 120; index += 1)
    await (await gateway.post('/v1/chat/completions', { model: 'm', ...ask })).arrayBuffer()
  expect(spare.seen.length).toBe(0)
  expect(heavy.seen.length).toBeGreaterThan(80)
  expect(light.seen.length).toBeGreaterThan(0)
})

test('sticky routing keeps a prompt prefix at its target and spreads others', async () => {
  await using one = await fakeUpstream(good)
  await using two = await fakeUpstream(good)
  await using gateway = await start(
    at(
      { one, two },
      { models: { m: { targets: [{ target: 'one/m' }, { target: 'two/m' }], sticky: true } } },
    ),
  )
  const by = async (topic: string, turns: number) => {
    const messages = [
      { role: 'system', content: topic },
      { role: 'user', content: 'first' },
      ...Array.from({ length: turns }, (_, turn) => ({ role: 'user', content: `turn ${turn}` })),
    ]
    const response = await gateway.post('/v1/chat/completions', { model: 'm', messages })
    await response.arrayBuffer()
    return response.headers.get('x-sluice-provider')
  }
  const first = await by('fish', 0)
  for (let turns = 1; turns < 6; turns += 1) expect(await by('fish', turns)).toBe(first)
  const chosen = new Set<string | null>()
  for (let topic = 0; topic < 20; topic += 1) chosen.add(await by(`topic ${topic}`, 0))
  expect(chosen.size).toBe(2)
})

test('prefers the faster of equal targets', async () => {
  await using slow = await fakeUpstream((_seen, response) => {
    setTimeout(() => json(response, chatReply('slow')), 60)
  })
  await using fast = await fakeUpstream(good)
  await using gateway = await start(
    at(
      { slow, fast },
      {
        models: {
          m: { targets: [{ target: 'slow/m' }, { target: 'fast/m' }], strategy: 'latency' },
        },
      },
    ),
  )
  for (let index = 0; index < 30; index += 1)
    await (await gateway.post('/v1/chat/completions', { model: 'm', ...ask })).arrayBuffer()
  expect(fast.seen.length).toBeGreaterThan(slow.seen.length * 2)
})

test('rejects a field that the target lacks, or drops and reports it', async () => {
  await using only = await fakeUpstream((_seen, response) =>
    json(response, {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'up',
      content: [{ type: 'text', text: 'Hello' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 7, output_tokens: 3 },
    }),
  )
  const providers = { only: { type: 'anthropic' as const, baseUrl: only.url, key: 'k' } }
  await using gateway = await start({
    providers,
    models: { loose: { targets: [{ target: 'only/m' }], unsupported: 'report' } },
  })
  const body = { ...ask, logit_bias: { 50256: -100 }, n: 1, presence_penalty: 0 }
  const refused = await gateway.post('/v1/chat/completions', { ...body, model: 'only/m' })
  expect(refused.status).toBe(400)
  expect(await refused.json()).toMatchObject({
    error: { code: 'unsupported_parameter', param: 'logit_bias' },
  })
  expect(only.seen.length).toBe(0)
  const dropped = await gateway.post('/v1/chat/completions', { ...body, model: 'loose' })
  expect(dropped.status).toBe(200)
  expect(dropped.headers.get('x-sluice-dropped')).toBe('logit_bias')
})

test('applies a changed configuration while calls run', async () => {
  await using one = await fakeUpstream(good)
  await using two = await fakeUpstream(good)
  const route = (target: string) => ({ models: { m: { targets: [{ target }] } } })
  await using gateway = await start(at({ one, two }, route('one/m')))
  const call = async () => {
    const response = await gateway.post('/v1/chat/completions', { model: 'm', ...ask })
    await response.arrayBuffer()
    return `${response.status} ${response.headers.get('x-sluice-provider')}`
  }
  expect(await call()).toBe('200 one')
  await gateway.configure(at({ one, two }, route('two/m')))
  expect(await call()).toBe('200 two')
})

test('resolves a bare model name if exactly one provider lists it', async () => {
  const listing =
    (...ids: string[]): Answering =>
    (seen, response) =>
      seen.path.endsWith('/models')
        ? json(response, { object: 'list', data: ids.map((id) => ({ id, object: 'model' })) })
        : json(response, chatReply('Hello'))
  await using one = await fakeUpstream(listing('alpha', 'both'))
  await using two = await fakeUpstream(listing('beta', 'both'))
  await using gateway = await start(at({ one, two }))
  const call = (model: string) => gateway.post('/v1/chat/completions', { model, ...ask })
  expect((await call('beta')).headers.get('x-sluice-provider')).toBe('two')
  expect((await call('alpha')).headers.get('x-sluice-provider')).toBe('one')
  const unclear = await call('both')
  expect(unclear.status).toBe(404)
  expect(((await unclear.json()) as { error: { message: string } }).error.message).toContain(
    'one/both',
  )
  expect((await call('gamma')).status).toBe(404)
  expect((await call('gpt-4o')).status).toBe(404)
  const list = (await (await gateway.request('/v1/models')).json()) as { data: { id: string }[] }
  expect(list.data.map(({ id }) => id)).toEqual(
    expect.arrayContaining(['alpha', 'one/alpha', 'beta', 'one/both', 'two/both', 'builtin-chat']),
  )
})

test('explain shows target, reason, body and dropped fields without sending anything', async () => {
  await using only = await fakeUpstream(good)
  await using gateway = await start({
    providers: { only: { type: 'anthropic', baseUrl: only.url, key: 'k' } },
    models: { m: { targets: [{ target: 'only/claude' }], unsupported: 'report' } },
  })
  const { adminKey } = await import('../../support/start.ts')
  const asked = { request: { model: 'm', ...ask, seed: 7 } }
  const response = await gateway.post('/admin/v1/explain', asked, { key: adminKey })
  expect(await response.json()).toMatchObject({
    model: 'm',
    targets: [
      {
        target: 'only/claude',
        because: 'models.m.targets[0]',
        chosen: true,
        mode: 'translated',
        upstream: { method: 'POST', body: { model: 'claude' } },
        dropped: ['seed'],
      },
    ],
  })
  expect(only.seen.length).toBe(0)
  expect((await gateway.post('/admin/v1/explain', asked)).status).toBe(403)
})
