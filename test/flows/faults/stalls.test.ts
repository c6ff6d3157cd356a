// An upstream that stops sending, at any point: the caller receives an error, the socket closes, and one record is
// written.
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { beforeAll, describe, expect, test } from 'vitest'
import type { ConfigFile } from '../../../packages/sluice/src/config/schema.ts'
import {
  type Answering,
  type FakeUpstream,
  fakeUpstream,
} from '../../support/fakes/fake-upstream.ts'
import { chatReply } from '../../support/fakes/openai-wire.ts'
import {
  type ClientStream,
  clientStreams,
  type UpstreamStream,
  upstreamStreams,
} from '../../support/fakes/upstream-streams.ts'
import { videoTask } from '../../support/gateways/two-keys.ts'
import { settled } from '../../support/measures/usage-records.ts'
import { type Started, start, until } from '../../support/start.ts'

type Timeouts = NonNullable<NonNullable<ConfigFile['providers']>[string]['timeouts']>

interface Stage extends AsyncDisposable {
  readonly gateway: Started
  readonly upstream: FakeUpstream
}

async function stage(
  type: UpstreamStream['type'],
  timeouts: Timeouts,
  answering: Answering,
): Promise<Stage> {
  const upstream = await fakeUpstream(answering)
  const gateway = await start({
    providers: { up: { type, baseUrl: upstream.url, key: 'k', timeouts } },
  })
  return {
    gateway,
    upstream,
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]()
      await upstream[Symbol.asyncDispose]()
    },
  }
}

/** Says so much with this type, and then nothing more. */
const saying =
  (type: string, pieces: readonly (string | Uint8Array)[]): Answering =>
  (_seen, response) => {
    response.writeHead(200, { 'content-type': type }).flushHeaders()
    for (const piece of pieces) response.write(piece)
  }
const silence: Answering = () => undefined

/** The one call was recorded so, and its socket is closed. */
async function ended({ gateway, upstream }: Stage, record: string): Promise<void> {
  expect(await until(() => upstream.seen.at(-1)?.closedAt)).toBeDefined()
  expect(upstream.seen.length).toBe(1)
  expect(await settled(gateway, 1)).toEqual([expect.stringMatching(new RegExp(`^up ${record}`))])
  expect(gateway.logged.filter(({ level }) => level === 'error')).toEqual([])
}

async function timedOut(response: Response, limit: string): Promise<void> {
  const text = await response.text()
  expect(response.status, text).toBe(504)
  expect(text).toContain(`(${limit})`)
}

// What a first call loads takes longer than the limits here.
beforeAll(async () => {
  await using staged = await stage('openai', {}, (_seen, response) => {
    response.writeHead(500).end()
  })
  const [chat] = clientStreams
  await (await staged.gateway.post('/v1/chat/completions', chat!.body('up/m'))).text()
})

interface Phase {
  readonly name: string
  readonly timeouts: Timeouts
  readonly limit: string
  readonly answering: (stream: UpstreamStream) => Answering
}

const events = 'text/event-stream'

const streamedBefore: readonly Phase[] = [
  {
    name: 'before the head',
    timeouts: { headersMs: 300 },
    limit: 'headersMs',
    answering: () => silence,
  },
  {
    name: 'before the first token',
    timeouts: { firstTokenMs: 200 },
    limit: 'firstTokenMs',
    answering: ({ preamble }) => saying(events, preamble),
  },
]

const whole: readonly Phase[] = [
  {
    name: 'before the head',
    timeouts: { headersMs: 300 },
    limit: 'headersMs',
    answering: () => silence,
  },
  {
    name: 'behind the head',
    timeouts: { totalMs: 200 },
    limit: 'totalMs',
    answering: () => saying('application/json', []),
  },
  {
    name: 'in the middle of the answer',
    timeouts: { totalMs: 200 },
    limit: 'totalMs',
    answering: () => saying('application/json', ['{"id":"a","choices":[']),
  },
  {
    name: 'where the answer should end',
    timeouts: { totalMs: 200 },
    limit: 'totalMs',
    answering: () => saying('application/json', [JSON.stringify(chatReply('Hello'))]),
  },
]

/** Where an upstream of OpenAI's form is asked for Responses, it may be asked twice. */
const speakers = (type: UpstreamStream['type']): readonly ClientStream[] =>
  clientStreams.filter(({ name }) => type !== 'openai' || name !== 'responses')

