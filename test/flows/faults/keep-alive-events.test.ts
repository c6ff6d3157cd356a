// While an upstream sends nothing, the caller receives keep-alive events of its own format.
import Anthropic from '@anthropic-ai/sdk'
import { describe, expect, test } from 'vitest'
import { type Answering, fakeUpstream, json, sse } from '../../support/fakes/fake-upstream.ts'
import {
  type ClientStream,
  clientStreams,
  upstreamStreams,
} from '../../support/fakes/upstream-streams.ts'
import { start, testKey } from '../../support/start.ts'

const comment = ': keep-alive\n\n'
const ping = 'event: ping\ndata: {"type":"ping"}\n\n'

const asArray: ClientStream = {
  ...clientStreams.at(-1)!,
  name: 'generateContent as an array',
  path: (model) => `/v1beta/models/${encodeURIComponent(model)}:streamGenerateContent`,
}

const signs: Readonly<Record<string, string>> = {
  chat: comment,
  messages: ping,
  responses: comment,
  generateContent: comment,
  'generateContent as an array': '\n',
}

type Hold = () => Promise<void>

/** An upstream that waits at one place until it is told to go on. */
function holding(at: 'head' | 'preamble' | 'content', hold: Hold, type: string): Answering {
  const { preamble, content, ending } = upstreamStreams.find((stream) => stream.type === type)!
  return async (seen, response) => {
    // As most servers that speak OpenAI's chat: no Responses.
    if (seen.path.endsWith('/responses')) return json(response, {}, { status: 404 })
    // Google speaks in an array where it is not asked for events.
    const inArray = seen.path.endsWith(':streamGenerateContent')
    if (at === 'head') await hold()
    const first = at === 'content' ? [...preamble, ...content.slice(0, 1)] : preamble
    const rest = [...(at === 'content' ? content.slice(1) : content), ...ending]
    if (!inArray) {
      await sse(response, first, { end: false })
      response.flushHeaders()
      if (at !== 'head') await hold()
      return sse(response, rest)
    }
    const elements = [...first, ...rest].map((event) => event.slice('data: '.length).trim())
    response.writeHead(200, { 'content-type': 'application/json' })
    response.write('[')
    if (at === 'content') response.write(elements.shift())
    response.flushHeaders()
    if (at !== 'head') await hold()
    response.end(`${at === 'content' ? ',' : ''}${elements.join(',')}]`)
  }
}

describe.each(['openai', 'anthropic', 'gemini'] as const)(
  'keep-alives of a silent %s upstream',
  (type) => {
    describe.each([...clientStreams, asArray])('to a client of $name', (client) => {
      test.each(['head', 'preamble', 'content'] as const)(
        'when it is silent at its %s',
        async (at) => {
          const { promise: told, resolve: goOn } = Promise.withResolvers<void>()
          await using upstream = await fakeUpstream(holding(at, () => told, type))
          await using gateway = await start(
            { providers: { up: { type, baseUrl: upstream.url, key: 'k' } } },
            { streamTimes: { keepAliveMs: 20, stalledMs: 10_000 } },
          )
          const response = await gateway.post(client.path('up/m'), client.body('up/m'))
          expect(response.status).toBe(200)
          const sign = signs[client.name]!
          let text = ''
          for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) {
            text += piece
            if (text.split(sign).length > 3) goOn()
          }
          if (client === asArray) {
            const fragments = JSON.parse(text) as {
              candidates?: { content: { parts: object[] } }[]
            }[]
            expect(client.text(JSON.stringify(fragments))).toBe('Hello')
            expect(text.trimStart().startsWith('[')).toBe(true)
            return
          }
          expect(client.text(text)).toBe('Hello')
          expect(client.isWhole(text)).toBe(true)
        },
      )
    })
  },
)

test.each(clientStreams)(
  '$name: a failure after keep-alives ends with an error in the format',
  async (client) => {
    const { promise: told, resolve: goOn } = Promise.withResolvers<void>()
    await using upstream = await fakeUpstream(async (_seen, response) => {
      await told
      json(response, { error: { message: 'It says so', type: 'x' } }, { status: 400 })
    })
    await using gateway = await start(
      { providers: { up: { type: 'openai', baseUrl: upstream.url, key: 'k' } } },
      { streamTimes: { keepAliveMs: 20, stalledMs: 10_000 } },
    )
    const response = await gateway.post(client.path('up/m'), client.body('up/m'))
    expect(response.status).toBe(200)
    let text = ''
    for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) {
      text += piece
      goOn()
    }
    expect(text.startsWith(signs[client.name]!)).toBe(true)
    expect(text).toContain('It says so')
    expect(client.isError(text)).toBe(true)
    expect(client.isWhole(text)).toBe(false)
  },
)

test('the official Anthropic SDK accepts pings before the message', async () => {
  const { promise: told, resolve: goOn } = Promise.withResolvers<void>()
  await using upstream = await fakeUpstream(holding('head', () => told, 'openai'))
  await using gateway = await start(
    { providers: { up: { type: 'openai', baseUrl: upstream.url, key: 'k' } } },
    { streamTimes: { keepAliveMs: 20, stalledMs: 10_000 } },
  )
  const stream = new Anthropic({ apiKey: testKey, baseURL: gateway.url, maxRetries: 0 }).messages
    .stream({ model: 'up/m', max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] })
    .on('connect', goOn)
  expect((await stream.finalMessage()).content).toMatchObject([{ type: 'text', text: 'Hello' }])
})
