// The cost of a stream, in a comment at its end if the request asks for it; every official client ignores the comment.
import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI } from '@google/genai'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type FakeUpstream, fakeUpstream, sse } from '../../support/fakes/fake-upstream.ts'
import { textStream } from '../../support/fakes/openai-wire.ts'
import { clientStreams } from '../../support/fakes/upstream-streams.ts'
import { noSuchAddress } from '../../support/gateways/two-keys.ts'
import { type Started, start, testKey } from '../../support/start.ts'

/** Seven tokens in and three out are what the fake upstream reports: 7 × 2 + 3 × 10 = 44 millionths. */
const prices = { 'up/*': { input: 2, output: 10 } }
const headers = { 'x-sluice-cost': 'stream' }
const model = 'up/m'
const prompt = 'Hi'
const messages = [{ role: 'user' as const, content: prompt }]

let upstream: FakeUpstream
let gateway: Started
beforeAll(async () => {
  upstream = await fakeUpstream((seen, response) =>
    seen.path.endsWith('/responses') ? noSuchAddress(response) : sse(response, textStream),
  )
  const up = { type: 'openai' as const, baseUrl: upstream.url, key: 'k' }
  gateway = await start({ prices, providers: { up } })
})
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await upstream[Symbol.asyncDispose]()
})

const comment = ': x-sluice-cost: 0.000044'

describe.each(clientStreams.map((client) => [client.name, client] as const))(
  'the cost comment in a stream of %s',
  (_name, client) => {
    const streamed = async (further: Record<string, string>) => {
      const answer = await gateway.post(client.path(model), client.body(model), {
        headers: further,
      })
      expect(answer.status).toBe(200)
      return { type: answer.headers.get('content-type') ?? '', text: await answer.text() }
    }

    test('is at its end and changes nothing else', async () => {
      const plain = await streamed({})
      const told = await streamed(headers)
      expect(plain.text).not.toContain('x-sluice-cost')
      if (told.type.startsWith('text/event-stream')) {
        expect(told.text.endsWith(`\n\n${comment}\n\n`), told.text).toBe(true)
        expect(client.isWhole(told.text.slice(0, -`${comment}\n\n`.length))).toBe(true)
      } else expect(told.text).not.toContain('x-sluice-cost')
    })
  },
)

const clients: readonly (readonly [string, () => Promise<string>])[] = [
  [
    'OpenAI, chat',
    async () => {
      const client = new OpenAI({
        baseURL: `${gateway.url}/v1`,
        apiKey: testKey,
        defaultHeaders: headers,
      })
      let text = ''
      const stream = await client.chat.completions.create({ model, messages, stream: true })
      for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? ''
      return text
    },
  ],
  [
    'OpenAI, responses',
    async () => {
      const client = new OpenAI({
        baseURL: `${gateway.url}/v1`,
        apiKey: testKey,
        defaultHeaders: headers,
      })
      let text = ''
      const stream = await client.responses.create({ model, input: prompt, stream: true })
      for await (const event of stream)
        if (event.type === 'response.output_text.delta') text += event.delta
      return text
    },
  ],
  [
    'Anthropic',
    async () => {
      const client = new Anthropic({
        baseURL: gateway.url,
        apiKey: testKey,
        defaultHeaders: headers,
      })
      const stream = client.messages.stream({ model, messages, max_tokens: 64 })
      return stream.finalText()
    },
  ],
  [
    'Google',
    async () => {
      const client = new GoogleGenAI({
        apiKey: testKey,
        httpOptions: { baseUrl: gateway.url, headers },
      })
      let text = ''
      for await (const piece of await client.models.generateContentStream({
        model,
        contents: prompt,
      }))
        text += piece.text ?? ''
      return text
    },
  ],
]

test.each(clients)('the official client of %s ignores the cost comment', async (_name, ask) => {
  expect(await ask()).toBe('Hello')
})
