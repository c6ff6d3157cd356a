import type { ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import {
  type Answering,
  type FakeUpstream,
  fakeUpstream,
  json,
  sse,
} from '../../support/fakes/fake-upstream.ts'
import {
  type ClientStream,
  clientStreams,
  type UpstreamStream,
  upstreamStreams,
} from '../../support/fakes/upstream-streams.ts'
import { type Started, start } from '../../support/start.ts'

type Fault = (response: ServerResponse, stream: UpstreamStream) => void | Promise<void>

/** What goes wrong before any content: nobody has seen anything of it. */
const faultsBefore: Readonly<Record<string, Fault>> = {
  cut: async (response, { preamble }) => {
    await sse(response, preamble, { end: false })
    response.destroy()
  },
  'regular end': (response, { preamble }) => sse(response, preamble),
  stall: (response, { preamble }) => sse(response, [...preamble, ': waiting\n\n'], { end: false }),
  'error frame': (response, { preamble, errorFrame }) => sse(response, [...preamble, errorFrame]),
  'error body with status 200': (response) =>
    json(response, { error: { message: 'broken', code: 500 }, type: 'error' }),
  'wrong content type': (response, { content }) =>
    sse(response, content, { type: 'text/html; charset=utf-8' }),
  'garbage line': (response, { preamble, content, ending }) =>
    sse(response, [...preamble, 'data: {"half\n\n', ...content, ...ending]),
  'a page of HTML as events': (response) => sse(response, ['<html><body>\n\n', 'Bad gateway\n\n']),
}

const faultsAfter: Readonly<Record<string, Fault>> = {
  cut: async (response, { preamble, content }) => {
    await sse(response, [...preamble, ...content], { end: false })
    response.destroy()
  },
  'regular end before the terminal event': (response, { preamble, content }) =>
    sse(response, [...preamble, ...content]),
  'cut in the middle of an event': async (response, { preamble, content }) => {
    await sse(response, [...preamble, ...content, (content[1] ?? '').slice(0, 20)], { end: false })
    response.destroy()
  },
  stall: (response, { preamble, content }) =>
    sse(response, [...preamble, ...content], { end: false }),
  'error frame': (response, { preamble, content, errorFrame }) =>
    sse(response, [...preamble, ...content, errorFrame]),
  'error frame in one packet with content': async (response, { preamble, content, errorFrame }) => {
    const [first = '', second = ''] = content
    await sse(response, [...preamble, first], { end: false })
    // In a packet of its own, so that content has been seen before.
    await new Promise((resolve) => setTimeout(resolve, 50))
    await sse(response, [second + errorFrame])
  },
  garbage: (response, { preamble, content }) =>
    sse(response, [...preamble, ...content, 'data: {"half\n\n', 'data: not json\n\n'], {
      end: false,
    }),
}

/** As most servers that speak OpenAI's chat: no Responses. */
function withoutResponses(
  answering: (response: ServerResponse) => void | Promise<void>,
): Answering {
  return (seen, response) =>
    seen.path.endsWith('/responses')
      ? json(response, { error: { message: 'Not found' } }, { status: 404 })
      : answering(response)
}

interface Stage extends AsyncDisposable {
  readonly first: FakeUpstream
  readonly gateway: Started
}

/** Short where something falls silent, and only there: a busy machine takes its time for everything else. */
function limitsOf(fault: Fault): { readonly firstTokenMs?: number; readonly idleMs?: number } {
  if (fault === faultsBefore['stall']) return { firstTokenMs: 400 }
  return fault === faultsAfter['stall'] ? { idleMs: 400 } : {}
}

async function stage(stream: UpstreamStream, fault: Fault): Promise<Stage> {
  const first = await fakeUpstream(withoutResponses((response) => fault(response, stream)))
  const second = await fakeUpstream(
    withoutResponses((response) =>
      sse(response, [...stream.preamble, ...stream.content, ...stream.ending]),
    ),
  )
  const gateway = await start({
    providers: {
      first: { type: stream.type, baseUrl: first.url, key: 'a', timeouts: limitsOf(fault) },
      second: { type: stream.type, baseUrl: second.url, key: 'b' },
    },
    models: {
      both: { targets: [{ target: 'first/m' }], fallback: ['second/m'] },
    },
    defaults: { retries: { attempts: 1 } },
  })
  return {
    first,
    gateway,
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]()
      await first[Symbol.asyncDispose]()
      await second[Symbol.asyncDispose]()
    },
  }
}

