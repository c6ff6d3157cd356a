import { connect } from 'node:net'
import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { adminKey, type Started, start, testKey } from '../../support/start.ts'

let gateway: Started
beforeAll(async () => {
  gateway = await start({ server: { bodyLimitBytes: 100_000 } })
})
afterAll(() => gateway[Symbol.asyncDispose]())

interface ErrorAnswer {
  readonly error: { message: string; type: string; param: string | null; code: string | null }
}

async function refused(response: Response, status: number): Promise<ErrorAnswer['error']> {
  expect(response.status).toBe(status)
  expect(response.headers.get('content-type')).toMatch(/^application\/json/)
  expect(response.headers.get('x-request-id')).toMatch(/^\S{8,}$/)
  const body = (await response.json()) as ErrorAnswer
  expect(Object.keys(body)).toEqual(['error'])
  expect(Object.keys(body.error).toSorted()).toEqual(['code', 'message', 'param', 'type'])
  expect(body.error.param).not.toBe('')
  expect(body.error.code).not.toBe('')
  return body.error
}

const embedding = { model: 'builtin-embed', input: 'water' }

describe('API keys', () => {
  const asked = (headers: Record<string, string>, path = '/v1/models') =>
    gateway.request(path, { key: null, headers })

  test.each([
    ['Bearer', { authorization: `Bearer ${testKey}` }],
    ['bearer', { authorization: `bearer ${testKey}` }],
    ['bare', { authorization: testKey }],
    ['without sk-', { authorization: `Bearer ${testKey.slice(3)}` }],
    ['x-api-key', { 'x-api-key': testKey }],
    ['x-goog-api-key', { 'x-goog-api-key': testKey }],
    ['api-key', { 'api-key': testKey }],
    ['an administrator’s', { authorization: `Bearer ${adminKey}` }],
  ])('%s', async (_name, headers) => {
    expect((await asked(headers as unknown as Record<string, string>)).status).toBe(200)
  })

  test('?key= is accepted only on Gemini paths', async () => {
    expect((await asked({}, `/v1beta/models?key=${testKey}`)).status).toBe(200)
    expect((await asked({}, `/v1/videos?key=${testKey}`)).status).toBe(401)
  })

  test.each([
    ['none', {}],
    ['unknown', { authorization: 'Bearer sk-unknown' }],
    ['empty', { authorization: 'Bearer ' }],
    ['Basic', { authorization: 'Basic dXNlcjpwYXNz' }],
  ])('%s: 401', async (_name, headers) => {
    await refused(await asked(headers as Record<string, string>), 401)
    await refused(
      await gateway.post('/v1/embeddings', embedding, {
        key: null,
        headers: headers as Record<string, string>,
      }),
      401,
    )
  })

  test('a restricted key uses and sees only its models', async () => {
    await using own = await start({
      keys: [{ name: 'narrow', key: 'sk-narrow0123456789', models: ['builtin-embed'] }],
    })
    const options = { key: 'sk-narrow0123456789' }
    expect((await own.post('/v1/embeddings', embedding, options)).status).toBe(200)
    await refused(
      await own.post(
        '/v1/chat/completions',
        { model: 'builtin-chat', messages: [{ role: 'user', content: 'a' }] },
        options,
      ),
      403,
    )
    const list = (await (await own.request('/v1/models', options)).json()) as {
      data: { id: string }[]
    }
    expect(list.data.map(({ id }) => id)).toEqual(['builtin-embed'])
  })
})

describe('paths', () => {
  test('an unknown path answers 404', async () => {
    const error = await refused(await gateway.request('/v1/nothing'), 404)
    expect(error.message).toContain('/v1/nothing')
  })

  test.each([
    ['PUT', '/v1/chat/completions', 'POST'],
    ['DELETE', '/v1/embeddings', 'POST'],
    ['POST', '/healthz', 'GET'],
    ['PUT', '/v1/models', 'GET'],
    ['PATCH', '/v1/videos/video_1', 'DELETE'],
  ])('%s %s answers 405 with Allow', async (method, path, allowed) => {
    const response = await gateway.request(path, { method })
    expect(response.headers.get('allow')).toContain(allowed)
    await refused(response, 405)
  })

  test.each([
    ['GET', '/v1/files'],
    ['POST', '/v1/files'],
    ['GET', '/v1/files/abc/content'],
    ['POST', '/v1/fine-tunes'],
    ['POST', '/v1/fine-tunes/ft-1/cancel'],
    ['POST', '/v1/images/variations'],
  ])('%s %s answers 501, and 401 without a key', async (method, path) => {
    const error = await refused(await gateway.request(path, { method }), 501)
    expect(error.code).toBe('api_not_implemented')
    await refused(await gateway.request(path, { method, key: null }), 401)
  })

  test('health checks need no key', async () => {
    expect((await gateway.request('/healthz', { key: null })).status).toBe(200)
    expect((await gateway.request('/readyz', { key: null })).status).toBe(200)
  })

  test('echoes a caller’s request id if it is well formed', async () => {
    const own = await gateway.request('/healthz', { headers: { 'x-request-id': 'my-request-1' } })
    expect(own.headers.get('x-request-id')).toBe('my-request-1')
    const bad = await gateway.request('/healthz', { headers: { 'x-request-id': 'a b' } })
    expect(bad.headers.get('x-request-id')).toMatch(/^req_/)
  })
})

