import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import '../../../../../test/support/property-limits.ts'
import { Agent, request } from 'undici'
import { openSender } from '../../../src/http/upstream/send.ts'

/** What the upstream answers with next, before it closes the connection. */
let answer = Buffer.alloc(0)
const upstream = createServer((socket) => {
  socket.on('error', () => {})
  socket.once('data', () => socket.end(answer))
})
const sender = openSender()
const agent = new Agent({ headersTimeout: 2_000, bodyTimeout: 2_000 })
let url = ''

beforeAll(async () => {
  upstream.listen(0, '127.0.0.1')
  await once(upstream, 'listening')
  url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/`
})

afterAll(async () => {
  await sender[Symbol.asyncDispose]()
  await agent.destroy()
  upstream.close()
})

/** Status and body, or undefined if the response is not valid or not complete. */
type Outcome = { readonly status: number; readonly body: string } | undefined

function sent(): Promise<Outcome> {
  return new Promise((resolve) => {
    let status = 0
    let body = ''
    sender.send(
      { method: 'POST', url, headers: {}, body: undefined, connectMs: 2_000 },
      {
        head: (given) => void (status = given),
        data: (piece) => void (body += Buffer.from(piece).toString('latin1')),
        end: () => resolve({ status, body }),
        fail: () => resolve(undefined),
      },
    )
  })
}

async function sentByUndici(): Promise<Outcome> {
  try {
    const { statusCode, body } = await request(url, { method: 'POST', dispatcher: agent })
    return { status: statusCode, body: Buffer.from(await body.arrayBuffer()).toString('latin1') }
  } catch {
    return undefined
  }
}

const statuses = fc.constantFrom(
  '200 OK',
  '200',
  '404 Not Found',
  '204 No Content',
  '304 Not Modified',
  '599 ',
  '2000',
  '99 X',
)
const headers = fc.constantFrom(
  'Content-Length: 4',
  'content-length: 11',
  'content-length: 0',
  'content-length: 4, 4',
  'content-length: -1',
  'transfer-encoding: chunked',
  'Transfer-Encoding:CHUNKED',
  'connection: close',
  'connection: keep-alive',
  'keep-alive: timeout=5',
  'x: y',
  'x:',
  ' folded',
  'bad name: x',
  'no colon',
  'é: x',
  'x: \u0001',
)
const bodies = fc.constantFrom(
  '',
  'abcd',
  '4\r\nabcd\r\n0\r\n\r\n',
  '4\r\nabcd\r\n0\r\nx: y\r\n\r\n',
  '2;x=y\r\nab\r\n2\r\ncd\r\n0\r\n\r\n',
  '4\r\nabcd\r\n',
  '4\r\nabcdef\r\n0\r\n\r\n',
  'g\r\n',
  '4\nabcd\n0\n\n',
  'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n',
)
const ends = fc.constantFrom('\r\n', '\r\n', '\r\n', '\r\n', '\r\n', '\n')

/** Mostly what servers send, with one thing in a dozen wrong. */
const responses = fc
  .tuple(
    fc.constantFrom('', '', 'HTTP/1.1 103 Early Hints\r\n\r\n'),
    statuses,
    fc.array(headers, { maxLength: 4 }),
    bodies,
    fc.array(ends, { minLength: 6, maxLength: 6 }),
  )
  .map(
    ([interim, status, lines, body, breaks]) =>
      interim +
      [`HTTP/1.1 ${status}`, ...lines, ''].map((line, n) => line + (breaks[n] ?? '\r\n')).join('') +
      body,
  )

test('property: what is taken for a response is what undici takes for it', async () => {
  let taken = 0
  await fc.assert(
    fc.asyncProperty(responses, async (text) => {
      answer = Buffer.from(text, 'latin1')
      const [own, theirs] = [await sent(), await sentByUndici()]
      if (own) taken += 1
      expect(own).toEqual(theirs)
    }),
    { numRuns: 600 },
  )
  expect(taken).toBeGreaterThan(50)
})
