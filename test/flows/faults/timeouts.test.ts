// Every timeout of an upstream, in every client format; and callers that disconnect.
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { describe, expect, test } from 'vitest'
import type { ConfigFile } from '../../../packages/sluice/src/config/schema.ts'
import { type Answering, fakeUpstream, json, sse } from '../../support/fakes/fake-upstream.ts'
import {
  type ClientStream,
  clientStreams,
  upstreamStreams,
} from '../../support/fakes/upstream-streams.ts'
import { start, until } from '../../support/start.ts'

type Timeouts = NonNullable<NonNullable<ConfigFile['providers']>[string]['timeouts']>

interface Limit {
  readonly answering: Answering
  readonly timeouts: Timeouts
  /** As the message names it. */
  readonly said: string
}

const [{ preamble, content }] = upstreamStreams as [(typeof upstreamStreams)[0]]

/** As most servers that speak OpenAI's chat: no Responses. */
const chatOnly =
  (answering: Answering): Answering =>
  (seen, response, request) =>
    seen.path.endsWith('/responses')
      ? json(response, {}, { status: 404 })
      : answering(seen, response, request)

/** Says the same again and again, until nobody listens. */
const forever = (piece: string, before: readonly string[] = []): Answering =>
  chatOnly(async (_seen, response) => {
    await sse(response, before, { end: false })
    const timer = setInterval(() => response.write(piece), 10)
    response.once('close', () => clearInterval(timer))
  })

/** Whole answers, and streams that have not said anything yet. */
const before: Readonly<Record<string, Limit>> = {
  headers: {
    answering: chatOnly(() => undefined),
    // A busy machine may need more than a moment until the upstream has the request at all.
    timeouts: { headersMs: 300 },
    said: '300 ms (headersMs)',
  },
  'total, in a whole answer': {
    answering: chatOnly((seen, response) => {
      response.writeHead(200, {
        'content-type': seen.body['stream'] ? 'text/event-stream' : 'application/json',
      })
      const timer = setInterval(() => response.write(' \n'), 10)
      response.once('close', () => clearInterval(timer))
    }),
    timeouts: { totalMs: 300 },
    said: '300 ms (totalMs)',
  },
}

const streamed: Readonly<Record<string, Limit>> = {
  'first token, in silence': {
    answering: chatOnly((_seen, response) => sse(response, preamble, { end: false })),
    timeouts: { firstTokenMs: 300 },
    said: '300 ms (firstTokenMs)',
  },
  'first token, among signs of life': {
    answering: forever(preamble[0]!),
    timeouts: { firstTokenMs: 300 },
    said: '300 ms (firstTokenMs)',
  },
  'first token, though the head took its time': {
    answering: chatOnly((_seen, response) => {
      setTimeout(
        () => response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders(),
        900,
      )
    }),
    // Counted from the head it would come after the total. A busy machine may be late by half a second.
    timeouts: { firstTokenMs: 1_000, headersMs: 5_000, totalMs: 1_800 },
    said: '1000 ms (firstTokenMs)',
  },
}

const after: Readonly<Record<string, Limit>> = {
  idle: {
    answering: chatOnly((_seen, response) =>
      sse(response, [...preamble, ...content], { end: false }),
    ),
    timeouts: { idleMs: 60 },
    said: '60 ms (idleMs)',
  },
  'idle, among comments': {
    answering: forever(': nothing new\n\n', [...preamble, ...content]),
    timeouts: { idleMs: 60 },
    said: '60 ms (idleMs)',
  },
  total: {
    answering: forever(content[0]!),
    timeouts: { totalMs: 300 },
    said: '300 ms (totalMs)',
  },
}

