// When the gateway ends an answer early, it closes the upstream's connection.
import { request, type ServerResponse } from 'node:http'
import { afterEach, describe, expect, test } from 'vitest'
import { messages } from '../../../packages/protocols/src/anthropic/client/formats.ts'
import {
  type Answering,
  type FakeUpstream,
  fakeUpstream,
  json,
  sse,
} from '../../support/fakes/fake-upstream.ts'
import { chunk, textStream } from '../../support/fakes/openai-wire.ts'
import { begun, silent } from '../../support/fakes/scripted-targets.ts'
import { type UpstreamStream, upstreamStreams } from '../../support/fakes/upstream-streams.ts'
import { expectRecordsMatch, ledger } from '../../support/ledger.ts'
import { ask, at, good } from '../../support/routes.ts'
import { start, testKey, until } from '../../support/start.ts'

const chat = '/v1/chat/completions'
const open =
  (events: readonly (string | object)[]): Answering =>
  (_seen, response) =>
    sse(response, events, { end: false })

/** All requests were cut off by the other side: the answers were never ended by the upstream itself. */
const closed = ({ seen }: FakeUpstream) =>
  until(() => seen.length > 0 && seen.every(({ closedAt }) => closedAt !== undefined))

/** Writes the same piece for as long as it is taken. */
function pour(response: ServerResponse, piece: string | Buffer): void {
  const more = (): void => {
    while (!response.destroyed && response.write(piece));
  }
  response.on('drain', more)
  more()
}

const endless =
  (contentType: string, piece: string | Buffer, status = 200, headers = {}): Answering =>
  (_seen, response) =>
    pour(response.writeHead(status, { 'content-type': contentType, ...headers }), piece)

type Faults = Readonly<Record<string, (stream: UpstreamStream) => Answering>>

const garbage = 'data: {"half\n\ndata: not json\n\n'
const afterContent: Faults = {
  garbage: ({ preamble, content }) => open([...preamble, ...content, garbage]),
  'an error of its own': ({ preamble, content, errorFrame }) =>
    open([...preamble, ...content, errorFrame]),
  silence: ({ preamble, content }) => open([...preamble, ...content]),
}
const codes: Readonly<Record<string, string>> = {
  garbage: 'bad_response',
  silence: 'upstream_timeout',
}
/** Long where something else than silence is to end it, however busy the machine is. */
const idleMs = (name: string) => (name === 'silence' ? 200 : 20_000)

describe.each(upstreamStreams)(
  'closes the upstream connection when a stream of $type ends in',
  (stream) => {
    test.each(Object.entries(afterContent))('%s', async (name, fault) => {
      await using only = await fakeUpstream(fault(stream))
      await using gateway = await start({
        providers: { only: { type: stream.type, baseUrl: only.url, key: 'k' } },
        defaults: { timeouts: { idleMs: idleMs(name) } },
      })
      const response = await gateway.post(chat, { model: 'only/m', stream: true, ...ask })
      const text = await response.text()
      expect(text).toContain('"error":')
      expect(text).toContain(codes[name] ?? '')
      await closed(only)
      await until(() => only.connections === 0)
    })
  },
)

test('limits the size of a stream event that never ends', async () => {
  await using only = await fakeUpstream((_seen, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(`data: ${JSON.stringify(chunk({ content: 'Hel' }))}\n\ndata: "`)
    pour(response, Buffer.alloc(1024 * 1024, 'a'))
  })
  await using gateway = await start(at({ only }))
  const response = await gateway.post(chat, { model: 'only/m', stream: true, ...ask })
  expect(await response.text()).toContain('bad_response')
  await closed(only)
  await expectRecordsMatch(gateway, { only }, ['only chat incomplete'])
})

const short = { firstTokenMs: 300, headersMs: 300 }
const beforeContent: Faults = {
  garbage: ({ preamble }) => open([...preamble, garbage]),
  'an error of its own': ({ preamble, errorFrame }) => open([...preamble, errorFrame]),
  'a preamble alone': ({ preamble }) => open([...preamble, ': wait\n\n']),
  silence: () => silent,
}

describe.each(upstreamStreams)('falls back when a stream of $type begins with', (stream) => {
  test.each(Object.entries(beforeContent))('%s', async (_name, fault) => {
    await using first = await fakeUpstream(fault(stream))
    await using second = await fakeUpstream((_seen, response) => sse(response, textStream))
    await using gateway = await start({
      providers: {
        first: { type: stream.type, baseUrl: first.url, key: 'k', timeouts: short },
        second: { type: 'openai', baseUrl: second.url, key: 'k' },
      },
      models: { m: { targets: [{ target: 'first/m' }], fallback: ['second/m'] } },
      defaults: { retries: { attempts: 1 } },
    })
    const response = await gateway.post(chat, { model: 'm', stream: true, ...ask })
    expect(response.headers.get('x-sluice-provider')).toBe('second')
    expect(await response.text()).toContain('[DONE]')
    await closed(first)
    await until(() => first.connections === 0)
  })
})

