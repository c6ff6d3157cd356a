import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createSocketServer, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Network } from '../../src/dial/network.ts'
import { createSender } from '../../src/upstream/send.ts'
import { type Answer, expectPaced, setStage, type Stage } from './upstream-and-sender.ts'

let stage: Stage
beforeEach(() => {
  stage = setStage()
})
afterEach(() => stage[Symbol.asyncDispose]())

const hello: Answer = (_request, response) => void response.end('hello')
/** A whole response. */
const whole = (body: string) => `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`
const turn = () => new Promise((resolve) => setImmediate(resolve))

describe('connections to upstreams', () => {
  test('are reused one request after the other', async () => {
    const upstream = await stage.openUpstream(hello)
    const send = stage.openSending()
    for (let n = 0; n < 20; n += 1) expect(await send(upstream.url)).toBe('200 hello')
    // One is not used again in the turn in which its response ended.
    expect(upstream.connections()).toBeLessThanOrEqual(2)
  })

  test('carry one request at a time', async () => {
    const waiting: ServerResponse[] = []
    const upstream = await stage.openUpstream((_request, response) => void waiting.push(response))
    const send = stage.openSending()
    const asked = Array.from({ length: 30 }, () => send(upstream.url))
    await expect.poll(() => waiting.length).toBe(30)
    expect(upstream.connections()).toBe(30)
    for (const response of waiting.splice(0)) response.end('hello')
    expect(await Promise.all(asked)).toEqual(Array.from({ length: 30 }, () => '200 hello'))
    await turn()
    await turn()
    const again = Array.from({ length: 30 }, () => send(upstream.url))
    await expect.poll(() => waiting.length).toBe(30)
    expect(upstream.connections()).toBe(30)
    for (const response of waiting) response.end('hello')
    await Promise.all(again)
  })

  test('that the upstream has closed while idle are replaced', async () => {
    const upstream = await stage.openUpstream(hello)
    const send = stage.openSending()
    await Promise.all(Array.from({ length: 10 }, () => send(upstream.url)))
    upstream.closeIdle()
    await expect.poll(() => upstream.open()).toBe(0)
    const before = upstream.connections()
    for (let n = 0; n < 10; n += 1) expect(await send(upstream.url)).toBe('200 hello')
    expect(upstream.connections() - before).toBeLessThanOrEqual(2)
  })

  test('are opened anew for an upstream that closes each', async () => {
    const upstream = await stage.openUpstream((_request, response) => {
      response.setHeader('connection', 'close')
      response.end('hello')
    })
    const send = stage.openSending()
    for (let n = 0; n < 10; n += 1) expect(await send(upstream.url)).toBe('200 hello')
    expect(upstream.connections()).toBe(10)
    await expect.poll(() => upstream.open()).toBe(0)
  })

  test('that break within a response fail it, and not the next', async () => {
    let isBroken = true
    const upstream = await stage.openUpstream((_request, response) => {
      if (!isBroken) return void response.end('hello')
      response.write('hel')
      setImmediate(() => response.destroy())
    })
    const send = stage.openSending()
    expect(await send(upstream.url)).toBe('upstream_cut')
    isBroken = false
    expect(await send(upstream.url)).toBe('200 hello')
  })

  const cuts = ['', 'connection: close\r\n'].flatMap((connection) =>
    (
      [
        'content-length: 10\r\n\r\nhello',
        'transfer-encoding: chunked\r\n\r\n5\r\nhello\r\n',
      ] as const
    ).flatMap((rest) =>
      (['end', 'destroy', 'resetAndDestroy'] as const).map((how) => ({ connection, rest, how })),
    ),
  )
  test.each(cuts)('that $how within $connection$rest fail the response as cut', async (cut) => {
    const upstream = await stage.openRawUpstream((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\n${cut.connection}${cut.rest}`)
      setTimeout(() => socket[cut.how](), 20)
    })
    expect(await stage.openSending()(upstream.url)).toBe('upstream_cut')
  })

  test('that end a response without a length complete it', async () => {
    const upstream = await stage.openRawUpstream((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nhello')
      setTimeout(() => socket.end(), 20)
    })
    expect(await stage.openSending()(upstream.url)).toBe('200 hello')
  })

  test('give interim responses to nobody', async () => {
    const interim = 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'
    const upstream = await stage.openRawUpstream((socket) => socket.write(interim + whole('hello')))
    let heads = 0
    const send = stage.openSending()
    for (let n = 0; n < 2; n += 1)
      expect(await send(upstream.url, { sent: () => (heads += 1) })).toBe('200 hello')
    expect(heads).toBe(2)
  })

  test('fail if the upstream switches to another protocol', async () => {
    const upstream = await stage.openRawUpstream(
      (socket) => void socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\n\r\n'),
    )
    expect(await stage.openSending()(upstream.url)).toBe('upstream_unavailable')
  })

  test('that are closed in the middle of a response are replaced', async () => {
    const upstream = await stage.openUpstream((request, response) => {
      if (request.url === '/v1') return void response.end('hello')
      response.write('the beginning')
    })
    const send = stage.openSending()
    await new Promise<void>((resolve) => {
      void send(`${upstream.url}/endless`, {
        sent(connection) {
          connection.close()
          resolve()
        },
      })
    })
    expect(await send(upstream.url)).toBe('200 hello')
    await expect.poll(() => upstream.open()).toBe(1)
  })

  test('that are refused fail their request only', async () => {
    const upstream = await stage.openUpstream(hello)
    const closed = createSocketServer().listen(0, '127.0.0.1')
    await once(closed, 'listening')
    const nobody = `http://127.0.0.1:${(closed.address() as AddressInfo).port}/v1`
    closed.close()
    await once(closed, 'close')
    const send = stage.openSending()
    const failed = await Promise.all(Array.from({ length: 20 }, () => send(nobody)))
    expect(new Set(failed)).toEqual(new Set(['upstream_unavailable']))
    expect(await send(upstream.url)).toBe('200 hello')
  })

  test('survive an upstream that answers before reading the request', async () => {
    const upstream = await stage.openRawUpstream((socket) => {
      socket.write('HTTP/1.1 413 Too Large\r\nconnection: close\r\ncontent-length: 2\r\n\r\nno')
      socket.end()
    })
    const send = stage.openSending()
    const answers: string[] = []
    for (let n = 0; n < 5; n += 1) {
      answers.push(await send(upstream.url))
      await turn()
    }
    expect(answers.every((one) => one === '413 no' || one === 'upstream_unavailable')).toBe(true)
  })

  test('are not reused after more bytes than the response', async () => {
    const upstream = await stage.openRawUpstream((socket) => {
      socket.write(`${whole('hello')}${whole('evil')}`)
    })
    const send = stage.openSending()
    for (let n = 0; n < 5; n += 1) expect(await send(upstream.url)).toBe('200 hello')
    expect(upstream.connections()).toBe(5)
    await expect.poll(() => upstream.open()).toBe(0)
  })

  test('are not reused after unexpected bytes, even if not yet read', async () => {
    const sockets: Socket[] = []
    const upstream = await stage.openRawUpstream((socket) => {
      sockets.push(socket)
      socket.write(whole('hello'))
    })
    const send = stage.openSending()
    for (let n = 0; n < 5; n += 1) {
      expect(await send(upstream.url)).toBe('200 hello')
      // From a timer: sockets are read after it, and before the request may be written.
      await pause(1)
      sockets.at(-1)?.write(whole('evil'))
    }
    expect(await send(upstream.url)).toBe('200 hello')
    expect(upstream.connections()).toBe(6)
  })

  test.each([
    ['asks to', 'connection: close\r\n', 3],
    ['closes them within a second', 'keep-alive: timeout=1\r\n', 3],
    ['closes them later', 'keep-alive: timeout=5, max=100\r\n', 1],
  ])('are closed if the upstream %s', async (_name, header, expected) => {
    const upstream = await stage.openRawUpstream((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\n${header}content-length: 2\r\n\r\nhi`)
    })
    const send = stage.openSending()
    for (let n = 0; n < 3; n += 1) {
      expect(await send(upstream.url)).toBe('200 hi')
      await turn()
      await turn()
    }
    expect(upstream.connections()).toBe(expected)
  })

  test('are closed before the upstream closes them', async () => {
    const upstream = await stage.openRawUpstream((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nkeep-alive: timeout=2\r\ncontent-length: 2\r\n\r\nhi')
    })
    const send = stage.openSending()
    expect(await send(upstream.url)).toBe('200 hi')
    await expect.poll(() => upstream.open(), { timeout: 1_900 }).toBe(0)
  })

  test('are read with backpressure', async () => {
    const size = 32 * 1024 * 1024
    const upstream = await stage.openUpstream((_request, response) => {
      response.end(Buffer.alloc(size, 'x'))
    })
    const send = stage.openSending()
    expect(await expectPaced(send, upstream.url, 64 * 1024)).toHaveLength('200 '.length + size)
    await turn()
    await turn()
    expect(await send(upstream.url)).toHaveLength('200 '.length + size)
    expect(upstream.connections()).toBe(1)
  })

  test('are reused after a response paused at its end', async () => {
    const upstream = await stage.openUpstream(hello)
    const send = stage.openSending()
    for (let n = 0; n < 5; n += 1) {
      expect(await send(upstream.url, { received: (one) => one.pause() })).toBe('200 hello')
      await turn()
      await turn()
    }
    expect(upstream.connections()).toBe(1)
  })

  test('send request bodies larger than one write', async () => {
    const upstream = await stage.openUpstream((request, response) => {
      response.end(request.headers['content-length'])
    })
    const send = stage.openSending()
    for (const size of [0, 1, 16_384, 16_385, 9_000_000])
      expect(await send(upstream.url, { body: Buffer.alloc(size) })).toBe(`200 ${size}`)
  })

  test('are not reused if the response came before the request was written', async () => {
    const upstream = await stage.openRawUpstream((socket, read) => {
      if (!read.startsWith('POST')) return
      socket.write(whole('early'))
      socket.pause()
    })
    const send = stage.openSending()
    for (let n = 0; n < 3; n += 1)
      expect(await send(upstream.url, { body: Buffer.alloc(64 * 1024 * 1024) })).toBe('200 early')
    expect(upstream.connections()).toBe(3)
  })

  test('send nothing of a request that was closed before it was sent', async () => {
    const seen: string[] = []
    const upstream = await stage.openUpstream((request, response) => {
      seen.push(request.url ?? '')
      response.end('hello')
    })
    const send = stage.openSending()
    await using network = new Network()
    const sendOne = createSender(network)
    const closed = (path: string) => {
      const never = () => expect.unreachable()
      const request = { method: 'POST', headers: {}, body: undefined, connectMs: 2_000 } as const
      const receiver = { head: never, data: never, end: never, fail: never }
      sendOne({ ...request, url: `${upstream.url}/${path}` }, receiver).close()
    }
    closed('new')
    await new Promise<void>((resolve) => {
      sendOne(
        {
          method: 'POST',
          url: `${upstream.url}/first`,
          headers: {},
          body: undefined,
          connectMs: 2_000,
        },
        { head() {}, data() {}, end: resolve, fail: () => expect.unreachable() },
      )
    })
    closed('kept')
    await turn()
    expect(await send(`${upstream.url}/last`)).toBe('200 hello')
    expect(seen).toEqual(['/v1/first', '/v1/last'])
  })

  test('fail their requests when they are disposed', async () => {
    const upstream = await stage.openUpstream((request, response) => {
      if (request.url === '/v1') response.end('hello')
    })
    const network = new Network()
    const sendOne = createSender(network)
    const codes: string[] = []
    const ask = (path: string) =>
      new Promise<void>((resolve) => {
        sendOne(
          {
            method: 'GET',
            url: upstream.url + path,
            headers: {},
            body: undefined,
            connectMs: 2_000,
          },
          {
            head() {},
            data() {},
            end: resolve,
            fail(error) {
              codes.push(error.code)
              resolve()
            },
          },
        )
      })
    await ask('')
    const carried = ask('/silent')
    await turn()
    await turn()
    const connecting = ask('/new')
    const left = network[Symbol.asyncDispose]()
    await Promise.all([carried, connecting, left])
    expect(codes).toEqual(['upstream_unavailable', 'upstream_unavailable'])
    await expect.poll(() => upstream.open()).toBe(0)
  })

  test('fail their request if the response is not HTTP', async () => {
    const upstream = await stage.openRawUpstream((socket) => void socket.write('SSH-2.0-x\r\n\r\n'))
    const cut = await stage.openRawUpstream((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nhi\r\nzz\r\n')
    })
    const send = stage.openSending()
    expect(await send(upstream.url)).toBe('upstream_unavailable')
    expect(await send(cut.url)).toBe('upstream_cut')
    await expect.poll(() => upstream.open() + cut.open()).toBe(0)
  })
})