async function stage({ answering, timeouts }: Limit) {
  const upstream = await fakeUpstream(answering)
  const gateway = await start({
    providers: { up: { type: 'openai', baseUrl: upstream.url, key: 'k', timeouts } },
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

/** The same request without a stream. */
function whole(client: ClientStream): readonly [path: string, body: object] {
  const path = client.path('up/m').replace(':streamGenerateContent?alt=sse', ':generateContent')
  const asked = client.body('up/m')
  return [path, 'stream' in asked ? { ...asked, stream: false } : asked]
}

describe.each(clientStreams)('timeouts in the format of $name', (client) => {
  test.each(Object.entries({ ...before, ...streamed }))(
    '%s: 504 before the stream starts',
    async (name, limit) => {
      await using staged = await stage(limit)
      const { gateway } = staged
      const ways = [gateway.post(client.path('up/m'), client.body('up/m'))]
      if (name in before) ways.push(gateway.post(...whole(client)))
      for (const response of await Promise.all(ways)) {
        expect(response.status).toBe(504)
        expect(await response.text()).toContain(limit.said)
      }
      // An upstream without this format says so to the first attempt, and is asked again in its own.
      const asked = staged.upstream.seen.length
      const counted = (await Promise.all(ways)).map((response) =>
        Number(response.headers.get('x-sluice-attempts')),
      )
      expect(counted.reduce((sum, attempts) => sum + attempts, 0)).toBe(asked)
      for (const seen of staged.upstream.seen.filter(({ path }) => !path.endsWith('/responses')))
        expect(await until(() => seen.closedAt)).toBeDefined()
    },
  )

  test.each(Object.entries(after))('%s: an error event after content', async (_, limit) => {
    await using staged = await stage(limit)
    const response = await staged.gateway.post(client.path('up/m'), client.body('up/m'))
    expect(response.status).toBe(200)
    const text = await response.text()
    expect(client.text(text)).toContain('Hel')
    expect(text).toContain(limit.said)
    expect(client.isError(text)).toBe(true)
    expect(client.isWhole(text)).toBe(false)
    expect(await until(() => staged.upstream.seen.at(-1)?.closedAt)).toBeDefined()
  })

  test('connect timeout: 504', async () => {
    // Takes connections, and never says a word of TLS.
    const mute = createServer((socket) => socket.on('error', () => undefined).unref()).unref()
    mute.listen(0, '127.0.0.1')
    await once(mute, 'listening')
    const { port } = mute.address() as AddressInfo
    const baseUrl = `https://127.0.0.1:${port}`
    await using gateway = await start({
      providers: { up: { type: 'openai', baseUrl, key: 'k', timeouts: { connectMs: 60 } } },
    })
    const ways = [
      gateway.post(client.path('up/m'), client.body('up/m')),
      gateway.post(...whole(client)),
    ]
    for (const response of await Promise.all(ways)) {
      expect(response.status).toBe(504)
      expect(await response.text()).toContain('60 ms (connectMs)')
    }
  })
})

const places = ['head', 'preamble', 'content'] as const
const asArray: ClientStream = {
  ...clientStreams.at(-1)!,
  name: 'generateContent as an array',
  path: (model) => `/v1beta/models/${encodeURIComponent(model)}:streamGenerateContent`,
}

describe.each(upstreamStreams)('a caller disconnects from an upstream of type $type', (stream) => {
  describe.each([...clientStreams, asArray])('over $name', (client) => {
    test.each([...places, 'whole'] as const)(
      'silent at its %s: the upstream is closed and the call recorded',
      async (place) => {
        const isArray = stream.type === 'gemini' && client === asArray
        await using upstream = await fakeUpstream(
          chatOnly((_seen, response) => {
            if (place === 'head' || place === 'whole') return
            const events = [...stream.preamble, ...(place === 'content' ? stream.content : [])]
            if (!isArray) {
              response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
              return sse(response, events, { end: false })
            }
            response.writeHead(200, { 'content-type': 'application/json' })
            response.write(`[${events.map((event) => event.slice('data: '.length).trim()).join()}`)
          }),
        )
        await using gateway = await start({
          providers: { up: { type: stream.type, baseUrl: upstream.url, key: 'k' } },
        })
        const leaving = new AbortController()
        const [path, body] =
          place === 'whole' ? whole(client) : [client.path('up/m'), client.body('up/m')]
        const asking = gateway.post(path, body, { signal: leaving.signal })
        const seen = await until(() =>
          upstream.seen.find(({ path: at }) => !at.endsWith('/responses')),
        )
        if (place === 'content') await (await asking).body!.getReader().read()
        const left = Date.now()
        leaving.abort()
        await asking.catch(() => undefined)
        // Any other end would take minutes; this process has much else to do.
        expect((await until(() => seen.closedAt)) - left).toBeLessThan(5_000)
        const { store } = gateway.gateway
        await until(() => gateway.logged.some(({ fields }) => fields['left'] === true))
        await store.flush()
        const records = await store.listUsage({ limit: 5 })
        expect(records.at(0)).toMatchObject({ outcome: 'cancelled' })
        expect(gateway.logged.filter(({ level }) => level === 'error')).toEqual([])
      },
    )
  })
})