describe('a stalled whole answer is an upstream timeout:', () => {
  const half =
    (status: number): Answering =>
    (_seen, response) => {
      response.writeHead(status, { 'content-type': 'application/json' })
      response.write('{"id":')
    }
  test.each<[string, Answering, boolean]>([
    ['within the answer', half(200), false],
    ['within an error body', half(500), false],
    ['in answer to a streaming request', half(200), true],
  ])('%s', async (_name, answering, stream) => {
    await using only = await fakeUpstream(answering)
    await using gateway = await start({
      ...at({ only }),
      defaults: { timeouts: { totalMs: 200, firstTokenMs: 200 } },
    })
    const response = await gateway.post(chat, { model: 'only/m', stream, ...ask })
    expect(response.status).toBe(504)
    expect(await response.json()).toMatchObject({ error: { code: 'upstream_timeout' } })
    await closed(only)
    await expectRecordsMatch(gateway, { only }, ['only chat failed'])
  })
})

test('does not wait for an upstream that keeps its stream open after the end', async () => {
  await using only = await fakeUpstream(open(textStream))
  await using gateway = await start(at({ only }))
  const response = await gateway.post(chat, { model: 'only/m', stream: true, ...ask })
  expect(await response.text()).toContain('[DONE]')
  await closed(only)
  await expectRecordsMatch(gateway, { only }, ['only chat completed 7+3'])
})

describe('when the writer of the caller’s format throws, closes the upstream and records the call once:', () => {
  const body = { model: 'only/m', max_tokens: 9, stream: true, ...ask }
  const own = { ...messages }
  type Writer = NonNullable<typeof messages.writer>
  afterEach(() => {
    Object.assign(messages, own)
  })
  const broken = (): never => {
    throw new Error('cannot be said')
  }
  const begins = open([chunk({ role: 'assistant', content: '' }), chunk({ content: 'Hel' })])

  test('on a whole answer', async () => {
    await using only = await fakeUpstream(good)
    await using gateway = await start(at({ only }))
    Object.assign(messages, { fromCanonical: broken })
    const response = await gateway.post('/v1/messages', { ...body, stream: false })
    expect(response.status).toBe(500)
    await expectRecordsMatch(gateway, { only }, ['only chat completed 7+3'])
  })

  test('on an event', async () => {
    await using only = await fakeUpstream(begins)
    await using gateway = await start(at({ only }))
    const writer: Writer = (...asked) => Object.assign(own.writer!(...asked), { write: broken })
    Object.assign(messages, { writer })
    const response = await gateway.post('/v1/messages', body)
    expect(await response.text()).toContain('event: error')
    await closed(only)
    expect((await ledger(gateway)).length).toBe(1)
  })

  test('when the stream opens', async () => {
    await using only = await fakeUpstream(begins)
    await using gateway = await start(at({ only }))
    let made = 0
    const writer: Writer = (...asked) => {
      made += 1
      return made === 1 ? own.writer!(...asked) : broken()
    }
    Object.assign(messages, { writer })
    const leaving = new AbortController()
    const response = await gateway.post('/v1/messages', body, { signal: leaving.signal })
    // Where a stream is written by what was made for it first, it is the caller who ends it.
    if (made === 1) leaving.abort()
    else expect(response.status).toBe(500)
    await closed(only)
    expect((await ledger(gateway)).length).toBe(1)
  })
})

describe('streamed audio', () => {
  const speech = { model: 'only/m', input: 'a', voice: 'alloy' }
  const begins: Answering = (_seen, response) => {
    response.writeHead(200, { 'content-type': 'audio/mpeg' })
    response.write('abc')
  }

  test('that stalls breaks off at the upstream and at the caller', async () => {
    await using only = await fakeUpstream(begins)
    await using gateway = await start({
      ...at({ only }),
      defaults: { timeouts: { idleMs: idleMs('silence') } },
    })
    const response = await gateway.post('/v1/audio/speech', speech)
    await expect(response.arrayBuffer()).rejects.toThrow('terminated')
    await closed(only)
    await expectRecordsMatch(gateway, { only }, ['only speak incomplete'])
  })

  test.each<[string, Answering]>([
    ['silent', begins],
    ['endless', endless('audio/mpeg', Buffer.alloc(65_536))],
  ])('that its caller abandons closes the upstream: %s', async (_name, answering) => {
    await using only = await fakeUpstream(answering)
    await using gateway = await start(at({ only }))
    const leaving = new AbortController()
    const options = { signal: leaving.signal }
    const response = await gateway.post('/v1/audio/speech', speech, options)
    await response.body?.getReader().read()
    leaving.abort()
    await closed(only)
    await expectRecordsMatch(gateway, { only }, ['only speak cancelled'])
  })
})

