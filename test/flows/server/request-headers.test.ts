// Request headers that contradict each other, expect a response before the body, or ask for what the gateway does not offer.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type RawClient, rawClient } from '../../support/clients/raw-client.ts'
import { type FakeUpstream, fakeUpstream, json } from '../../support/fakes/fake-upstream.ts'
import { chatReply } from '../../support/fakes/openai-wire.ts'
import { ask, at } from '../../support/routes.ts'
import { type Started, start, testKey, until } from '../../support/start.ts'

let upstream: FakeUpstream
let gateway: Started
beforeAll(async () => {
  upstream = await fakeUpstream((_seen, response) => json(response, chatReply('Hello')))
  gateway = await start({ ...at({ only: upstream }), server: { bodyLimitBytes: 1_000_000 } })
})
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await upstream[Symbol.asyncDispose]()
})

const body = JSON.stringify({ model: 'only/m', ...ask })
const known = `Authorization: Bearer ${testKey}`
const length = `Content-Length: ${body.length}`
const chunked = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`

function head(first: string, ...lines: readonly string[]): string {
  return [first, ...lines, '\r\n'].join('\r\n')
}

const post = (...lines: readonly string[]): string =>
  head('POST /v1/chat/completions HTTP/1.1', 'Host: a', 'Content-Type: application/json', ...lines)

const statuses = ({ text }: RawClient): readonly number[] =>
  [...text().matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status))

/** The JSON at the end of what came. */
const said = ({ text }: RawClient): unknown => JSON.parse(text().split('\r\n\r\n').at(-1) ?? '')

describe('Expect: 100-continue', () => {
  const waits = 'Expect: 100-continue'

  test.each([
    ['no key', post(length, waits), 401],
    ['a wrong key', post(length, waits, 'Authorization: Bearer nobody'), 401],
    ['a body that is too large', post('Content-Length: 2000000', waits, known), 413],
    ['an unknown content encoding', post(length, waits, known, 'Content-Encoding: x'), 400],
    ['an unknown path', post(length, waits, known).replace('chat', 'none'), 404],
    ['a wrong method', post(length, waits, known).replace('POST', 'PATCH'), 405],
  ])('%s is rejected before the body is sent', async (_name, request, status) => {
    using client = rawClient(gateway.url)
    await client.write(request)
    await until(client.isClosed)
    expect(statuses(client)).toEqual([status])
    expect(client.text().toLowerCase()).toContain('connection: close')
    expect(said(client)).toMatchObject({ error: { message: expect.any(String) } })
  })

  test.each([
    ['JSON', '/v1/chat/completions', 'application/json', body],
    [
      'a form',
      '/v1/audio/transcriptions',
      'multipart/form-data; boundary=B',
      '--B\r\nContent-Disposition: form-data; name="model"\r\n\r\nnone\r\n--B--\r\n',
    ],
  ])(
    '%s is requested with 100 Continue, and the connection stays open',
    async (_name, path, type, sent) => {
      using client = rawClient(gateway.url)
      const lines = [`Content-Type: ${type}`, `Content-Length: ${sent.length}`, waits, known]
      await client.write(head(`POST ${path} HTTP/1.1`, 'Host: a', ...lines))
      await until(() => client.text().includes('100 Continue\r\n\r\n'))
      await client.write(sent + head('GET /healthz HTTP/1.1', 'Host: a'))
      await until(() => client.text().includes('"ok"'))
      expect(statuses(client)).toEqual([100, path.includes('chat') ? 200 : 400, 200])
    },
  )
})

test.each([
  ['no Host header', head('GET /healthz HTTP/1.1'), 400],
  ['no path', head('GET * HTTP/1.1', 'Host: a'), 400],
  ['an unknown expectation', post(length, known, 'Expect: more') + body, 417],
  [
    'another transfer encoding before chunked',
    post(known, 'Transfer-Encoding: gzip, chunked') + chunked,
    501,
  ],
  [
    'chunked in HTTP/1.0',
    post(known, 'Transfer-Encoding: chunked').replace('1.1', '1.0') + chunked,
    400,
  ],
])('%s: rejected with a JSON error', async (_name, request, status) => {
  const before = upstream.seen.length
  using client = rawClient(gateway.url)
  await client.write(request)
  await until(() => client.text().endsWith('}'))
  expect(statuses(client)).toEqual([status])
  expect(said(client)).toMatchObject({ error: { type: 'invalid_request_error' } })
  expect(upstream.seen.length).toBe(before)
})

describe('CONNECT', () => {
  test.each([
    ['a host', 'example.com:443'],
    ['a path', '/v1/models'],
  ])('to %s answers 405 and closes the connection', async (_n, target) => {
    using client = rawClient(gateway.url)
    await client.write(head(`CONNECT ${target} HTTP/1.1`, 'Host: a', known))
    await until(client.isClosed)
    expect(statuses(client)).toEqual([405])
    expect(said(client)).toMatchObject({ error: { code: 'method_not_allowed' } })
  })

  test('pipelined behind running calls cancels them', async () => {
    await using silent = await fakeUpstream(() => {})
    await using own = await start(at({ only: silent }))
    using client = rawClient(own.url)
    await client.write((post(known, length) + body).repeat(3))
    await client.write(head('GET /v1/usage HTTP/1.1', 'Host: a', known))
    await until(() => silent.seen.length === 3)
    await client.write(head('CONNECT a:1 HTTP/1.1', 'Host: a'))
    await until(client.isClosed)
    await until(() => silent.seen.every(({ isOver }) => isOver))
    const done = () => own.logged.filter(({ message }) => message === 'request')
    await until(() => done().length === 4)
  })
})

test('pipelined calls are canceled when their caller disconnects', async () => {
  await using silent = await fakeUpstream(() => {})
  await using own = await start(at({ only: silent }))
  using client = rawClient(own.url)
  await client.write((post(known, length) + body).repeat(3))
  await until(() => silent.seen.length === 3)
  client.socket.destroy()
  await until(() => silent.seen.every(({ isOver }) => isOver))
  const done = () => own.logged.filter(({ message }) => message === 'request')
  await until(() => done().length === 3)
})