describe('request bodies', () => {
  const send = (body: string | Uint8Array, headers: Record<string, string> = {}) =>
    gateway.request('/v1/embeddings', {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', ...headers },
    })
  const good = Buffer.from(JSON.stringify(embedding))

  test.each([
    ['gzip', gzipSync(good)],
    ['br', brotliCompressSync(good)],
    ['zstd', zstdCompressSync(good)],
  ])('decompresses %s', async (encoding, body) => {
    expect((await send(body, { 'content-encoding': encoding })).status).toBe(200)
  })

  test('applies the size limit after decompression', async () => {
    const bomb = gzipSync(Buffer.from(JSON.stringify({ ...embedding, pad: 'a'.repeat(200_000) })))
    expect(bomb.length).toBeLessThan(2_000)
    await refused(await send(bomb, { 'content-encoding': 'gzip' }), 413)
    await refused(await send(JSON.stringify({ ...embedding, pad: 'a'.repeat(200_000) })), 413)
  })

  test.each([
    ['truncated JSON', '{"model":"builtin-embed"', {}],
    ['invalid JSON', 'hello', {}],
    ['nothing', '', {}],
    ['an array', '[1]', {}],
    ['null', 'null', {}],
    ['another content type', JSON.stringify(embedding), { 'content-type': 'text/plain' }],
    ['a form', 'model=a', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['an unknown encoding', JSON.stringify(embedding), { 'content-encoding': 'lzma' }],
    ['a wrong encoding', JSON.stringify(embedding), { 'content-encoding': 'gzip' }],
    ['broken UTF-8', new Uint8Array([123, 34, 97, 34, 58, 34, 255, 254, 34, 125]), {}],
    [
      'deep nesting',
      `{"model":"builtin-embed","input":${'['.repeat(40_000)}${']'.repeat(40_000)}}`,
      {},
    ],
  ])('%s answers 400', async (_name, body, headers) => {
    await refused(await send(body, headers as Record<string, string>), 400)
  })

  test('unknown fields are accepted', async () => {
    expect((await send(JSON.stringify({ ...embedding, novelty: { a: [1] } }))).status).toBe(200)
  })

  test('an unknown model is 404 model_not_found', async () => {
    const error = await refused(
      await send(JSON.stringify({ ...embedding, model: 'no-such-model' })),
      404,
    )
    expect(error.code).toBe('model_not_found')
  })

  test('the model in the body overrides the model in the path', async () => {
    const at = (model: string, body: object) =>
      gateway.post(`/v1/engines/${model}/embeddings`, body)
    expect((await at('builtin-embed', { input: 'water' })).status).toBe(200)
    expect((await at('nothing', embedding)).status).toBe(200)
    await refused(await at('nothing', { input: 'water' }), 404)
  })

  test('bytes that are not HTTP answer 400', async () => {
    const { port, hostname } = new URL(gateway.url)
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connect(Number(port), hostname, () => socket.write('GARBAGE\r\n\r\n'))
      let text = ''
      socket.on('data', (piece) => {
        text += piece.toString()
      })
      socket.on('close', () => resolve(text))
      socket.on('error', reject)
    })
    expect(answer).toContain('400')
    expect((await gateway.request('/healthz')).status).toBe(200)
  })
})

