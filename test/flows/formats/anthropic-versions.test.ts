// Anthropic's newest SDK, which sends a bearer key and version 2026-10-21 of the API, and the version that upstreams
// receive.
import Anthropic from '@anthropic-ai/sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type FakeUpstream, fakeUpstream, json } from '../../support/fakes/fake-upstream.ts'
import { adminKey, type Started, start, testKey } from '../../support/start.ts'

const newest = '2026-10-21'
const bearer = { 'anthropic-version': newest }

let gateway: Started
let upstream: FakeUpstream
let client: Anthropic

const reply = {
  id: 'msg_up',
  type: 'message',
  role: 'assistant',
  model: 'claude-sonnet-4-5',
  content: [{ type: 'text', text: 'Hello' }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 3, output_tokens: 2 },
}

const listed = ['claude-opus-5-5', 'claude-sonnet-4-6', 'claude-3-haiku-20240307', 'someone-else']

beforeAll(async () => {
  upstream = await fakeUpstream((seen, response) =>
    seen.path.startsWith('/v1/models')
      ? json(response, { data: listed.map((id) => ({ id, type: 'model', display_name: id })) })
      : json(response, reply, { headers: { 'request-id': 'req_of_the_upstream' } }),
  )
  gateway = await start({
    providers: {
      an: { type: 'anthropic', baseUrl: upstream.url, key: 'k' },
      'google-vertex-anthropic': { key: 'token', project: 'p', baseUrl: upstream.url },
    },
    builtin: { enabled: 'always' },
    defaults: { retries: { attempts: 1 } },
  })
  client = new Anthropic({ apiKey: testKey, baseURL: gateway.url, maxRetries: 0 })
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await upstream[Symbol.asyncDispose]()
})

type Members = { readonly [Name in keyof Anthropic.ModelInfo]-?: (value: unknown) => boolean }

const isText = (value: unknown) => typeof value === 'string'
const isCountOrNull = (value: unknown) => value === null || Number.isInteger(value)
const isObject = (value: unknown) => typeof value === 'object'

/** Every member that the SDK's type requires, and what it holds. */
const members: Members = {
  id: isText,
  capabilities: isObject,
  created_at: (value) => isText(value) && !Number.isNaN(Date.parse(String(value))),
  deprecated_at: (value) => value === null,
  display_name: isText,
  lifecycle: (value) => value === 'active',
  line: (value) => value === null || /^(haiku|sonnet|opus|fable|mythos)$/.test(String(value)),
  max_input_tokens: isCountOrNull,
  max_tokens: isCountOrNull,
  retires_at: (value) => value === null,
  type: (value) => value === 'model',
}

function expectWhole(model: object): void {
  expect(Object.keys(model).toSorted()).toEqual(Object.keys(members).toSorted())
  for (const [name, value] of Object.entries(model))
    expect(members[name as keyof Members](value), `${name}: ${JSON.stringify(value)}`).toBe(true)
}

type Support = Readonly<Record<string, unknown>>

/** Each capability says whether it is supported, down to the leaves. */
function expectSupport(capability: Support): void {
  if ('supported' in capability) expect(typeof capability['supported']).toBe('boolean')
  for (const inner of Object.values(capability))
    if (typeof inner === 'object' && inner !== null) expectSupport(inner as Support)
}

