// A caller that reads slowly slows the upstream down, and nothing is buffered without a limit.
import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import type { ConfigFile } from '../../../packages/sluice/src/config/schema.ts'
import { type Answering, fakeUpstream } from '../../support/fakes/fake-upstream.ts'
import { chunk, done, usageChunk } from '../../support/fakes/openai-wire.ts'
import { upstreamStreams } from '../../support/fakes/upstream-streams.ts'
import { type StartOptions, start, testKey, until } from '../../support/start.ts'

const size = 16_384
const count = 3_200
const total = size * count
/** What the gateway may hold of it: pieces on their way, and how differently the system fills two connections. */
const heldMax = 0.12 * total
const words = 'x'.repeat(size)

interface Endless {
  readonly answering: Answering
  /** How many pieces it has to say. */
  count: number
  /** Bytes of content that it could get rid of so far. */
  written: number
}

/** An upstream that sends 50 MB as fast as it can, and no faster. */
function endless(events: readonly [before: string, each: string, after: string]): Endless {
  const state: Endless = {
    count,
    written: 0,
    async answering(_seen, response) {
      const [before, each, after] = events
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const gone = new AbortController()
      response.once('close', () => gone.abort())
      response.write(before)
      for (let index = 0; index < state.count && !response.destroyed; index += 1) {
        if (!response.write(each))
          await once(response, 'drain', { signal: gone.signal }).catch(() => undefined)
        state.written += size
      }
      response.end(after)
    },
  }
  return state
}

const data = (value: object) => `data: ${JSON.stringify(value)}\n\n`
const [, anthropic] = upstreamStreams

const upstreams = {
  openai: endless([
    data(chunk({ role: 'assistant', content: '' })),
    data(chunk({ content: words })),
    data(chunk({}, 'stop')) + data(usageChunk) + done,
  ]),
  anthropic: endless([
    anthropic!.preamble.join(''),
    anthropic!.content[0]!.replace('"Hel"', `"${words}"`),
    anthropic!.ending.join(''),
  ]),
}

/** A streamed answer whose body nobody reads yet: of a chat completion, or of whatever else is at an address. */
async function unread(
  { url }: { readonly url: string },
  path = '/v1/chat/completions',
): Promise<IncomingMessage> {
  const asking = httpRequest(url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
  })
  asking.end(
    JSON.stringify({ model: 'up/m', stream: true, messages: [{ role: 'user', content: 'Hi' }] }),
  )
  const [response] = (await once(asking, 'response')) as [IncomingMessage]
  return response
}

/** Waits until the upstream has written nothing for so many milliseconds. */
function standstill(state: Endless, ms: number): Promise<number> {
  let last = -1
  let since = Date.now()
  return until(() => {
    if (state.written !== last) {
      last = state.written
      since = Date.now()
    }
    return last > 0 && Date.now() - since > ms && last
  }, 20_000)
}

async function stage(type: keyof typeof upstreams, options: StartOptions = {}) {
  const upstream = await fakeUpstream(upstreams[type].answering)
  const config: ConfigFile = {
    providers: { up: { type, baseUrl: upstream.url, key: 'k', timeouts: { idleMs: 200 } } },
  }
  const gateway = await start(config, options)
  return {
    gateway,
    upstream,
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]()
      await upstream[Symbol.asyncDispose]()
    },
  }
}

/** Reads a stream to its end; how long it was, and its last characters. */
async function readAll(response: IncomingMessage): Promise<{ length: number; end: string }> {
  let length = 0
  let end = ''
  for await (const piece of response as AsyncIterable<Buffer>) {
    length += piece.length
    end = (end + piece.toString('latin1')).slice(-done.length)
  }
  return { length, end }
}

// OpenAI's bytes pass as they came, Anthropic's events are translated.
test.each(['openai', 'anthropic'] as const)(
  'applies backpressure to an %s upstream',
  async (type) => {
    const state = upstreams[type]
    await using staged = await stage(type)
    state.written = 0
    const direct = await unread(staged.upstream)
    // What the system keeps of one connection on the way, and this upstream's own queue.
    const perConnection = await standstill(state, 400)
    direct.destroy()
    await until(() => staged.upstream.seen[0]?.closedAt)
    state.written = 0
    const response = await unread(staged.gateway)
    try {
      // Longer than the limit between two events, which is the upstream's and not the caller's.
      const written = await standstill(state, 400)
      expect(written - 2 * perConnection, 'bytes held by the gateway').toBeLessThan(heldMax)
      const { length, end } = await readAll(response)
      expect(length).toBeGreaterThan(total)
      expect(end).toBe(done)
    } finally {
      response.destroy()
    }
  },
)

test('disconnects a caller that reads nothing', async () => {
  const state = upstreams.openai
  state.written = 0
  await using staged = await stage('openai', {
    streamTimes: { keepAliveMs: 10_000, stalledMs: 100 },
  })
  const response = await unread(staged.gateway)
  await until(() => staged.upstream.seen[0]?.closedAt)
  expect(state.written).toBeLessThan(total)
  const { store } = staged.gateway.gateway
  await until(() => staged.gateway.logged.some(({ fields }) => fields['left'] === true))
  await store.flush()
  expect(await store.listUsage({ limit: 5 })).toMatchObject([{ outcome: 'cancelled' }])
  await expect(readAll(response)).rejects.toThrow('aborted')
})
