// Every limit of the gateway: just below it, at it and just above it.
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { postHead, rawClient } from '../../support/clients/raw-client.ts'
import { type FakeUpstream, fakeUpstream, json } from '../../support/fakes/fake-upstream.ts'
import { chatReply } from '../../support/fakes/openai-wire.ts'
import { videoTask } from '../../support/gateways/two-keys.ts'
import { ask, at, error, good } from '../../support/routes.ts'
import { type Started, start, testKey, until } from '../../support/start.ts'

const embedding = { model: 'builtin-embed', input: 'Hi' }

test.each([1, 3])(
  'concurrentRequests: %i admits that many calls and rejects the next',
  async (most) => {
    const held = Promise.withResolvers<void>()
    await using upstream = await fakeUpstream(async (_seen, response) => {
      await held.promise
      json(response, chatReply('Hello'))
    })
    await using gateway = await start(at({ upstream }, { limits: { concurrentRequests: most } }))
    const call = () => gateway.post('/v1/chat/completions', { model: 'upstream/m', ...ask })
    const running = Array.from({ length: most }, call)
    await until(() => upstream.seen.length === most)
    const refused = await call()
    expect(refused.status).toBe(503)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await refused.json()).toMatchObject({ error: { code: 'overloaded' } })
    expect(upstream.seen.length).toBe(most)
    // Health is asked most of all when there is much to do.
    expect((await gateway.request('/healthz', { key: null })).status).toBe(200)
    held.resolve()
    for (const response of await Promise.all(running)) expect(response.status).toBe(200)
    expect((await call()).status).toBe(200)
  },
)

const bytesMax = 10_000

/** A request of exactly so many bytes. */
function jsonOf(size: number): Buffer {
  const empty = JSON.stringify({ ...embedding, user: '' }).length
  return Buffer.from(JSON.stringify({ ...embedding, user: 'a'.repeat(size - empty) }))
}

