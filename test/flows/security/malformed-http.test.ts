import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fakeUpstream, json, sse } from '../../support/fakes/fake-upstream.ts'
import { chatReply, chunk, textStream } from '../../support/fakes/openai-wire.ts'
import { ask, at, good } from '../../support/routes.ts'
import { type Started, start, testKey, until } from '../../support/start.ts'

let gateway: Started
beforeAll(async () => {
  gateway = await start({ server: { bodyLimitBytes: 1_000_000 } })
})
afterAll(() => gateway[Symbol.asyncDispose]())

interface RawClient {
  readonly socket: Socket
  readonly text: () => string
  readonly isClosed: () => boolean
}

function rawClient(url: string): RawClient {
  const { port, hostname } = new URL(url)
  const socket = connect(Number(port), hostname)
  let text = ''
  let closed = false
  socket.on('data', (piece) => {
    text += piece.toString('latin1')
  })
  socket.on('close', () => {
    closed = true
  })
  socket.on('error', () => {})
  return { socket, text: () => text, isClosed: () => closed }
}

function post(path: string, body: object): string {
  const text = JSON.stringify(body)
  return [
    `POST ${path} HTTP/1.1`,
    'Host: sluice',
    `Authorization: Bearer ${testKey}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(text)}`,
    '',
    text,
  ].join('\r\n')
}

const fourKeys = { error: { message: expect.any(String), type: 'invalid_request_error' } }