describe('models in Anthropic’s format', () => {
  test('are listed in pages, with every member the SDK’s type requires', async () => {
    const all: string[] = []
    for await (const model of client.models.list({ limit: 3 })) {
      expectWhole(model)
      all.push(model.id)
    }
    const plain = (await (await gateway.request('/v1/models')).json()) as { data: { id: string }[] }
    expect(all).toEqual(plain.data.map(({ id }) => id))
    const page = await client.models.list({ limit: 2, after_id: all[1]! })
    expect(page.data.map(({ id }) => id)).toEqual(all.slice(2, 4))
    const before = await client.models.list({ limit: 2, before_id: all[4]! })
    expect(before.data.map(({ id }) => id)).toEqual(all.slice(2, 4))
    expect(before.has_more).toBe(true)
    const first = await client.models.list({ limit: 4, before_id: all[4]! })
    expect(first).toMatchObject({ has_more: false, first_id: all[0], last_id: all[3] })
  })

  test.each([
    ['an/claude-opus-5-5', 'opus', { adaptive: true, disabled: false, enabled: false }],
    ['an/claude-sonnet-4-6', 'sonnet', { adaptive: true, disabled: true, enabled: true }],
  ])('include the known capabilities of %s', async (id, line, types) => {
    const model = await client.models.retrieve(id)
    expectWhole(model)
    expect(model).toMatchObject({ id, line, capabilities: { image_input: { supported: true } } })
    expectSupport({ ...model.capabilities })
    for (const [name, supported] of Object.entries(types))
      expect(model.capabilities?.thinking.types).toMatchObject({ [name]: { supported } })
  })

  test.each(['an/someone-else', 'builtin-chat', 'an/claude-3-haiku-20240307'])(
    'have null capabilities for %s, which is unknown',
    async (id) => {
      const model = await client.models.retrieve(id)
      expectWhole(model)
      expect(model.capabilities).toBeNull()
    },
  )

  test('that do not exist answer 404 in Anthropic’s error format', async () => {
    const failed = client.models.retrieve('nope')
    await expect(failed).rejects.toThrow(Anthropic.NotFoundError)
    await expect(failed).rejects.toMatchObject({ error: { error: { type: 'not_found_error' } } })
    await expect(failed).rejects.toHaveProperty('requestID', expect.stringMatching(/^req_/))
  })

  test('include the retirement date of a model that its provider retires', async () => {
    const models = ['claude-sonnet-4-5', 'claude-sonnet-5-5']
    await using retiring = await start({ providers: { anthropic: { key: 'k', models } } })
    const own = new Anthropic({ apiKey: testKey, baseURL: retiring.url, maxRetries: 0 })
    const deprecated = await own.models.list({ lifecycle: ['deprecated'] })
    const end = { lifecycle: 'deprecated', retires_at: '2026-11-30T00:00:00Z' }
    expect(deprecated.data).toMatchObject([
      { id: 'anthropic/claude-sonnet-4-5', ...end },
      { id: 'claude-sonnet-4-5', ...end },
    ])
    expect(await own.models.retrieve('anthropic/claude-sonnet-5-5')).toMatchObject({
      lifecycle: 'active',
      retires_at: null,
    })
  })

  test('can be filtered by lifecycle', async () => {
    const retired = await client.models.list({ lifecycle: ['retired', 'deprecated'] })
    expect(retired).toMatchObject({ data: [], has_more: false, first_id: null, last_id: null })
    const active = await client.models.list({ lifecycle: ['active', 'retired'] })
    expect(active.data.length).toBeGreaterThan(0)
  })

  test.each([
    ['limit=0', 'limit'],
    ['limit=1001', 'limit'],
    ['limit=2&limit=3', 'limit'],
    ['after_id=nope', 'after_id'],
    ['before_id=nope', 'before_id'],
    ['lifecycle[]=gone', 'lifecycle'],
    ['operation=nope', 'operation'],
  ])('reject the query ?%s with 400 and name its parameter', async (query, param) => {
    const answer = await gateway.request(`/v1/models?${query}`, { headers: bearer })
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({
      type: 'error',
      error: { type: 'invalid_request_error', message: expect.stringContaining(param) },
    })
  })

  test.each([
    ['a bearer key', { authorization: `Bearer ${testKey}` }],
    ['x-api-key', { 'x-api-key': testKey }],
    ['api-key', { 'api-key': testKey }],
    ['Google’s header', { 'x-goog-api-key': testKey }],
  ])('are sent to a client that sends anthropic-version, with %s', async (_name, headers) => {
    for (const version of ['2023-06-01', newest]) {
      const options = { key: null, headers: { ...headers, 'anthropic-version': version } }
      const answer = await gateway.request('/v1/models', options)
      expect(await answer.json()).toHaveProperty('has_more')
    }
  })
})