const boundary = 'the-boundary'
/** A form for speech recognition of exactly so many bytes, made of pieces: head, file, end. */
function formOf(size: number): Buffer {
  const part = (name: string, further = '') =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${further}\r\n`
  const head = `${part('model')}\r\nup/whisper\r\n${part('file', '; filename="a.wav"')}Content-Type: audio/wav\r\n\r\n`
  const end = `\r\n--${boundary}--\r\n`
  return Buffer.from(head + 'a'.repeat(size - head.length - end.length) + end)
}

const bodies = {
  JSON: { path: '/v1/embeddings', type: 'application/json', of: jsonOf },
  'a form': {
    path: '/v1/audio/transcriptions',
    type: `multipart/form-data; boundary=${boundary}`,
    of: formOf,
  },
}
const encodings = ['a length', 'chunks', 'gzip', 'gzip in chunks'] as const

describe.each(Object.entries(bodies))('maximum body size of %s', (_name, { path, type, of }) => {
  let gateway: Started
  let upstream: FakeUpstream
  beforeAll(async () => {
    upstream = await fakeUpstream((_seen, response) => json(response, { text: 'Hello' }))
    gateway = await start(
      at(
        { up: upstream },
        { server: { bodyLimitBytes: bytesMax }, builtin: { enabled: 'always' } },
      ),
    )
  })
  afterAll(async () => {
    await gateway[Symbol.asyncDispose]()
    await upstream[Symbol.asyncDispose]()
  })

  describe.each(encodings)('sent with %s', (encoding) => {
    test.each([bytesMax - 1, bytesMax])('%i: 200', (size) => sent(size, 200))
    test('one byte more: 413', () => sent(bytesMax + 1, 413))

    async function sent(size: number, status: number): Promise<void> {
      const plain = of(size)
      expect(plain.length).toBe(size)
      const isZipped = encoding.startsWith('gzip')
      const body = isZipped ? gzipSync(plain) : plain
      using client = rawClient(gateway.url)
      const isChunked = encoding.endsWith('chunks')
      await client.write(
        postHead(path, {
          authorization: `Bearer ${testKey}`,
          'content-type': type,
          ...(isZipped && { 'content-encoding': 'gzip' }),
          ...(isChunked
            ? { 'transfer-encoding': 'chunked' }
            : { 'content-length': String(body.length) }),
        }),
      )
      if (isChunked) {
        for (let from = 0; from < body.length; from += 1_000)
          await client.chunk(body.subarray(from, from + 1_000))
        await client.chunk('')
      } else await client.write(body)
      await until(() => client.text().startsWith('HTTP/1.1 '))
      expect(client.text().slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length)).toBe(String(status))
    }
  })

  test('rejects a chunked body while it streams once it is over the limit', async () => {
    using client = rawClient(gateway.url)
    const sent = upstream.seen.length
    await client.write(
      postHead(path, {
        authorization: `Bearer ${testKey}`,
        'content-type': type,
        'transfer-encoding': 'chunked',
      }),
    )
    // The body does not come to its end before the answer has come.
    await client.chunk(of(3 * bytesMax).subarray(0, 2 * bytesMax))
    await until(() => client.text().includes('request_too_large'))
    expect(client.text()).toContain('HTTP/1.1 413 ')
    expect(upstream.seen.length).toBe(sent)
  })
})

describe('attempts at one target', () => {
  test.each([1, 2, 3, 10])('stop after %i', async (attempts) => {
    await using upstream = await fakeUpstream(error(503))
    await using gateway = await start(
      at({ upstream }, { defaults: { retries: { attempts, baseMs: 1, maxMs: 2 } } }),
    )
    const response = await gateway.post('/v1/chat/completions', { model: 'upstream/m', ...ask })
    expect(response.status).toBe(503)
    expect(response.headers.get('x-sluice-attempts')).toBe(String(attempts))
    expect(upstream.seen.length).toBe(attempts)
  })

  test.each([0, 1, 2])('recover from %i failures with two retries left', async (failures) => {
    await using upstream = await fakeUpstream((seen, response, request) =>
      upstream.seen.length <= failures ? error(503)(seen, response) : good(seen, response, request),
    )
    await using gateway = await start(
      at({ upstream }, { defaults: { retries: { attempts: 3, baseMs: 1, maxMs: 2 } } }),
    )
    const response = await gateway.post('/v1/chat/completions', { model: 'upstream/m', ...ask })
    expect(response.status).toBe(200)
    expect(upstream.seen.length).toBe(failures + 1)
  })
})

test.each([
  [7, false],
  [8, true],
  [9, true],
  [127, true],
  [128, true],
  [129, false],
])('keeps a caller’s request id of %i characters: %s', async (length, isKept) => {
  await using gateway = await start()
  const id = 'a'.repeat(length)
  const response = await gateway.request('/healthz', { headers: { 'x-request-id': id } })
  const answered = response.headers.get('x-request-id')
  if (isKept) expect(answered).toBe(id)
  else expect(answered).toMatch(/^req_/)
})

describe('requests per minute', () => {
  const own = { key: 'sk-own0123456789abcdef' }
  const keys = (requestsPerMinute: number) => [{ name: 'own', key: own.key, requestsPerMinute }]

  test.each([
    ['less', 2, 4],
    ['more', 4, 2],
  ])('a key’s own rate overrides a default that allows %s', async (_name, usual, rate) => {
    await using gateway = await start({
      limits: { requestsPerMinute: usual },
      keys: keys(rate),
    })
    for (const [options, most] of [
      [own, rate],
      [{}, usual],
    ] as const) {
      for (let call = 1; call <= most; call += 1) {
        const response = await gateway.post('/v1/embeddings', embedding, options)
        expect(response.status).toBe(200)
        expect(response.headers.get('x-ratelimit-limit-requests')).toBe(String(most))
        expect(response.headers.get('x-ratelimit-remaining-requests')).toBe(String(most - call))
      }
      expect((await gateway.post('/v1/embeddings', embedding, options)).status).toBe(429)
    }
  })

  test('polling a task is not counted; every other call is', async () => {
    await using upstream = await fakeUpstream((_seen, response) => json(response, videoTask('up')))
    await using gateway = await start(at({ upstream }, { keys: keys(2) }))
    const made = await gateway.post('/v1/videos', { model: 'upstream/m', prompt: 'a' }, own)
    const { id } = (await made.json()) as { id: string }
    for (let look = 0; look < 5; look += 1) {
      const found = await gateway.request(`/v1/videos/${id}`, own)
      expect(found.status).toBe(200)
      expect((await gateway.request('/v1/videos', own)).status).toBe(200)
    }
    expect((await gateway.post('/v1/embeddings', embedding, own)).status).not.toBe(429)
    expect((await gateway.post('/v1/embeddings', embedding, own)).status).toBe(429)
    const removed = await gateway.request(`/v1/videos/${id}`, { method: 'DELETE', ...own })
    expect(removed.status).toBe(429)
    expect((await gateway.request(`/v1/videos/${id}`, own)).status).toBe(200)
  })
})

test.each([
  ['1', '1'],
  ['999', '1'],
  ['1000', '1'],
  ['1001', '2'],
  ['1500', '2'],
  ['2000', '2'],
  ['59001', '60'],
])('rounds retry-after-ms %s up to Retry-After %s', async (asked, seconds) => {
  await using upstream = await fakeUpstream(error(429, {}, { 'retry-after-ms': asked }))
  await using gateway = await start(at({ upstream }, { defaults: { retries: { attempts: 1 } } }))
  const response = await gateway.post('/v1/chat/completions', { model: 'upstream/m', ...ask })
  expect(response.status).toBe(429)
  expect(response.headers.get('retry-after')).toBe(seconds)
})
