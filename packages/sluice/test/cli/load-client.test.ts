// The load client on answers cut at every byte: what it counts must not depend on how the network cuts.
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { createEventScanner } from '../../src/cli/load/event-scanner.ts'
import { LoadClient } from '../../src/cli/load/load-client.ts'
import { runLoad } from '../../src/cli/load/run-load.ts'

/** All ways to cut the bytes once, and bytes one by one. */
function cuts(bytes: Buffer): readonly (readonly Buffer[])[] {
  const once = [...bytes.keys()].map((at) => [bytes.subarray(0, at), bytes.subarray(at)])
  return [...once, [...bytes.keys()].map((at) => bytes.subarray(at, at + 1))]
}

test.each([
  ['line feeds', 'data: 1\n\ndata: {"a":"ü"}\n\n'],
  ['carriage returns', 'data: 1\r\n\r\ndata: {"a":"ü"}\r\n\r\n'],
  ['comments and blank lines between', ': hello\n\n\ndata: 1\n\n: again\n\ndata: {"a":"ü"}\n\n'],
  ['a truncated event', 'data: 1\n\ndata: {"a":"ü"}\n\ndata: cut off\n'],
])('scans events however the bytes are split: %s', (_name, text) => {
  for (const pieces of cuts(Buffer.from(text))) {
    const found: string[] = []
    const scanner = createEventScanner((event) => found.push(event.toString().trim()))
    for (const piece of pieces) scanner.push(piece)
    expect(found.map((event) => event.slice(event.indexOf('data: ')))).toEqual([
      'data: 1',
      'data: {"a":"ü"}',
    ])
  }
})

test('scans an event with a name and two data lines as one', () => {
  const found: string[] = []
  const scanner = createEventScanner((event) => found.push(event.toString()))
  scanner.push(Buffer.from('event: delta\ndata: a\ndata: b\n\n'))
  expect(found).toEqual(['event: delta\ndata: a\ndata: b\n'])
})

/** A server that answers every piece it receives with the same bytes, one by one if told to; closes afterwards if told to. */
async function answering(text: string, { closes = false, inBytes = false } = {}) {
  let connections = 0
  const server = createServer((socket) => {
    connections += 1
    socket.on('error', () => socket.destroy())
    socket.setNoDelay(true)
    socket.on('data', () => {
      if (inBytes) void writeInBytes(socket, text)
      else if (closes) socket.end(text)
      else socket.write(text)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: new URL(`http://127.0.0.1:${port}`),
    connections: () => connections,
    [Symbol.dispose]: () => void server.close(),
  }
}

async function writeInBytes(socket: Socket, text: string): Promise<void> {
  for (const byte of text) {
    socket.write(byte)
    await new Promise((resolve) => setImmediate(resolve))
  }
}

const shot = { path: '/' }
const streamHead = 'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n'
const streamBody = 'data: {"content":""}\n\ndata: {"content":"a"}\n\ndata: [DONE]\n\n'
const wholeStream = `${streamHead}Content-Length: ${streamBody.length}\r\n\r\n${streamBody}`

test.each([
  [
    'in chunks with extensions and trailers, kept',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6;x=y\r\n world\r\n0\r\nt: 1\r\n\r\n',
    { status: 200, bytes: 11 },
    1,
  ],
  [
    'with a length, kept',
    'HTTP/1.1 429 Too Many\r\ncontent-length: 4\r\n\r\nslow',
    { status: 429, bytes: 4 },
    1,
  ],
  [
    'after an interim response, closed',
    'HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n',
    { status: 204, bytes: 0 },
    2,
  ],
])('reads responses in single bytes: %s', async (_name, text, read, connections) => {
  using server = await answering(text, { inBytes: true })
  await using client = await LoadClient.open({ url: server.url, connections: 1, timeoutMs: 5_000 })
  expect(await client.exchange(shot)).toMatchObject(read)
  expect(await client.exchange(shot)).toMatchObject(read)
  expect(server.connections()).toBe(connections)
})

test('a load reuses connections and counts responses', async () => {
  using server = await answering(wholeStream)
  const report = await runLoad({ url: server.url, concurrency: 3, requests: 30, shot: () => shot })
  expect(report).toMatchObject({ requests: 30, failures: {}, events: 90, cancelled: 0 })
  expect(report.bytes).toBe(30 * streamBody.length)
  expect(report.firstTokenMs?.p50).toBeGreaterThan(0)
  expect(report.wholeMs?.max).toBeGreaterThanOrEqual(report.wholeMs?.p50 ?? Number.NaN)
  expect(server.connections()).toBe(3)
})

test('a canceled request is counted and reconnects', async () => {
  using server = await answering(`${streamHead}\r\n${streamBody}`)
  const report = await runLoad({
    url: server.url,
    concurrency: 1,
    requests: 3,
    shot: () => ({ ...shot, cancelAfterEvents: 2 }),
  })
  expect(report).toMatchObject({ requests: 3, cancelled: 3, failures: {}, events: 6 })
  expect(report.wholeMs).toBeUndefined()
  expect(server.connections()).toBe(3)
})

test.each([
  ['an error status', 'HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n', 'HTTP 503', false],
  ['an error event', `${streamHead}\r\ndata: {"error":{}}\n\n`, 'error event', true],
  ['a named error event', `${streamHead}\r\nevent: error\ndata: {}\n\n`, 'error event', true],
  [
    'a truncated answer',
    'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf',
    'connection closed',
    true,
  ],
  ['another protocol', 'SSH-2.0-x\r\n\r\n', 'the answer is not HTTP/1.1', false],
])('reports the reason of a failure: %s', async (_name, text, reason, closes) => {
  using server = await answering(text, { closes })
  const report = await runLoad({ url: server.url, concurrency: 1, requests: 2, shot: () => shot })
  expect(report.failures).toEqual({ [reason]: 2 })
})

test('counts a refused connection and a timeout as failures', async () => {
  using silent = await answering('')
  await using client = await LoadClient.open({ url: silent.url, connections: 1, timeoutMs: 20 })
  expect(await client.exchange(shot)).toMatchObject({ status: 0, failure: 'timeout' })
  const nobody = new URL(silent.url)
  silent[Symbol.dispose]()
  const report = await runLoad({ url: nobody, concurrency: 1, requests: 1, shot: () => shot })
  expect(report.failures).toEqual({ ECONNREFUSED: 1 })
})

test('an aborted load counts only answered requests', async () => {
  using silent = await answering('')
  const report = await runLoad({
    url: silent.url,
    concurrency: 2,
    shot: () => shot,
    signal: AbortSignal.timeout(20),
  })
  expect(report).toMatchObject({ requests: 0, failures: {} })
})