test('a HEAD request for a video closes the upstream without reading it', async () => {
  const task = {
    id: 'up_1',
    object: 'video',
    model: 'sora',
    status: 'completed',
    progress: 100,
    created_at: 1,
    seconds: '4',
    size: '720x1280',
  }
  const clip = endless('video/mp4', Buffer.alloc(65_536))
  await using only = await fakeUpstream((seen, response, asking) =>
    seen.path.endsWith('/content') ? clip(seen, response, asking) : json(response, task),
  )
  await using gateway = await start(at({ only }))
  const made = await gateway.post('/v1/videos', { model: 'only/sora', prompt: 'a' })
  const { id } = (await made.json()) as { id: string }
  const { port } = new URL(gateway.url)
  const status = await new Promise((resolve, reject) => {
    const path = `/v1/videos/${id}/content`
    const headers = { authorization: `Bearer ${testKey}` }
    request({ port, path, method: 'HEAD', headers }, (response) => resolve(response.statusCode))
      .on('error', reject)
      .end()
  })
  expect(status).toBe(200)
  await until(() => only.seen.at(-1)?.closedAt)
})

describe('closes the upstream that loses a hedge:', () => {
  const race = (delayMs: number) => ({
    models: {
      m: {
        targets: [{ target: 'first/m' }],
        fallback: ['second/m'],
        hedge: { enabled: true, delayMs },
      },
    },
  })

  test.each<[string, Answering, Answering, boolean]>([
    ['silent', silent, good, false],
    ['after its preamble', begun, (_seen, response) => sse(response, textStream), true],
    ['within a whole answer', endless('application/json', ' '), good, false],
  ])('%s', async (_name, loser, winner, stream) => {
    await using first = await fakeUpstream(loser)
    await using second = await fakeUpstream(winner)
    await using gateway = await start(at({ first, second }, race(20)))
    const response = await gateway.post(chat, { model: 'm', stream, ...ask })
    expect(response.headers.get('x-sluice-provider')).toBe('second')
    await response.text()
    await closed(first)
    await until(() => first.connections === 0)
    await expectRecordsMatch(gateway, { first, second }, [
      'first chat cancelled',
      'second chat completed 7+3',
    ])
  })
})

describe('stops reading a file that a request names by URL', () => {
  const bytes = Buffer.alloc(65_536, 1)
  test.each<[string, Answering]>([
    ['with status 404', endless('text/html', bytes, 404)],
    ['with a redirect', endless('text/html', bytes, 302, { location: 'http://127.0.0.1:1/' })],
    ['over the size limit', endless('image/png', bytes, 200, { 'content-length': 1_000_000_000 })],
    ['with a content encoding', endless('image/png', bytes, 200, { 'content-encoding': 'gzip' })],
  ])('%s', async (_name, answering) => {
    await using files = await fakeUpstream(answering)
    await using only = await fakeUpstream(good)
    await using gateway = await start({
      providers: { only: { type: 'gemini', baseUrl: only.url, key: 'k' } },
      server: { allowPrivateMedia: true },
    })
    const image = { type: 'image_url', image_url: { url: `${files.url}/a.png` } }
    const body = { model: 'only/m', messages: [{ role: 'user', content: [image] }] }
    const response = await gateway.post(chat, body)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      error: { param: 'messages[0].content[0].image_url.url' },
    })
    await closed(files)
    await until(() => files.connections === 0)
    expect(only.seen.length).toBe(0)
  })

  test('when the caller disconnects', async () => {
    await using files = await fakeUpstream(silent)
    await using only = await fakeUpstream(good)
    await using gateway = await start({
      providers: { only: { type: 'gemini', baseUrl: only.url, key: 'k' } },
      server: { allowPrivateMedia: true },
    })
    const image = { type: 'image_url', image_url: { url: `${files.url}/a.png` } }
    const body = { model: 'only/m', messages: [{ role: 'user', content: [image] }] }
    const leaving = new AbortController()
    const answer = gateway.post(chat, body, { signal: leaving.signal }).catch(() => 'left')
    await until(() => files.seen.length === 1)
    leaving.abort()
    expect(await answer).toBe('left')
    await closed(files)
    expect(only.seen.length).toBe(0)
  })
})
