import { expect, test } from 'vitest'
import { fakeUpstream, json, sse } from '../../support/fakes/fake-upstream.ts'
import { chatReply, chunk, done, textStream } from '../../support/fakes/openai-wire.ts'
import { start, until } from '../../support/start.ts'

const upstreamAt = (url: string) => ({
  providers: { acme: { type: 'openai' as const, baseUrl: `${url}/v1`, key: 'sk-upstream' } },
})
const hello = { model: 'acme/up-model', messages: [{ role: 'user', content: 'Hi' }] }

test('passes bytes unchanged within one format, except the model name', async () => {
  const answer = JSON.stringify(
    chatReply('Hello', { vendor_field: 12345678901234567890n.toString() }),
  )
  await using upstream = await fakeUpstream((_seen, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(answer)
  })
  await using gateway = await start(upstreamAt(upstream.url))
  const body = `{ "messages":[{"role":"user","content":"Hi"}],\n "vendor" : 12345678901234567890, "model" : "acme/up-model" }`
  const response = await gateway.request('/v1/chat/completions', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  })
  expect(response.status).toBe(200)
  expect(await response.text()).toBe(answer)
  expect(upstream.seen[0]?.text).toBe(body.replace('acme/up-model', 'up-model'))
  expect(upstream.seen[0]?.headers['authorization']).toBe('Bearer sk-upstream')
  expect(response.headers.get('x-sluice-provider')).toBe('acme')
  expect(response.headers.get('x-sluice-model')).toBe('up-model')
  expect(response.headers.get('x-sluice-attempts')).toBe('1')
  await gateway.gateway.store.flush()
  expect(await gateway.gateway.store.listUsage({ limit: 10 })).toMatchObject([
    { outcome: 'completed', inputTokens: 7, outputTokens: 3, reported: true, provider: 'acme' },
  ])
})

test('passes a stream, and the usage chunk only when requested', async () => {
  await using upstream = await fakeUpstream((_seen, response) => sse(response, textStream))
  await using gateway = await start(upstreamAt(upstream.url))
  const plain = await (
    await gateway.post('/v1/chat/completions', { ...hello, stream: true })
  ).text()
  expect(plain).toContain('"content":"Hel"')
  expect(plain).not.toContain('prompt_tokens')
  expect(plain.endsWith(done)).toBe(true)
  expect(upstream.seen[0]?.body['stream_options']).toEqual({ include_usage: true })
  const asked = await gateway.post('/v1/chat/completions', {
    ...hello,
    stream: true,
    stream_options: { include_usage: true },
  })
  expect(await asked.text()).toContain('prompt_tokens')
  await gateway.gateway.store.flush()
  expect(await gateway.gateway.store.listUsage({ limit: 10 })).toMatchObject([
    { outcome: 'completed', inputTokens: 7 },
    { outcome: 'completed', inputTokens: 7 },
  ])
})

test('ends the stream for the caller when the upstream keeps its connection open', async () => {
  await using upstream = await fakeUpstream((_seen, response) =>
    sse(response, textStream, { end: false }),
  )
  await using gateway = await start(upstreamAt(upstream.url))
  const text = await (await gateway.post('/v1/chat/completions', { ...hello, stream: true })).text()
  expect(text.endsWith(done)).toBe(true)
  await until(() => upstream.seen[0]?.closedAt)
})

test('a stream that breaks after content ends with an error event and without [DONE]', async () => {
  await using upstream = await fakeUpstream(async (_seen, response) => {
    await sse(response, [chunk({ role: 'assistant', content: 'Hel' })], { end: false })
    response.destroy()
  })
  await using gateway = await start(upstreamAt(upstream.url))
  const text = await (await gateway.post('/v1/chat/completions', { ...hello, stream: true })).text()
  expect(text).toContain('"content":"Hel"')
  expect(text).not.toContain('[DONE]')
  expect(text).toMatch(/data: \{"error":\{.*"code":"stream_interrupted"\}\}\n\n$/)
})

test('closes the upstream socket at once when the caller disconnects from a silent stream', async () => {
  await using upstream = await fakeUpstream(async (_seen, response) =>
    sse(response, [chunk({ role: 'assistant', content: 'Hel' })], { end: false }),
  )
  await using gateway = await start(upstreamAt(upstream.url))
  const leaving = new AbortController()
  const response = await gateway.post(
    '/v1/chat/completions',
    { ...hello, stream: true },
    { signal: leaving.signal },
  )
  const reader = response.body!.getReader()
  await reader.read()
  const left = Date.now()
  leaving.abort()
  const closedAt = await until(() => upstream.seen[0]?.closedAt)
  // Any other end would take minutes; this process has much else to do.
  expect(closedAt - left).toBeLessThan(5_000)
  const { store } = gateway.gateway
  await until(() => gateway.logged.some(({ fields }) => fields['left'] === true))
  await store.flush()
  expect(await store.listUsage({ limit: 5 })).toMatchObject([{ outcome: 'cancelled' }])
})

test('falls back to another target when one fails before the first byte', async () => {
  await using broken = await fakeUpstream((_seen, response) =>
    json(response, { error: { message: 'no', type: 'server_error' } }, { status: 500 }),
  )
  await using good = await fakeUpstream((_seen, response) => json(response, chatReply('Hello')))
  await using gateway = await start({
    providers: {
      bad: { type: 'openai', baseUrl: broken.url, key: 'a' },
      good: { type: 'openai', baseUrl: good.url, key: 'b' },
    },
    models: {
      both: {
        targets: [{ target: 'bad/m' }],
        fallback: ['good/m'],
        retries: { attempts: 2, baseMs: 1 },
      },
    },
  })
  const response = await gateway.post('/v1/chat/completions', { ...hello, model: 'both' })
  expect(response.status).toBe(200)
  expect(response.headers.get('x-sluice-provider')).toBe('good')
  expect(response.headers.get('x-sluice-attempts')).toBe('3')
  expect(broken.seen.length).toBe(2)
})

test.each([
  [401, 502, 'upstream_authentication'],
  [429, 429, 'rate_limit_exceeded'],
  [400, 400, 'bad_thing'],
  [422, 422, 'bad_thing'],
  [500, 503, 'upstream_unavailable'],
  [504, 504, 'upstream_timeout'],
])('maps an upstream %i to a %i %s', async (status, expected, code) => {
  await using upstream = await fakeUpstream((_seen, response) =>
    json(
      response,
      { error: { message: 'It says so', type: 't', code: 'bad_thing', param: null } },
      { status },
    ),
  )
  await using gateway = await start({
    ...upstreamAt(upstream.url),
    defaults: { retries: { attempts: 1 } },
  })
  const response = await gateway.post('/v1/chat/completions', hello)
  expect(response.status).toBe(expected)
  const body = (await response.json()) as { error: Record<string, unknown> }
  expect(Object.keys(body.error).toSorted()).toEqual(['code', 'message', 'param', 'type'])
  expect(body.error['code']).toBe(code)
})
