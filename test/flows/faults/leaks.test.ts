// No call leaves sockets, timers or listeners behind, however it ends.

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Answering, fakeUpstream, json, sse } from '../../support/fakes/fake-upstream.ts'
import { begun, silent } from '../../support/fakes/scripted-targets.ts'
import { upstreamStreams } from '../../support/fakes/upstream-streams.ts'
import { expectNothingLeft } from '../../support/measures/leaks.ts'
import { ask, at, error, good, type Routes, streams } from '../../support/routes.ts'
import { type Started, start, until } from '../../support/start.ts'

const [openai, anthropic] = upstreamStreams
const message = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content: [{ type: 'text', text: 'Hello' }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 7, output_tokens: 3 },
}
const events =
  (type: typeof openai, fault = '', end = true): Answering =>
  (_seen, response) =>
    sse(
      response,
      [
        ...(type?.preamble ?? []),
        ...(type?.content ?? []),
        ...(fault === '' ? (end ? (type?.ending ?? []) : []) : [fault]),
      ],
      { end },
    )
const sound: Answering = (_seen, response) => {
  response.writeHead(200, { 'content-type': 'audio/mpeg' })
  response.write('abc')
  setImmediate(() => response.end('def'))
}
const soundThen =
  (ending: 'silence' | 'cut'): Answering =>
  (_seen, response) => {
    response.writeHead(200, { 'content-type': 'audio/mpeg' })
    response.write('abc')
    if (ending === 'cut') setImmediate(() => setImmediate(() => response.destroy()))
  }

const chat = '/v1/chat/completions'
const whole = { model: 'm', ...ask }
const stream = { ...whole, stream: true }
const speech = { model: 'm', input: 'a', voice: 'alloy' }

/** Reads an answer to its end, whatever that is. */
const read = (path: string, body: object) => async (gateway: Started) => {
  const response = await gateway.post(path, body)
  await response.text().catch(() => 'broken off')
}

/** Leaves once so many requests have reached upstreams, or once something of the answer has come. */
const leave =
  (path: string, body: object, when: number | 'begun') =>
  async (gateway: Started, asked: () => number = () => 0) => {
    const leaving = new AbortController()
    const left = () => gateway.logged.filter(({ fields }) => fields['left'] === true).length
    const before = { left: left(), asked: asked() }
    const answer = gateway.post(path, body, { signal: leaving.signal })
    if (when === 'begun') await (await answer).body?.getReader().read()
    else await until(() => asked() >= before.asked + when)
    leaving.abort()
    await answer.catch(() => undefined)
    await until(() => left() > before.left)
  }

interface Flow {
  readonly first: Answering
  readonly second?: Answering
  readonly type?: 'openai' | 'anthropic'
  readonly route?: object
  readonly call: (gateway: Started, asked: () => number) => Promise<unknown>
}

const hedge = (delayMs: number) => ({ hedge: { enabled: true, delayMs } })
const short = { timeouts: { headersMs: 150, firstTokenMs: 150, idleMs: 150 } }