describe.each(upstreamStreams)('an upstream of type $type stalls', (stream) => {
  const { type, preamble, content, ending } = stream

  describe.each(speakers(type))('for a client of $name', (client) => {
    test.each(streamedBefore)('streamed, silent $name', async ({ timeouts, limit, answering }) => {
      await using staged = await stage(type, timeouts, answering(stream))
      const { gateway } = staged
      await timedOut(await gateway.post(client.path('up/m'), client.body('up/m')), limit)
      await ended(staged, 'chat failed')
    })

    test.each(whole)('whole, silent $name', async ({ timeouts, limit, answering }) => {
      await using staged = await stage(type, timeouts, answering(stream))
      const path = client.path('up/m').replace(':streamGenerateContent?alt=sse', ':generateContent')
      const body = {
        ...client.body('up/m'),
        ...(client.name !== 'generateContent' && { stream: false }),
      }
      await timedOut(await staged.gateway.post(path, body), limit)
      await ended(staged, 'chat failed')
    })

    test('streamed, silent within the text', async () => {
      const said = [...preamble, content[0]!]
      await using staged = await stage(type, { idleMs: 60 }, saying(events, said))
      const response = await staged.gateway.post(client.path('up/m'), client.body('up/m'))
      expect(response.status).toBe(200)
      const text = await response.text()
      expect(client.text(text)).toBe('Hel')
      expect(text).toContain('(idleMs)')
      expect(client.isError(text)).toBe(true)
      expect(client.isWhole(text)).toBe(false)
      await ended(staged, 'chat incomplete')
    })

    test('streamed without end', async () => {
      await using staged = await stage(type, { totalMs: 250 }, (_seen, response) => {
        response.writeHead(200, { 'content-type': events })
        for (const piece of preamble) response.write(piece)
        const timer = setInterval(() => response.write(content[0]), 10)
        response.once('close', () => clearInterval(timer))
      })
      const response = await staged.gateway.post(client.path('up/m'), client.body('up/m'))
      const text = await response.text()
      expect(text).toContain('(totalMs)')
      expect(client.isError(text)).toBe(true)
      await ended(staged, 'chat incomplete')
    })

    // Gemini's streams have no last event: what is behind a finish may still be usage.
    if (type === 'gemini') return
    test('streamed, silent after its last event', async () => {
      const said = [...preamble, ...content, ...ending]
      await using staged = await stage(type, {}, saying(events, said))
      const response = await staged.gateway.post(client.path('up/m'), client.body('up/m'))
      const text = await response.text()
      expect(client.text(text)).toBe('Hello')
      expect(client.isWhole(text)).toBe(true)
      expect(client.isError(text)).toBe(false)
      await ended(staged, 'chat completed 7')
    })
  })
})

interface Media {
  readonly operation: string
  readonly type: string
  /** Brings a gateway to ask for the media. */
  readonly ask: (gateway: Started) => Promise<Response>
}

const media: readonly Media[] = [
  {
    operation: 'speak',
    type: 'audio/mpeg',
    ask: (gateway) =>
      gateway.post('/v1/audio/speech', { model: 'up/tts', voice: 'alloy', input: 'Hello' }),
  },
  {
    operation: 'downloadVideo',
    type: 'video/mp4',
    async ask(gateway) {
      const made = await gateway.post('/v1/videos', { model: 'up/sora', prompt: 'a' })
      const { id } = (await made.json()) as { id: string }
      return gateway.request(`/v1/videos/${id}/content`)
    },
  },
]

describe.each(media)('audio or video of $operation stalls', ({ operation, type, ask }) => {
  const about =
    (answering: Answering): Answering =>
    (seen, response, request) => {
      if (!seen.path.startsWith('/v1/videos') || seen.path.endsWith('/content'))
        return answering(seen, response, request)
      const task = videoTask('up_1', { ...(seen.method === 'GET' && { status: 'completed' }) })
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(task))
    }

  async function recorded({ gateway, upstream }: Stage, outcome: string): Promise<void> {
    expect(await until(() => upstream.seen.at(-1)?.closedAt)).toBeDefined()
    const records = await settled(gateway, upstream.seen.length)
    expect(records.filter((record) => record.startsWith(`up ${operation} `))).toEqual([
      `up ${operation} ${outcome}`,
    ])
    expect(records.length).toBe(upstream.seen.length)
  }

  test('before the headers', async () => {
    await using staged = await stage('openai', { headersMs: 300 }, about(silence))
    await timedOut(await ask(staged.gateway), 'headersMs')
    await recorded(staged, 'failed')
  })

  test.each<[string, Timeouts, readonly string[]]>([
    ['behind the head', { idleMs: 60 }, []],
    ['within the body', { idleMs: 60 }, ['some of it']],
  ])('%s: the download breaks off', async (_name, timeouts, pieces) => {
    await using staged = await stage('openai', timeouts, about(saying(type, pieces)))
    const response = await ask(staged.gateway)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe(type)
    await expect(response.arrayBuffer()).rejects.toThrow('terminated')
    await recorded(staged, 'incomplete')
  })

  test('without end', async () => {
    await using staged = await stage(
      'openai',
      { totalMs: 250 },
      about((_seen, response) => {
        response.writeHead(200, { 'content-type': type })
        const timer = setInterval(() => response.write('more'), 10)
        response.once('close', () => clearInterval(timer))
      }),
    )
    const response = await ask(staged.gateway)
    await expect(response.arrayBuffer()).rejects.toThrow('terminated')
    await recorded(staged, 'incomplete')
  })
})

test.each([false, true])(
  'a connect timeout closes the connection, streamed: %s',
  async (stream) => {
    // Takes connections, and never says a word of TLS.
    const mute = createServer((socket) => socket.on('error', () => undefined))
    mute.listen(0, '127.0.0.1')
    await once(mute, 'listening')
    let open = 0
    mute.on('connection', (socket) => {
      open += 1
      socket.once('close', () => (open -= 1)).resume()
    })
    const baseUrl = `https://127.0.0.1:${(mute.address() as AddressInfo).port}`
    await using gateway = await start({
      providers: { up: { type: 'openai', baseUrl, key: 'k', timeouts: { connectMs: 60 } } },
    })
    const body = { model: 'up/m', stream, messages: [{ role: 'user', content: 'Hi' }] }
    await timedOut(await gateway.post('/v1/chat/completions', body), 'connectMs')
    expect(await settled(gateway, 1)).toEqual(['up chat failed'])
    await until(() => open === 0)
    mute.close()
  },
)