async function ask(gateway: Started, client: ClientStream, model: string) {
  const response = await gateway.post(client.path(model), client.body(model))
  return { response, text: await response.text() }
}

describe.each(upstreamStreams)('streams of an upstream of type $type', (stream) => {
  describe.each(clientStreams)('to a client of $name', (client) => {
    test('arrive whole when split into chunks of 1 and 7 bytes', async () => {
      const bytes = Buffer.from(
        [...stream.preamble, ': comment\r\n\r\n', ...stream.content, ...stream.ending].join(''),
      )
      for (const size of [1, 7]) {
        await using upstream = await fakeUpstream(
          withoutResponses((response) => {
            response.writeHead(200, { 'content-type': 'text/event-stream' })
            for (let at = 0; at < bytes.length; at += size)
              response.write(bytes.subarray(at, at + size))
            response.end()
          }),
        )
        await using gateway = await start({
          providers: { first: { type: stream.type, baseUrl: upstream.url, key: 'a' } },
        })
        const { response, text } = await ask(gateway, client, 'first/m')
        expect(response.status).toBe(200)
        expect(client.text(text)).toBe('Hello')
        expect(client.isWhole(text)).toBe(true)
        await gateway.gateway.store.flush()
        const records = await gateway.gateway.store.listUsage({ limit: 9 })
        expect(records.filter(({ outcome }) => outcome !== 'failed')).toMatchObject([
          { outcome: 'completed', inputTokens: 7, outputTokens: 3, reported: true },
        ])
      }
    })

    test.each(Object.entries(faultsBefore))(
      'with %s before content fall back to the next target',
      async (_, fault) => {
        await using stageOf = await stage(stream, fault)
        const { response, text } = await ask(stageOf.gateway, client, 'both')
        expect(response.status).toBe(200)
        expect(response.headers.get('x-sluice-provider')).toBe('second')
        expect(client.text(text)).toBe('Hello')
        expect(client.isWhole(text)).toBe(true)
        expect(stageOf.first.seen.filter(({ path }) => !path.endsWith('/responses')).length).toBe(1)
      },
    )

    test.each(Object.entries(faultsAfter))(
      'with %s after content end with an error event',
      async (_, fault) => {
        await using stageOf = await stage(stream, fault)
        const { text } = await ask(stageOf.gateway, client, 'both')
        expect(client.text(text)).toBe('Hello')
        expect(client.isWhole(text)).toBe(false)
        expect(client.isError(text)).toBe(true)
        const { store } = stageOf.gateway.gateway
        await store.flush()
        const records = await store.listUsage({ limit: 9 })
        expect(
          records.map(({ outcome }) => outcome).filter((outcome) => outcome !== 'failed'),
        ).toEqual(['incomplete'])
      },
    )

    test('skip one unreadable line', async () => {
      const [first = '', ...rest] = stream.content
      await using stageOf = await stage(stream, (response) =>
        sse(response, [...stream.preamble, first, 'data: {"half\n\n', ...rest, ...stream.ending]),
      )
      const { response, text } = await ask(stageOf.gateway, client, 'both')
      expect(response.headers.get('x-sluice-provider')).toBe('first')
      expect(client.text(text)).toBe('Hello')
      expect(client.isWhole(text)).toBe(true)
      expect(text).not.toContain('"half')
    })
  })
})
