// Callers that send their request or read the rest of their answer slowly.
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { postHead, rawClient } from '../../support/clients/raw-client.ts'
import { fakeUpstream } from '../../support/fakes/fake-upstream.ts'
import { chunk, done, usageChunk } from '../../support/fakes/openai-wire.ts'
import { settled } from '../../support/measures/usage-records.ts'
import { ask, at } from '../../support/routes.ts'
import { start, testKey, until } from '../../support/start.ts'

describe('a request that does not arrive in time', () => {
  const authorization = `Bearer ${testKey}`
  const unfinished = postHead('/v1/embeddings', {
    authorization,
    'content-type': 'application/json',
    'content-length': '1000',
  })
  const form = postHead('/v1/audio/transcriptions', {
    authorization,
    'content-type': 'multipart/form-data; boundary=b',
    'content-length': '1000',
  })

  test.each([
    ['its head', 'POST /v1/embeddings HTTP/1.1\r\nHost: slu'],
    ['its body', `${unfinished}{"model":`],
    ['its form', `${form}--b\r\n`],
  ])('answers 408: %s', (_name, text) => refused(text))

  async function refused(text: string): Promise<void> {
    await using gateway = await start(
      { server: { requestTimeoutMs: 300 } },
      { lookForSlowRequestsMs: 50 },
    )
    using client = rawClient(gateway.url)
    await client.write(text)
    await until(client.isClosed, 3_000)
    expect(client.text().match(/^HTTP\/1\.1 408 /g)).toHaveLength(1)
    const [, body = ''] = client.text().split('\r\n\r\n')
    expect(JSON.parse(body)).toEqual({
      error: {
        message: expect.stringContaining('in time'),
        type: 'invalid_request_error',
        param: null,
        code: null,
      },
    })
    expect(gateway.logged.filter(({ level }) => level === 'error')).toEqual([])
  }
})

/** The connections over which servers of this process are asked something, with what is asked. */
function askedOver(path: string): Disposable & { readonly sockets: readonly Socket[] } {
  const sockets: Socket[] = []
  const note = (message: unknown) => {
    const { request, socket } = message as { request: { url: string }; socket: Socket }
    if (request.url === path) sockets.push(socket)
  }
  subscribe('http.server.request.start', note)
  return {
    sockets,
    [Symbol.dispose]: () => void unsubscribe('http.server.request.start', note),
  }
}

const piece = `data: ${JSON.stringify(chunk({ content: 'x'.repeat(20_000) }))}\n\n`
const ending = [chunk({}, 'stop'), usageChunk].map((event) => `data: ${JSON.stringify(event)}\n\n`)

test('disconnects a caller that does not read the rest of a finished stream', async () => {
  const full = Promise.withResolvers<void>()
  const path = '/v1/chat/completions'
  using asked = askedOver(path)
  let said = 0
  await using upstream = await fakeUpstream(async (_seen, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const gatewaySocket = asked.sockets[0]!
    // Piece by piece, until the way to the caller is full and something has to wait in the gateway: little enough that
    // the gateway does not wait for it before it takes the end of the stream.
    while (gatewaySocket.writableLength === 0) {
      const before = gatewaySocket.bytesWritten
      response.write(piece)
      said += 1
      await until(() => gatewaySocket.bytesWritten >= before + piece.length)
    }
    full.resolve()
    response.end([...ending, done].join(''))
  })
  await using gateway = await start(at({ upstream }), {
    streamTimes: { keepAliveMs: 10_000, stalledMs: 400 },
  })
  using client = rawClient(gateway.url)
  client.socket.pause()
  const body = JSON.stringify({ model: 'upstream/m', stream: true, ...ask })
  await client.write(
    postHead(path, {
      authorization: `Bearer ${testKey}`,
      'content-type': 'application/json',
      'content-length': String(body.length),
    }) + body,
  )
  await full.promise
  expect(said).toBeGreaterThan(1)
  const line = await until(() => gateway.logged.find(({ message }) => message === 'request'))
  expect(line.fields).toMatchObject({ status: 200, left: true })
  await until(() => asked.sockets[0]?.destroyed)
  // The upstream's answer was whole, whatever became of it here.
  expect(await settled(gateway, 1)).toEqual(['upstream chat completed 7'])
}, 60_000)
