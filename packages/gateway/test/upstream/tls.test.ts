import { once } from 'node:events'
import { type AddressInfo, createServer as createSocketServer } from 'node:net'
import { createServer, getCACertificates, setDefaultCACertificates, type TLSSocket } from 'node:tls'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { certificate } from '../../../../test/support/servers/certificates.ts'
import { expectPaced, type Stage, setStage } from './upstream-and-sender.ts'

/** That nobody has signed but itself. */
const { cert, key } = certificate('localhost', { names: ['localhost'] })
const usual = getCACertificates('default')

let cleanUp: AsyncDisposableStack
let stage: Stage
beforeEach(() => {
  cleanUp = new AsyncDisposableStack()
  stage = cleanUp.use(setStage())
  setDefaultCACertificates([...usual, cert])
})
afterEach(async () => {
  setDefaultCACertificates(usual)
  await cleanUp.disposeAsync()
})

interface Seen {
  readonly servername: string | false
  readonly alpn: string | false | null
  readonly isReused: boolean
}

/** An upstream over TLS that closes the connection after a response if asked to at /close. */
async function openTlsUpstream(body = 'hello') {
  const seen: Seen[] = []
  const requests: string[] = []
  const server = createServer({ key, cert, ALPNProtocols: ['http/1.1'] }, (socket: TLSSocket) => {
    seen.push({
      servername: (socket as TLSSocket & { servername: string | false }).servername,
      alpn: socket.alpnProtocol,
      isReused: socket.isSessionReused(),
    })
    socket.on('error', () => {})
    socket.on('data', (read) => {
      requests.push(read.toString())
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`)
      if (read.includes('/close')) socket.end()
    })
  })
  server.on('tlsClientError', () => {})
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  cleanUp.defer(() => void server.close())
  return { port: (server.address() as AddressInfo).port, seen, requests }
}

describe('connections over TLS', () => {
  test('send the server name, use HTTP/1.1 and are reused', async () => {
    const upstream = await openTlsUpstream()
    const send = stage.openSending()
    for (let n = 0; n < 5; n += 1) {
      expect(await send(`https://localhost:${upstream.port}/v1`)).toBe('200 hello')
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    expect(upstream.seen).toEqual([{ servername: 'localhost', alpn: 'http/1.1', isReused: false }])
    expect(upstream.requests[0]).toContain(`host: localhost:${upstream.port}\r\n`)
  })

  test('resume an earlier session', async () => {
    const upstream = await openTlsUpstream()
    const send = stage.openSending()
    for (let n = 0; n < 3; n += 1) {
      expect(await send(`https://localhost:${upstream.port}/close`)).toBe('200 hello')
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    expect(upstream.seen.map((one) => one.isReused)).toEqual([false, true, true])
  })

  test('carry several large responses at once', async () => {
    const body = 'abcdefgh'.repeat(250_000)
    const upstream = await openTlsUpstream(body)
    const send = stage.openSending()
    const url = `https://localhost:${upstream.port}/v1`
    const answers = await Promise.all(Array.from({ length: 8 }, () => send(url)))
    expect(answers.every((answer) => answer === `200 ${body}`)).toBe(true)
  })

  test('are read with backpressure', async () => {
    const body = 'abcdefgh'.repeat(1_000_000)
    const upstream = await openTlsUpstream(body)
    const send = stage.openSending()
    const url = `https://localhost:${upstream.port}/v1`
    expect(await expectPaced(send, url, body.length / 2)).toBe(`200 ${body}`)
  })

  test('send nothing to a server with an untrusted or wrong certificate', async () => {
    const upstream = await openTlsUpstream()
    const send = stage.openSending()
    expect(await send(`https://127.0.0.1:${upstream.port}/v1`)).toBe('upstream_unavailable')
    setDefaultCACertificates(usual)
    const other = stage.openSending()
    expect(await other(`https://localhost:${upstream.port}/v1`)).toBe('upstream_unavailable')
    expect(upstream.requests).toEqual([])
  })

  test('time out when the handshake does not complete', async () => {
    const silent = createSocketServer(() => {}).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    cleanUp.defer(() => void silent.close())
    const send = stage.openSending(100)
    const { port } = silent.address() as AddressInfo
    expect(await send(`https://localhost:${port}/v1`)).toBe('upstream_timeout')
  })
})