describe('malformed HTTP requests', () => {
  test.each([
    ['a request that is not HTTP', 'GARBAGE\r\n\r\n', 400],
    ['an unknown method', 'BREW /v1/models HTTP/1.1\r\nHost: a\r\n\r\n', 400],
    ['oversized headers', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'a'.repeat(40_000)}\r\n\r\n`, 431],
    [
      'two content lengths',
      'POST /v1/embeddings HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}',
      400,
    ],
  ])('%s is answered with a JSON error', async (_name, text, status) => {
    const client = rawClient(gateway.url)
    client.socket.write(text)
    await until(client.isClosed)
    const [head = '', body = ''] = client.text().split('\r\n\r\n')
    expect(head).toContain(`HTTP/1.1 ${status} `)
    expect(JSON.parse(body)).toMatchObject(fourKeys)
    expect(Object.keys(JSON.parse(body).error).toSorted()).toEqual([
      'code',
      'message',
      'param',
      'type',
    ])
  })

  test('bytes after a started answer close the connection without a second answer', async () => {
    await using only = await fakeUpstream((_seen, response) =>
      sse(response, [chunk({ role: 'assistant', content: 'a' })], { end: false }),
    )
    await using own = await start(at({ only }))
    const client = rawClient(own.url)
    client.socket.write(post('/v1/chat/completions', { model: 'only/m', stream: true, ...ask }))
    await until(() => client.text().includes('data: '))
    client.socket.write('GARBAGE\r\n\r\n')
    await until(client.isClosed)
    expect(client.text().match(/HTTP\/1\.1/g)).toHaveLength(1)
    await until(() => only.seen[0]?.closedAt)
  })
})

describe('a body rejected before it is read', () => {
  test.each([
    ['a wrong key', 'Authorization: Bearer wrong\r\nContent-Length: 8000000\r\n', 401],
    ['too large', `Authorization: Bearer ${testKey}\r\nContent-Length: 8000000\r\n`, 413],
    [
      'too large without a content length',
      `Authorization: Bearer ${testKey}\r\nTransfer-Encoding: chunked\r\n`,
      413,
    ],
  ])('%s: the body is drained and the connection stays usable', async (_name, headers, status) => {
    const client = rawClient(gateway.url)
    const { socket } = client
    socket.write(`POST /v1/embeddings HTTP/1.1\r\nHost: a\r\n${headers}\r\n`)
    const piece = Buffer.alloc(1_000_000, 97)
    const isChunked = headers.includes('chunked')
    for (let sent = 0; sent < 8; sent += 1) {
      if (isChunked) socket.write(`${piece.length.toString(16)}\r\n`)
      if (!socket.write(piece)) await once(socket, 'drain')
      if (isChunked) socket.write('\r\n')
    }
    if (isChunked) socket.write('0\r\n\r\n')
    socket.write('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n')
    await until(() => client.text().includes('"ok"'))
    expect(client.text()).toContain(`HTTP/1.1 ${status} `)
    socket.destroy()
  })
})

describe('queries and forms', () => {
  test.each([
    '/v1/videos?after=a&after=b',
    '/v1/videos?limit=1&limit=2',
    '/v1/videos?order=a&order=b',
  ])('%s answers 400 for a repeated parameter', async (path) => {
    const response = await gateway.request(path)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject(fourKeys)
  })

  test.each(['form-data', 'form-data; filename="a.wav"'])(
    'a part without a name (%s) is ignored',
    async (disposition) => {
      const response = await gateway.request('/v1/audio/transcriptions', {
        method: 'POST',
        headers: { 'content-type': 'multipart/form-data; boundary=B' },
        body: `--B\r\nContent-Disposition: ${disposition}\r\n\r\nabc\r\n--B--\r\n`,
      })
      expect(response.status).toBe(400)
      expect(await response.json()).toMatchObject({ error: { param: 'file' } })
    },
  )

  test('an API key in the query is not forwarded, however it is encoded', async () => {
    await using only = await fakeUpstream((_seen, response) => json(response, { candidates: [] }))
    await using own = await start({
      providers: { only: { type: 'gemini', baseUrl: only.url, key: 'upstream' } },
    })
    for (const name of ['key', '%6Bey', 'k%65y'])
      await own.request(`/v1beta/models/only/m:generateContent?${name}=${testKey}&a=b`, {
        key: null,
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] }),
      })
    expect(only.seen.length).toBeGreaterThanOrEqual(3)
    for (const { path } of only.seen) expect(decodeURIComponent(path)).not.toContain(testKey)
  })
})

describe('HEAD and OPTIONS', () => {
  test.each(['/healthz', '/v1/models', '/v1beta/models', '/docs', '/openapi.json'])(
    'HEAD %s answers with the headers of GET',
    async (path) => {
      const [head, get] = [
        await gateway.request(path, { method: 'HEAD' }),
        await gateway.request(path),
      ]
      expect(head.status).toBe(200)
      expect(await head.text()).toBe('')
      expect(head.headers.get('content-type')).toBe(get.headers.get('content-type'))
      await get.text()
    },
  )

  test('HEAD answers 405 where only POST exists', async () => {
    const response = await gateway.request('/v1/chat/completions', { method: 'HEAD' })
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe('POST, OPTIONS')
  })

  test('OPTIONS lists the methods without a key', async () => {
    const response = await gateway.request('/v1/videos/video_1', { method: 'OPTIONS', key: null })
    expect(response.status).toBe(204)
    expect(response.headers.get('allow')).toBe('GET, HEAD, DELETE, OPTIONS')
    expect((await gateway.request('/v1/none', { method: 'OPTIONS' })).status).toBe(404)
  })

  test('CORS preflight and answers let a page call the API', async () => {
    const preflight = await gateway.request('/v1/embeddings', {
      method: 'OPTIONS',
      key: null,
      headers: {
        origin: 'https://page.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type,x-stainless-os',
      },
    })
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get('access-control-allow-headers')).toContain('authorization')
    expect(preflight.headers.get('access-control-allow-methods')).toContain('POST')
    for (const response of [
      preflight,
      await gateway.post('/v1/embeddings', { model: 'builtin-embed', input: 'a' }),
      await gateway.post('/v1/embeddings', {}, { key: null }),
      await gateway.post('/v1/chat/completions', { model: 'builtin-chat', stream: true, ...ask }),
    ]) {
      expect(response.headers.get('access-control-allow-origin')).toBe('*')
      expect(response.headers.get('access-control-allow-credentials')).toBeNull()
      await response.text()
    }
  })
})

test('removes a byte order mark from the body', async () => {
  await using only = await fakeUpstream(good)
  await using own = await start(at({ only }))
  const body = `\uFEFF${JSON.stringify({ model: 'only/m', ...ask })}`
  const response = await own.request('/v1/chat/completions', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  })
  expect(response.status).toBe(200)
  expect(JSON.parse(only.seen[0]?.text ?? '')).toEqual({ model: 'm', ...ask })
})

test('passes stream: true as an unknown field of an operation that cannot stream', async () => {
  const list = {
    object: 'list',
    data: [{ object: 'embedding', index: 0, embedding: [1] }],
    model: 'm',
    usage: { prompt_tokens: 1, total_tokens: 1 },
  }
  await using only = await fakeUpstream((_seen, response) => json(response, list))
  await using own = await start(at({ only }))
  const body = { model: 'only/m', input: 'a', stream: true }
  const response = await own.post('/v1/embeddings', body)
  expect(response.status).toBe(200)
  expect(await response.json()).toMatchObject(list)
})

describe('shutdown', () => {
  test('ends with the last answer although callers keep connections open', async () => {
    const held = Promise.withResolvers<void>()
    await using only = await fakeUpstream(async (_seen, response) => {
      await sse(response, [chunk({ role: 'assistant', content: 'Hel' })], { end: false })
      await held.promise
      await sse(response, textStream.slice(2))
    })
    const own = await start(at({ only }))
    const client = rawClient(own.url)
    client.socket.write(post('/v1/chat/completions', { model: 'only/m', stream: true, ...ask }))
    await until(() => client.text().includes('data: '))
    let stopped = false
    const stopping = own[Symbol.asyncDispose]().then(() => {
      stopped = true
    })
    const late = rawClient(own.url)
    await until(late.isClosed)
    expect(stopped).toBe(false)
    held.resolve()
    await until(() => stopped, 3_000)
    await until(client.isClosed)
    expect(client.text()).toContain('data: [DONE]')
    await stopping
  })

  test('answers a request on an open connection and then closes it', async () => {
    const held = Promise.withResolvers<void>()
    await using only = await fakeUpstream(async (_seen, response) => {
      await held.promise
      json(response, chatReply('Hello'))
    })
    const own = await start(at({ only }))
    const client = rawClient(own.url)
    const request = post('/v1/chat/completions', { model: 'only/m', ...ask })
    client.socket.write(request)
    await until(() => only.seen.length === 1)
    const stopping = own[Symbol.asyncDispose]()
    const late = rawClient(own.url)
    await until(late.isClosed)
    client.socket.write(request)
    await until(() => only.seen.length === 2)
    held.resolve()
    await stopping
    await until(client.isClosed)
    expect(client.text().match(/HTTP\/1\.1 200 OK/g)).toHaveLength(2)
  })
})

test('an aborted upload ends only its own request', async () => {
  const head = (path: string, further: string) =>
    `POST ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${testKey}\r\n${further}\r\n\r\n`
  const gzipHead = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3])
  const form = 'Content-Type: multipart/form-data; boundary=B'
  const part = '--B\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nabc'
  const uploads: readonly (readonly [string, string | Buffer])[] = [
    [head('/v1/embeddings', 'Content-Length: 9999'), '{"model":'],
    [head('/v1/embeddings', 'Transfer-Encoding: chunked'), '5\r\n{"mod'],
    [head('/v1/embeddings', 'Content-Encoding: gzip\r\nContent-Length: 9999'), gzipHead],
    [head('/v1/embeddings', 'Content-Encoding: zstd\r\nContent-Length: 9999'), gzipHead],
    [head('/v1/audio/transcriptions', `${form}\r\nContent-Length: 9999`), part],
    [
      head('/v1/audio/transcriptions', `${form}\r\nContent-Encoding: gzip\r\nContent-Length: 9999`),
      gzipHead,
    ],
  ]
  await using own = await start()
  const done = () => own.logged.filter(({ message }) => message === 'request')
  let sent = 0
  for (const leave of ['destroy', 'end', 'resetAndDestroy'] as const)
    for (const [top, body] of uploads) {
      const client = rawClient(own.url)
      client.socket.write(top)
      client.socket.write(body)
      await once(client.socket, 'connect')
      await new Promise((resolve) => setImmediate(resolve))
      client.socket[leave]()
      sent += 1
      await until(client.isClosed)
    }
  expect((await own.request('/healthz')).status).toBe(200)
  await until(() => done().length > 0)
  expect(done().length).toBeLessThanOrEqual(sent + 1)
  expect(done().filter(({ fields }) => Number(fields['status']) >= 500)).toEqual([])
  expect(own.logged.filter(({ level }) => level === 'warn' || level === 'error')).toEqual([])
})

test('shutdown closes connections without a request', async () => {
  const own = await start()
  const client = rawClient(own.url)
  await once(client.socket, 'connect')
  await own.request('/healthz')
  let stopped = false
  const stopping = own[Symbol.asyncDispose]().then(() => {
    stopped = true
  })
  await until(() => stopped, 3_000)
  await until(client.isClosed)
  await stopping
})
