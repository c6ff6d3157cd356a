import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { type FakeUpstream, fakeUpstream, json } from '../../support/fakes/fake-upstream.ts'
import { chatReply } from '../../support/fakes/openai-wire.ts'
import { type Started, start } from '../../support/start.ts'

let upstream: FakeUpstream
let gateway: Started

beforeAll(async () => {
  upstream = await fakeUpstream((_, response) => json(response, chatReply('Hello')))
  const { url } = upstream
  gateway = await start({
    providers: {
      bare: { type: 'openai', key: 'k', baseUrl: url },
      versioned: { type: 'openai', key: 'k', baseUrl: `${url}/v1/` },
      elsewhere: { type: 'openai', key: 'k', baseUrl: `${url}/api` },
      claude: { type: 'anthropic', key: 'k', baseUrl: url },
      claude1: { type: 'anthropic', key: 'k', baseUrl: `${url}/v1` },
      claude2: { type: 'anthropic', key: 'k', baseUrl: `${url}/proxy/v1` },
      gem: { type: 'gemini', key: 'k', baseUrl: url },
      gem1: { type: 'gemini', key: 'k', baseUrl: `${url}/v1beta` },
    },
    defaults: { retries: { attempts: 1 } },
  })
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await upstream[Symbol.asyncDispose]()
})

const anthropic = { 'anthropic-version': '2023-06-01' }
type Body = { readonly type?: string; readonly error: Readonly<Record<string, unknown>> }

async function failed(path: string, options: Parameters<Started['request']>[1]) {
  const response = await gateway.request(path, options)
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Body,
  }
}

describe('errors are in the format of the client:', () => {
  it.each([
    ['/v1/models/nope', {}, 404],
    ['/v1/nope', {}, 404],
    ['/v1/models', { key: 'wrong' }, 401],
    ['/v1/nope', { method: 'POST' }, 404],
  ])('Anthropic: %s %o', async (path, options, expected) => {
    const { status, body } = await failed(path, { ...options, headers: anthropic })
    expect(status).toBe(expected)
    expect(body.type).toBe('error')
    expect(body.error).toMatchObject({
      type: expected === 401 ? 'authentication_error' : 'not_found_error',
    })
  })

  it.each([
    ['/v1beta/models/nope', {}, 404],
    ['/v1beta/nope', {}, 404],
    ['/v1beta/models', { key: 'wrong' }, 401],
  ])('Google: %s %o', async (path, options, expected) => {
    const headers = { 'x-goog-api-client': 'google-genai-sdk/1.0' }
    const { status, body } = await failed(path, { ...options, headers })
    expect(status).toBe(expected)
    expect(body.error).toMatchObject({ code: expected })
    expect(body.error).toHaveProperty('status')
  })

  it.each([
    ['/v1/models/nope'],
    ['/v1/nope'],
    ['/nope'],
    ['/v1beta/openai/nope'],
    ['/v1beta/models/nope'],
    ['/v1beta/nope'],
    ['/v1alpha/models/nope'],
    ['/v1alpha/nope'],
    ['/openai/nope'],
  ])('OpenAI for all others: %s', async (path) => {
    const { status, body } = await failed(path, {})
    expect(status).toBe(404)
    expect(Object.keys(body.error)).toEqual(['message', 'type', 'param', 'code'])
  })
})

test('a 401 has a www-authenticate header', async () => {
  for (const path of ['/v1/models', '/v1beta/models', '/v1/chat/completions']) {
    const { headers, status } = await failed(path, {
      key: null,
      method: path.endsWith('s') && path.includes('chat') ? 'POST' : 'GET',
    })
    expect(status).toBe(401)
    expect(headers.get('www-authenticate')).toBe('Bearer')
  }
})

test('the OpenAPI document has the version of the contract', async () => {
  const response = await gateway.request('/openapi.json')
  expect(((await response.json()) as { info: { version: string } }).info.version).toBe('1.0.0')
})

test.each([
  ['POST', '/v1/responses/nothing'],
  ['POST', '/v1/videos/nothing'],
  ['GET', '/v1/embedding'],
])('%s %s answers 404 unknown_url', async (method, path) => {
  const { status, body } = await failed(path, { method })
  expect({ status, code: body.error['code'] }).toEqual({ status: 404, code: 'unknown_url' })
})

test.each([
  ['/chat/completions', { messages: [{ role: 'user', content: 'hi' }] }],
  ['/embeddings', { input: 'hi', model: 'builtin-embed' }],
  ['/moderations', { input: 'hi', model: 'builtin-moderate' }],
  ['/responses', { input: 'hi' }],
  ['/v1/v1/chat/completions', { messages: [{ role: 'user', content: 'hi' }] }],
  ['/v1/v1/messages', { max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] }],
])('serves %s whether or not the base URL contains /v1', async (path, body) => {
  const response = await gateway.post(path, { model: 'versioned/m', ...body })
  expect(response.status).toBe(200)
  await response.text()
})

test('lists models without /v1', async () => {
  const response = await gateway.request('/models')
  expect(response.status).toBe(200)
  await response.text()
})

test.each([
  ['bare', '/v1/chat/completions'],
  ['versioned', '/v1/chat/completions'],
  ['elsewhere', '/api/chat/completions'],
  ['claude', '/v1/messages'],
  ['claude1', '/v1/messages'],
  ['claude2', '/proxy/v1/messages'],
  ['gem', '/v1beta/models/m:generateContent'],
  ['gem1', '/v1beta/models/m:generateContent'],
])('the base URL of provider %s resolves to %s', async (provider, path) => {
  const before = upstream.seen.length
  const messages = [{ role: 'user', content: 'hi' }]
  const response = await gateway.post('/v1/chat/completions', { model: `${provider}/m`, messages })
  await response.text()
  expect(upstream.seen.slice(before).map((seen) => seen.path)).toEqual([path])
})