describe('the request-id header', () => {
  const asked = { model: 'an/claude-sonnet-4-5', max_tokens: 9, messages: [] as never[] }
  const hello = { ...asked, messages: [{ role: 'user' as const, content: 'Hi' }] }

  test('has the gateway’s id on messages, passed through or translated, and on streams', async () => {
    for (const model of ['an/claude-sonnet-4-5', 'builtin-chat']) {
      const message = await client.messages.create({ ...hello, model })
      expect(message._request_id).toMatch(/^req_/)
      expect(message._request_id).not.toBe('req_of_the_upstream')
    }
    const streamed = await client.messages
      .create({ ...hello, model: 'builtin-chat', stream: true })
      .withResponse()
    expect(streamed.request_id).toMatch(/^req_/)
    expect(streamed.response.headers.get('x-request-id')).toBe(streamed.request_id)
    for await (const event of streamed.data) expect(event.type).not.toBe('error')
    const counted = await client.messages.countTokens({
      model: 'builtin-chat',
      messages: hello.messages,
    })
    expect((counted as { _request_id?: string })._request_id).toMatch(/^req_/)
  })

  test.each([
    ['POST', '/v1/messages', { key: 'wrong' }, 401],
    ['POST', '/v1/messages', { key: null }, 401],
    ['POST', '/v1/messages', { body: '{}' }, 400],
    ['POST', '/v1/messages', { body: '{"model":"nope","max_tokens":1,"messages":[]}' }, 400],
    ['POST', '/v1/messages/count_tokens', { body: 'x' }, 400],
    ['DELETE', '/v1/messages', {}, 405],
    ['POST', '/v1/messages/batches', { body: '{}' }, 501],
    ['GET', '/v1/models', { key: 'wrong', headers: bearer }, 401],
    ['GET', '/v1/files', { headers: bearer }, 501],
    ['GET', '/v1/nope', { headers: bearer }, 404],
  ] as const)(
    'is on errors, with the same id in the body: %s %s %o',
    async (method, path, options, status) => {
      const headers = {
        'content-type': 'application/json',
        ...('headers' in options && options.headers),
      }
      const answer = await gateway.request(path, { method, ...options, headers })
      expect(answer.status).toBe(status)
      const id = answer.headers.get('request-id')
      expect(id).toMatch(/^req_/)
      expect(answer.headers.get('x-request-id')).toBe(id)
      expect(await answer.json()).toMatchObject({ type: 'error', request_id: id })
    },
  )

  test('echoes the caller’s x-request-id, also in errors', async () => {
    const headers = { 'x-request-id': 'mine-0123456789' }
    const failed = await gateway.post('/v1/messages', {}, { headers })
    expect(failed.headers.get('request-id')).toBe('mine-0123456789')
    expect(await failed.json()).toMatchObject({ request_id: 'mine-0123456789' })
    const made = await gateway.post('/v1/messages', hello, { headers })
    expect(made.headers.get('request-id')).toBe('mine-0123456789')
    await made.text()
  })

  test('matches the id in the error event of a stream', async () => {
    await using cut = await fakeUpstream((_seen, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('data: {"choices":[{"index":0,"delta":{"content":"He"}}]}\n\n')
      setTimeout(() => response.destroy(), 50)
    })
    await using other = await start({
      providers: { cut: { type: 'openai', baseUrl: cut.url, key: 'k' } },
      defaults: { retries: { attempts: 1 } },
    })
    const answer = await other.post('/v1/messages', { ...hello, model: 'cut/m', stream: true })
    const id = answer.headers.get('request-id')
    const error = /event: error\ndata: (.*)/.exec(await answer.text())?.[1] ?? '{}'
    expect(JSON.parse(error)).toMatchObject({ type: 'error', request_id: id })
  })

  test('is absent from other formats', async () => {
    for (const path of ['/v1/models', '/healthz', '/v1beta/models'])
      expect((await gateway.request(path)).headers.get('request-id')).toBeNull()
  })
})

