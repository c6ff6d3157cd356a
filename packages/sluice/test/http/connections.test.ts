import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createSocketServer, type Socket } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { GatewayError } from '../../../contract/src/core/errors.ts'
import type { Connection } from '../../src/gateway/attempt/send.ts'
import { openSender } from '../../src/http/send.ts'

let cleanUp = new AsyncDisposableStack()
afterEach(async () => {
  await cleanUp.disposeAsync()
  cleanUp = new AsyncDisposableStack()
})

type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** An upstream that counts its connections. */
async function openUpstream(answer: Answer) {
  const server: Server = createServer((request, response) => {
    request.resume()
    request.on('end', () => answer(request, response))
  })
  const sockets = new Set<Socket>()
  let connections = 0
  server.on('connection', (socket: Socket) => {
    connections += 1
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  cleanUp.defer(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    connections: () => connections,
    open: () => sockets.size,
    closeIdle: () => server.closeIdleConnections(),
  }
}

function openSending(connectMs = 2_000) {
  const sender = cleanUp.use(openSender())
  /** Resolves with the status and the body, or with the code of the error. */
  const send = (url: string, sent?: (connection: Connection) => void) =>
    new Promise<string>((resolve) => {
      let status = 0
      let text = ''
      const connection = sender.send(
        { method: 'POST', url, headers: {}, body: Buffer.from('{}'), connectMs },
        {
          head(given) {
            status = given
            sent?.(connection)
          },
          data: (piece) => void (text += Buffer.from(piece).toString()),
          end: () => resolve(`${status} ${text}`),
          fail: (error: GatewayError) => resolve(error.code),
        },
      )
    })
  return send
}

const hello: Answer = (_request, response) => void response.end('hello')
const turn = () => new Promise((resolve) => setImmediate(resolve))

describe('connections to upstreams', () => {
  test('are used again, one after the other', async () => {
    const upstream = await openUpstream(hello)
    const send = openSending()
    for (let n = 0; n < 20; n += 1) expect(await send(upstream.url)).toBe('200 hello')
    expect(upstream.connections()).toBe(1)
  })

  test('carry one request at a time', async () => {
    const waiting: ServerResponse[] = []
    const upstream = await openUpstream((_request, response) => void waiting.push(response))
    const send = openSending()
    const asked = Array.from({ length: 30 }, () => send(upstream.url))
    await expect.poll(() => waiting.length).toBe(30)
    expect(upstream.connections()).toBe(30)
    for (const response of waiting.splice(0)) response.end('hello')
    expect(await Promise.all(asked)).toEqual(Array.from({ length: 30 }, () => '200 hello'))
    const again = Array.from({ length: 30 }, () => send(upstream.url))
    await expect.poll(() => waiting.length).toBe(30)
    expect(upstream.connections()).toBe(30)
    for (const response of waiting) response.end('hello')
    await Promise.all(again)
  })

  test('that the upstream has closed while idle are replaced', async () => {
    const upstream = await openUpstream(hello)
    const send = openSending()
    await Promise.all(Array.from({ length: 10 }, () => send(upstream.url)))
    upstream.closeIdle()
    await expect.poll(() => upstream.open()).toBe(0)
    for (let n = 0; n < 10; n += 1) expect(await send(upstream.url)).toBe('200 hello')
    await expect.poll(() => upstream.open()).toBe(1)
  })

  test('are opened anew for an upstream that closes each', async () => {
    const upstream = await openUpstream((_request, response) => {
      response.setHeader('connection', 'close')
      response.end('hello')
    })
    const send = openSending()
    for (let n = 0; n < 10; n += 1) expect(await send(upstream.url)).toBe('200 hello')
    expect(upstream.connections()).toBe(10)
    await expect.poll(() => upstream.open()).toBe(0)
  })

  test('that broke in the middle of a response fail it, and not the next', async () => {
    let isBroken = true
    const upstream = await openUpstream((_request, response) => {
      if (!isBroken) return void response.end('hello')
      response.write('hel')
      setImmediate(() => response.destroy())
    })
    const send = openSending()
    expect(await send(upstream.url)).toBe('upstream_cut')
    isBroken = false
    expect(await send(upstream.url)).toBe('200 hello')
  })

  test('that are closed in the middle of a response are replaced', async () => {
    const upstream = await openUpstream((request, response) => {
      if (request.url === '/v1') return void response.end('hello')
      response.write('the beginning')
    })
    const send = openSending()
    await new Promise<void>((resolve) => {
      void send(`${upstream.url}/endless`, (connection) => {
        connection.close()
        resolve()
      })
    })
    expect(await send(upstream.url)).toBe('200 hello')
    await expect.poll(() => upstream.open()).toBe(1)
  })

  test('that nobody accepts fail their request only', async () => {
    const upstream = await openUpstream(hello)
    const closed = createSocketServer().listen(0, '127.0.0.1')
    await once(closed, 'listening')
    const nobody = `http://127.0.0.1:${(closed.address() as AddressInfo).port}/v1`
    closed.close()
    await once(closed, 'close')
    const send = openSending()
    const failed = await Promise.all(Array.from({ length: 20 }, () => send(nobody)))
    expect(new Set(failed)).toEqual(new Set(['upstream_unavailable']))
    expect(await send(upstream.url)).toBe('200 hello')
  })

  test('survive an upstream that answers before it has read the request', async () => {
    const upstream = createSocketServer((socket) => {
      socket.on('error', () => {})
      socket.write('HTTP/1.1 413 Too Large\r\nconnection: close\r\ncontent-length: 2\r\n\r\nno')
      socket.end()
    }).listen(0, '127.0.0.1')
    await once(upstream, 'listening')
    cleanUp.defer(() => void upstream.close())
    const send = openSending()
    const url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/v1`
    const answers: string[] = []
    for (let n = 0; n < 5; n += 1) {
      answers.push(await send(url))
      await turn()
    }
    expect(answers.every((one) => one === '413 no' || one === 'upstream_unavailable')).toBe(true)
  })
})