describe('the request rate', () => {
  test('over the limit answers 429 with Retry-After and rate limit headers', async () => {
    await using limited = await start({ limits: { requestsPerMinute: 3 } })
    for (const remaining of ['2', '1', '0']) {
      const response = await limited.post('/v1/embeddings', embedding)
      expect(response.status).toBe(200)
      expect(response.headers.get('x-ratelimit-limit-requests')).toBe('3')
      expect(response.headers.get('x-ratelimit-remaining-requests')).toBe(remaining)
    }
    const response = await limited.post('/v1/embeddings', embedding)
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(response.headers.get('x-ratelimit-reset-requests')).toMatch(/^(\d+m)?[\d.]+m?s$/)
    const error = await refused(response, 429)
    expect(error.code).toBe('rate_limit_exceeded')
    expect((await limited.post('/v1/embeddings', embedding, { key: adminKey })).status).toBe(200)
  })

  test('does not count model lists', async () => {
    await using limited = await start({ limits: { requestsPerMinute: 1 } })
    expect((await limited.post('/v1/embeddings', embedding)).status).toBe(200)
    for (const path of ['/v1/models', '/v1/models/builtin-chat', '/v1beta/models'])
      expect((await limited.request(path)).status).toBe(200)
    expect((await limited.post('/v1/embeddings', embedding)).status).toBe(429)
    expect((await limited.request('/v1/models')).status).toBe(200)
  })

  test('can be set per key', async () => {
    await using limited = await start({
      keys: [{ name: 'one', key: 'sk-one01234567890', requestsPerMinute: 1 }],
    })
    const options = { key: 'sk-one01234567890' }
    expect((await limited.post('/v1/embeddings', embedding, options)).status).toBe(200)
    expect((await limited.post('/v1/embeddings', embedding, options)).status).toBe(429)
    expect((await limited.post('/v1/embeddings', embedding)).status).toBe(200)
  })
})

test('logs one line per request, without secrets or content', async () => {
  await gateway.post('/v1/embeddings', { model: 'builtin-embed', input: 'a very private thought' })
  await gateway.request(`/v1beta/models?key=${testKey}`, { key: null })
  const lines = gateway.logged.filter(({ message }) => message === 'request')
  expect(lines.at(-2)?.fields).toMatchObject({
    method: 'POST',
    path: '/v1/embeddings',
    status: 200,
    operation: 'embed',
    model: 'builtin-embed',
    provider: 'builtin',
  })
  expect(JSON.stringify(gateway.logged)).not.toMatch(/private thought|test0123456789/)
})

describe('model lists', () => {
  test('in OpenAI’s format', async () => {
    const list = (await (await gateway.request('/v1/models')).json()) as {
      object: string
      data: Record<string, unknown>[]
    }
    expect(list.object).toBe('list')
    const chat = list.data.find(({ id }) => id === 'builtin-chat')
    expect(chat).toMatchObject({ object: 'model', owned_by: 'sluice', context_window: 128_000 })
    expect(list.data.map(({ id }) => id)).toEqual(
      expect.arrayContaining(['gpt-4o', 'gpt-4o-mini', 'whisper-1', 'text-embedding-3-small']),
    )
    expect((await gateway.request('/v1/models/builtin-chat')).status).toBe(200)
    await refused(await gateway.request('/v1/models/none'), 404)
  })

  test('in Gemini’s format, paged', async () => {
    const all = (await (await gateway.request('/v1beta/models?pageSize=1000')).json()) as {
      models: Record<string, unknown>[]
    }
    expect(all.models.find(({ name }) => name === 'models/builtin-chat')).toMatchObject({
      version: expect.any(String),
      displayName: expect.any(String),
      description: expect.any(String),
      inputTokenLimit: 128_000,
      outputTokenLimit: 16_384,
      supportedGenerationMethods: expect.arrayContaining(['generateContent']),
    })
    const names: unknown[] = []
    let token = ''
    do {
      const page = (await (
        await gateway.request(`/v1beta/models?pageSize=7&pageToken=${token}`)
      ).json()) as { models: { name: string }[]; nextPageToken?: string }
      names.push(...page.models.map(({ name }) => name))
      token = page.nextPageToken ?? ''
    } while (token !== '')
    expect(names).toEqual(all.models.map(({ name }) => name))
    const wrong = await gateway.request('/v1beta/models?pageSize=-1')
    expect(await refused(wrong, 400)).toMatchObject({ param: 'pageSize' })
    expect((await gateway.request('/v1beta/models?pageToken=zzz')).status).toBe(400)
  })

  test('in Anthropic’s format, paged', async () => {
    const list = (await (
      await gateway.request('/v1/models?limit=2', {
        key: null,
        headers: { 'x-api-key': testKey, 'anthropic-version': '2023-06-01' },
      })
    ).json()) as { data: { type: string; id: string }[]; has_more: boolean; last_id: string }
    expect(list.data.length).toBe(2)
    expect(list.data[0]?.type).toBe('model')
    expect(list.has_more).toBe(true)
    expect(list.last_id).toBe(list.data[1]?.id)
  })
})
