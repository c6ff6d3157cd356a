// Upstreams that choose HTTP/2, where the settings allow it: the same outcomes as over HTTP/1.1.
import { once } from 'node:events'
import {
  createSecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from 'node:http2'
import type { AddressInfo } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { certificate } from '../../../../test/support/servers/certificates.ts'
import { expectPaced, type Sending, type Stage, setStage } from './upstream-and-sender.ts'

const { cert, key } = certificate('localhost', { names: ['localhost'] })
const usual = getCACertificates('default')

let stage: Stage
let cleanUp: AsyncDisposableStack
beforeEach(() => {
  cleanUp = new AsyncDisposableStack()
  stage = cleanUp.use(setStage())
  setDefaultCACertificates([...usual, cert])
})
afterEach(async () => {
  setDefaultCACertificates(usual)
  await cleanUp.disposeAsync()
})

function openSending(): Sending {
  const send = stage.openSending()
  return (url, further) => send(url, { dialing: { http2: true }, ...further })
}

type Answer = (request: Http2ServerRequest, response: Http2ServerResponse) => void

async function openUpstream(answer: Answer, settings = {}) {
  const sessions = new Set<ServerHttp2Session>()
  const versions: string[] = []
  const server = createSecureServer({ cert, key, settings }, (request, response) => {
    versions.push(request.httpVersion)
    request.resume()
    request.on('end', () => answer(request, response))
    request.on('error', () => {})
    response.on('error', () => {})
  })
  let opened = 0
  server.on('session', (session) => {
    opened += 1
    sessions.add(session)
    session.on('close', () => sessions.delete(session))
    session.on('error', () => {})
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  cleanUp.defer(() => {
    for (const session of sessions) session.destroy()
    server.close()
  })
  return {
    url: `https://localhost:${(server.address() as AddressInfo).port}/v1`,
    sessions,
    versions,
    opened: () => opened,
  }
}

const hello: Answer = (_request, response) => void response.end('hello')

test('one connection carries sequential and concurrent requests', async () => {
  const upstream = await openUpstream(hello)
  const send = openSending()
  for (let n = 0; n < 3; n += 1) expect(await send(upstream.url)).toBe('200 hello')
  const all = await Promise.all(Array.from({ length: 40 }, () => send(upstream.url)))
  expect(new Set(all)).toEqual(new Set(['200 hello']))
  expect(new Set(upstream.versions)).toEqual(new Set(['2.0']))
  expect(upstream.opened()).toBeLessThanOrEqual(2)
})

test('requests beyond the stream limit wait or use another connection', async () => {
  const waiting: Http2ServerResponse[] = []
  const upstream = await openUpstream((_request, response) => void waiting.push(response), {
    maxConcurrentStreams: 10,
  })
  const send = openSending()
  const all = Array.from({ length: 35 }, () => send(upstream.url))
  let isOver = false
  void Promise.all(all).then(() => (isOver = true))
  await expect
    .poll(() => {
      for (const response of waiting.splice(0)) response.end('hello')
      return isOver
    })
    .toBe(true)
  expect(new Set(await Promise.all(all))).toEqual(new Set(['200 hello']))
})

test('a reset stream is cut, or unavailable before its headers', async () => {
  const upstream = await openUpstream((request, response) => {
    if (request.url === '/v1/early') return response.stream.close(2)
    response.write('the beginning')
    setTimeout(() => response.stream.close(2), 20)
  })
  const send = openSending()
  expect(await send(upstream.url)).toBe('upstream_cut')
  expect(await send(`${upstream.url}/early`)).toBe('upstream_unavailable')
})

test('a broken connection cuts its requests, and not the next', async () => {
  let isBroken = true
  const upstream = await openUpstream((_request, response) => {
    if (!isBroken) return void response.end('hello')
    response.setHeader('content-length', 5)
    response.write('hel')
    setTimeout(() => response.stream.session?.socket.destroy(), 20)
  })
  const send = openSending()
  expect(await Promise.all([send(upstream.url), send(upstream.url)])).toEqual([
    'upstream_cut',
    'upstream_cut',
  ])
  isBroken = false
  expect(await send(upstream.url)).toBe('200 hello')
})

test('completes running requests after GOAWAY', async () => {
  const upstream = await openUpstream((_request, response) => {
    response.write('hel')
    response.stream.session?.goaway()
    setTimeout(() => response.end('lo'), 50)
  })
  const send = openSending()
  expect(await send(upstream.url)).toBe('200 hello')
  expect(await send(upstream.url)).toBe('200 hello')
})

test('closing a response resets its stream and keeps the connection', async () => {
  const ended: number[] = []
  const upstream = await openUpstream((request, response) => {
    if (request.url === '/v1') return void response.end('hello')
    response.write('the beginning')
    response.stream.on('close', () => ended.push(response.stream.rstCode))
  })
  const send = openSending()
  await new Promise<void>((resolve) => {
    void send(`${upstream.url}/endless`, {
      sent(connection) {
        connection.close()
        resolve()
      },
    })
  })
  await expect.poll(() => ended.length).toBe(1)
  expect(await send(upstream.url)).toBe('200 hello')
  expect(upstream.opened()).toBe(1)
})

test('applies backpressure to one stream while others continue', async () => {
  const body = 'abcdefgh'.repeat(1_000_000)
  const upstream = await openUpstream((request, response) => {
    response.end(request.url === '/v1/small' ? 'hello' : body)
  })
  const send = openSending()
  const paced = expectPaced(send, upstream.url, body.length / 2)
  expect(await send(`${upstream.url}/small`)).toBe('200 hello')
  expect(await paced).toBe(`200 ${body}`)
})

test('sends request bodies larger than one frame', async () => {
  const upstream = await openUpstream((request, response) => {
    response.end(String(request.headers['content-length']))
  })
  const send = openSending()
  for (const size of [0, 1, 16_385, 300_000, 9_000_000])
    expect(await send(upstream.url, { body: Buffer.alloc(size) })).toBe(`200 ${size}`)
})

test('does not send connection headers, and responses have no pseudo-headers', async () => {
  const seen: object[] = []
  const upstream = await openUpstream((request, response) => {
    seen.push(request.headers)
    response.setHeader('x-two', ['a', 'b'])
    response.end('hello')
  })
  const headers = { 'x-own': 'é', connection: 'close', 'transfer-encoding': 'chunked', te: 'gzip' }
  expect(await openSending()(upstream.url, { headers })).toBe('200 hello')
  expect(seen[0]).toMatchObject({ 'x-own': 'é' })
  expect(seen[0]).not.toHaveProperty('connection')
  expect(seen[0]).not.toHaveProperty('transfer-encoding')
})

test('uses HTTP/1.1 unless the settings enable HTTP/2', async () => {
  const upstream = await openUpstream(hello)
  expect(await stage.openSending()(upstream.url)).toBe('upstream_unavailable')
  expect(upstream.versions).toEqual([])
})