test('sends rate limits in Anthropic’s headers, also on a 429', async () => {
  const limits = { name: 'limited', requestsPerMinute: 2, tokensPerMinute: 100_000 }
  const made = await gateway.post('/admin/v1/keys', limits, { key: adminKey })
  const options = { key: ((await made.json()) as { secret: string }).secret }
  const body = {
    model: 'builtin-chat',
    max_tokens: 9,
    messages: [{ role: 'user', content: 'Hi' }],
  }
  for (const remaining of ['1', '0', '0']) {
    const answer = await gateway.post('/v1/messages', body, options)
    const told = (name: string) => answer.headers.get(`anthropic-ratelimit-${name}`)
    expect(told('requests-limit')).toBe('2')
    expect(told('requests-remaining')).toBe(remaining)
    for (const unit of ['tokens', 'input-tokens', 'output-tokens']) {
      expect(told(`${unit}-limit`)).toBe('100000')
      expect(Number(told(`${unit}-remaining`))).toBeLessThanOrEqual(100_000)
    }
    for (const unit of ['requests', 'tokens', 'input-tokens', 'output-tokens']) {
      expect(told(`${unit}-reset`)).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
      const inMs = Date.parse(told(`${unit}-reset`) ?? '') - Date.now()
      expect(inMs).toBeGreaterThan(-2_000)
      expect(inMs).toBeLessThan(62_000)
    }
    // Other programs read these.
    expect(answer.headers.get('x-ratelimit-limit-requests')).toBe('2')
    await answer.text()
  }
  const refused = await gateway.post('/v1/messages', body, options)
  expect(refused.status).toBe(429)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  const chat = await gateway.post('/v1/chat/completions', body, options)
  expect(chat.headers.get('anthropic-ratelimit-requests-limit')).toBeNull()
})

describe('the version for an upstream', () => {
  const body = {
    model: 'an/claude-sonnet-4-5',
    max_tokens: 9,
    messages: [{ role: 'user', content: 'Hi' }],
  }
  const last = () => upstream.seen.at(-1)!

  test.each(['2023-06-01', newest])(
    'is the caller’s at an Anthropic upstream: %s',
    async (version) => {
      const answer = await gateway.post('/v1/messages', body, {
        headers: { 'anthropic-version': version },
      })
      expect(answer.status).toBe(200)
      expect(last().headers).toMatchObject({ 'anthropic-version': version, 'x-api-key': 'k' })
      expect(last().headers['authorization']).toBeUndefined()
      expect(answer.headers.get('request-id')).not.toBe('req_of_the_upstream')
    },
  )

  test('allows sampling parameters where the request has one', async () => {
    for (const field of [{ temperature: 1 }, { top_p: 0.9 }, { top_k: 5 }]) {
      await gateway.post('/v1/messages', { ...body, ...field }, { headers: bearer })
      expect(last().headers).toMatchObject({ 'anthropic-version': '2023-06-01' })
      expect(last().body).toMatchObject(field)
    }
  })

  test('is the one that the gateway writes for when the caller speaks another format', async () => {
    await gateway.post('/v1/chat/completions', { ...body, temperature: 0.5 }, { headers: bearer })
    expect(last().headers).toMatchObject({ 'anthropic-version': '2023-06-01' })
  })

  test('at Vertex is Vertex’s own, with only the betas that Vertex accepts', async () => {
    const answer = await gateway.post(
      '/v1/messages',
      { ...body, model: 'google-vertex-anthropic/claude-sonnet-4-5', anthropic_version: newest },
      {
        headers: {
          ...bearer,
          'anthropic-beta':
            'message-threads-2026-08-12, context-1m-2025-08-07,files-api-2025-04-14',
        },
      },
    )
    expect(answer.status).toBe(200)
    expect(last().path).toContain(':rawPredict')
    expect(last().body).toMatchObject({ anthropic_version: 'vertex-2023-10-16' })
    expect(last().headers['anthropic-version']).toBeUndefined()
    expect(last().headers['anthropic-beta']).toBe('context-1m-2025-08-07')
    expect(answer.headers.get('x-sluice-dropped')).toBe('anthropic-beta')
  })
})