describe('leaves no sockets, timers or listeners after', () => {
  test.each<[string, Flow]>([
    ['a whole answer', { first: good, call: read(chat, whole) }],
    [
      'a translated answer',
      {
        first: (_s, response) => json(response, message),
        type: 'anthropic',
        call: read(chat, whole),
      },
    ],
    ['a stream', { first: streams, call: read(chat, stream) }],
    [
      'a translated stream',
      { first: events(anthropic), type: 'anthropic', call: read(chat, stream) },
    ],
    ['a refused request', { first: error(400), call: read(chat, whole) }],
    ['a failure and its retry', { first: error(500), call: read(chat, whole) }],
    ['a fallback', { first: error(401), second: good, call: read(chat, whole) }],
    ['a fallback from a silent upstream', { first: silent, route: short, call: read(chat, whole) }],
    ['a stream without content', { first: begun, route: short, call: read(chat, stream) }],
    [
      'a stream that stalls',
      { first: events(openai, '', false), route: short, call: read(chat, stream) },
    ],
    [
      'a translated stream that stalls',
      {
        first: events(anthropic, '', false),
        type: 'anthropic',
        route: short,
        call: read(chat, stream),
      },
    ],
    [
      'a stream with an error event',
      { first: events(openai, openai?.errorFrame), call: read(chat, stream) },
    ],
    [
      'garbage in a stream',
      { first: events(openai, 'data: {"a\n\ndata: x\n\n', false), call: read(chat, stream) },
    ],
    ['a caller that left a silent upstream', { first: silent, call: leave(chat, whole, 1) }],
    [
      'a caller that left a stream',
      { first: events(openai, '', false), call: leave(chat, stream, 'begun') },
    ],
    [
      'a caller that left a translated stream',
      {
        first: events(anthropic, '', false),
        type: 'anthropic',
        call: leave(chat, stream, 'begun'),
      },
    ],
    [
      'a caller that left before a retry',
      {
        first: error(503, {}, { 'retry-after': '20' }),
        route: { retries: { attempts: 2, maxMs: 60_000 } },
        call: leave(chat, whole, 1),
      },
    ],
    ['a hedge', { first: silent, second: good, route: hedge(5), call: read(chat, whole) }],
    [
      'a hedge of streams',
      { first: begun, second: streams, route: hedge(5), call: read(chat, stream) },
    ],
    [
      'a hedge whose second leg was not needed',
      { first: good, second: good, route: hedge(60_000), call: read(chat, whole) },
    ],
    [
      'a hedge that a 400 ended',
      { first: silent, second: error(400), route: hedge(5), call: read(chat, whole) },
    ],
    [
      'a hedge that the caller left',
      { first: silent, second: silent, route: hedge(5), call: leave(chat, whole, 2) },
    ],
    [
      'several choices',
      {
        first: (_s, response) => json(response, message),
        type: 'anthropic',
        call: read(chat, { ...whole, n: 3 }),
      },
    ],
    [
      'several streamed choices',
      { first: events(anthropic), type: 'anthropic', call: read(chat, { ...stream, n: 3 }) },
    ],
    [
      'several streamed choices that the caller left',
      {
        first: events(anthropic, '', false),
        type: 'anthropic',
        call: leave(chat, { ...stream, n: 3 }, 'begun'),
      },
    ],
    ['audio', { first: sound, call: read('/v1/audio/speech', speech) }],
    ['audio that was cut', { first: soundThen('cut'), call: read('/v1/audio/speech', speech) }],
    [
      'audio that stalls',
      { first: soundThen('silence'), route: short, call: read('/v1/audio/speech', speech) },
    ],
    [
      'audio that the caller left',
      { first: soundThen('silence'), call: leave('/v1/audio/speech', speech, 'begun') },
    ],
  ])(
    '%s',
    async (_name, {
      first: answering,
      second: other = error(500),
      type = 'openai',
      route,
      call,
    }) => {
      await using first = await fakeUpstream(answering)
      await using second = await fakeUpstream(other ?? error(599))
      const models: NonNullable<Routes['models']> = {
        m: {
          targets: [{ target: 'first/m' }],
          ...(other === undefined ? {} : { fallback: ['second/m'] }),
          retries: { attempts: 2, baseMs: 1, maxMs: 5 },
          breaker: { failures: 1_000, windowMs: 1, cooldownMs: 1 },
          ...route,
        },
      }
      await using gateway = await start({
        providers: {
          first: { type, baseUrl: first.url, key: 'a' },
          second: { type, baseUrl: second.url, key: 'b' },
        },
        models,
      })
      const asked = () => first.seen.length + second.seen.length
      await expectNothingLeft([first, second], () => call(gateway, asked))
      expect(asked()).toBeGreaterThanOrEqual(4)
    },
  )

  const told = { model: 'builtin-chat', ...ask }
  test.each<[string, (gateway: Started) => Promise<unknown>]>([
    ['a whole answer', read(chat, told)],
    ['a stream', read(chat, { ...told, stream: true })],
    ['a stream in another format', read('/v1/messages', { ...told, max_tokens: 50, stream: true })],
    ['a refused request', read(chat, { ...told, model: 'builtin-embed' })],
  ])('the built-in engine: %s', async (_name, call) => {
    await using gateway = await start()
    await expectNothingLeft([], () => call(gateway))
  })

  const model = { ...stream, model: 'held/m' }
  test.each<[string, (gateway: Started) => Promise<unknown>]>([
    ['that stalls', read(chat, model)],
    ['that was left', leave(chat, model, 'begun')],
  ])('a stream of an engine %s', async (name, call) => {
    const file = join(import.meta.dirname, '../../support/fakes/paused-package.ts')
    const idleMs = name === 'that stalls' ? 100 : 60_000
    await using gateway = await start({
      providers: { held: { type: 'ai-sdk', package: file, key: 'k' } },
      defaults: { timeouts: { idleMs } },
    })
    await expectNothingLeft([], () => call(gateway))
  })

  test.each<[string, number, string, number]>([
    ['an image that was fetched', 200, 'image/png', 200],
    ['an image that is missing', 404, 'text/html', 400],
  ])('%s', async (_name, there, contentType, status) => {
    const pictures = createServer((_request, response) => {
      response.writeHead(there, { 'content-type': contentType }).end('picture')
    }).listen(0, '127.0.0.1')
    await once(pictures, 'listening')
    const { port } = pictures.address() as AddressInfo
    await using an = await fakeUpstream((_seen, response) => json(response, message))
    await using gateway = await start({
      providers: { an: { type: 'gemini', baseUrl: an.url, key: 'k' } },
      server: { allowPrivateMedia: true },
    })
    an.answer((_seen, response) =>
      json(response, {
        candidates: [
          { index: 0, finishReason: 'STOP', content: { role: 'model', parts: [{ text: 'A' }] } },
        ],
      }),
    )
    const url = `http://127.0.0.1:${port}/a.png`
    const content = [{ type: 'image_url', image_url: { url } }]
    await expectNothingLeft([an], async () => {
      const body = { model: 'an/m', messages: [{ role: 'user', content }] }
      const response = await gateway.post(chat, body)
      expect(response.status).toBe(status)
      await response.arrayBuffer()
    })
    pictures.closeAllConnections()
    pictures.close()
  })
})

test('detects leaked listeners and timers', async () => {
  await using only = await fakeUpstream(silent)
  await using gateway = await start(at({ only }))
  const leaving = new AbortController()
  const flow = async () => {
    const count = only.seen.length
    void gateway
      .post(chat, { model: 'only/m', ...ask }, { signal: leaving.signal })
      .catch(() => undefined)
    await until(() => only.seen.length > count)
  }
  const thrown: unknown = await expectNothingLeft([], flow, 300).catch((error: unknown) => error)
  leaving.abort()
  const { held } = (thrown as { actual: { held: string[] } }).actual
  for (const kind of ['a listener of src/', 'a limit of an attempt'])
    expect(held.filter((each) => each.startsWith(kind)).length).toBeGreaterThan(2)
})
