// Lists and objects nested thousands of levels deep: a 400 with the path, for every format and target.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type FakeUpstream, fakeUpstream, json } from '../../support/fakes/fake-upstream.ts'
import { chatReply } from '../../support/fakes/openai-wire.ts'
import { type Started, start } from '../../support/start.ts'

const levels = 4_000
const objects = (depth: number) => `${'{"properties":'.repeat(depth)}{}${'}'.repeat(depth)}`
const lists = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
const schema = (depth: number) =>
  `${'{"type":"object","properties":{"a":'.repeat(depth / 2)}{}${'}}'.repeat(depth / 2)}`

/** `DEEP` stands for what is nested. */
interface Place {
  readonly path: string
  /** Every place of the format, with the field that it is told of. */
  readonly places: Readonly<Record<string, object>>
}

const message = { role: 'user', content: 'Hi' }
const DEEP = 'DEEP'
const chat = { messages: [message] }
const called = (args: string) => [
  message,
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: args } }],
  },
  { role: 'tool', tool_call_id: 'a', content: 'x' },
]
const turn = { role: 'user', parts: [{ text: 'Hi' }] }

const formats: Readonly<Record<string, Place>> = {
  chat: {
    path: '/v1/chat/completions',
    places: {
      tools: { ...chat, tools: [{ type: 'function', function: { name: 'f', parameters: DEEP } }] },
      response_format: {
        ...chat,
        response_format: { type: 'json_schema', json_schema: { name: 'x', schema: DEEP } },
      },
      stream_options: {
        ...chat,
        stream: true,
        stream_options: { include_usage: false, other: DEEP },
      },
      metadata: { ...chat, metadata: DEEP },
      messages: {
        messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi', cache_control: DEEP }] }],
      },
      unlisted: { ...chat, unlisted: DEEP },
    },
  },
  responses: {
    path: '/v1/responses',
    places: {
      tools: { input: 'Hi', tools: [{ type: 'function', name: 'f', parameters: DEEP }] },
      text: { input: 'Hi', text: { format: { type: 'json_schema', name: 'x', schema: DEEP } } },
      metadata: { input: 'Hi', metadata: DEEP },
      input: { input: [{ role: 'user', content: 'Hi', extra: DEEP }] },
      stream_options: { input: 'Hi', stream: true, stream_options: DEEP },
    },
  },
  messages: {
    path: '/v1/messages',
    places: {
      tools: { max_tokens: 9, ...chat, tools: [{ name: 'f', input_schema: DEEP }] },
      messages: {
        max_tokens: 9,
        messages: [
          message,
          { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input: DEEP }] },
        ],
      },
      metadata: { max_tokens: 9, ...chat, metadata: DEEP },
      output_format: {
        max_tokens: 9,
        ...chat,
        output_format: { type: 'json_schema', schema: DEEP },
      },
    },
  },
  gemini: {
    path: '/v1beta/models/MODEL:generateContent',
    places: {
      tools: {
        contents: [turn],
        tools: [{ functionDeclarations: [{ name: 'f', parameters: DEEP }] }],
      },
      contents: {
        contents: [turn, { role: 'model', parts: [{ functionCall: { name: 'f', args: DEEP } }] }],
      },
      generationConfig: { contents: [turn], generationConfig: { responseJsonSchema: DEEP } },
    },
  },
  completions: { path: '/v1/completions', places: { unlisted: { prompt: 'Hi', unlisted: DEEP } } },
  embeddings: { path: '/v1/embeddings', places: { input: { input: DEEP } } },
  moderations: {
    path: '/v1/moderations',
    places: { input: { input: [{ type: 'text', text: 'a', b: DEEP }] } },
  },
  rerank: { path: '/v1/rerank', places: { documents: { query: 'a', documents: [DEEP] } } },
  images: { path: '/v1/images/generations', places: { unlisted: { prompt: 'a', unlisted: DEEP } } },
  speech: {
    path: '/v1/audio/speech',
    places: { unlisted: { input: 'a', voice: 'alloy', unlisted: DEEP } },
  },
  videos: { path: '/v1/videos', places: { unlisted: { prompt: 'a', unlisted: DEEP } } },
}

const cases = Object.entries(formats).flatMap(([format, { path, places }]) =>
  Object.entries(places).map(([field, body]) => ({ format, path, field, body })),
)

const protocols = ['openai', 'anthropic', 'gemini', 'bedrock', 'cohere'] as const
const targets = ['builtin-chat', 'first/m', ...protocols.map((protocol) => `${protocol}-like/m`)]

const textTakers = new Set(['builtin-chat', 'openai-like/m', 'cohere-like/m'])

let gateway: Started
let upstream: FakeUpstream
beforeAll(async () => {
  upstream = await fakeUpstream((_seen, response) => json(response, chatReply('Hello')))
  const provider = (type: (typeof protocols)[number]) => ({
    type,
    baseUrl: upstream.url,
    key: 'k',
    models: ['m'],
    ...(type === 'bedrock' && { region: 'us-east-1' }),
  })
  gateway = await start({
    builtin: { enabled: 'always' },
    providers: {
      first: provider('anthropic'),
      ...Object.fromEntries(protocols.map((protocol) => [`${protocol}-like`, provider(protocol)])),
    },
    models: { fallen: { targets: [{ target: 'first/m' }], fallback: ['openai-like/m'] } },
  })
})
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await upstream[Symbol.asyncDispose]()
})

async function sent(
  path: string,
  model: string,
  text: string,
): Promise<{ status: number; body: string }> {
  const response = await gateway.request(path.replace('MODEL', encodeURIComponent(model)), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: text,
  })
  return { status: response.status, body: await response.text() }
}

describe.each(cases)(
  'rejects JSON nested too deeply in $format: $field',
  ({ path, field, body }) => {
    test.each([...targets, 'fallen'])('to %s', async (model) => {
      const asked = upstream.seen.length
      for (const deep of [objects(levels), lists(levels), schema(levels)]) {
        const text = JSON.stringify({ model, ...body }).replace('"DEEP"', deep)
        const answer = await sent(path, model, text)
        expect(answer.status, answer.body).toBe(400)
        expect(answer.body).toContain('256 levels')
        expect(answer.body).toContain(field)
      }
      expect(upstream.seen.length).toBe(asked)
    })
  },
)

test.each(targets)(
  'rejects tool arguments whose JSON text is nested too deeply: to %s',
  async (model) => {
    const asked = upstream.seen.length
    const text = JSON.stringify({ model, messages: called(objects(levels)) })
    const { status, body } = await sent('/v1/chat/completions', model, text)
    // To whom arguments are a text they go as they came.
    if (textTakers.has(model)) return expect(body).not.toContain('stack')
    expect(status, body).toBe(400)
    const { error } = JSON.parse(body) as { readonly error: { readonly param: string } }
    expect(error.param).toMatch(/^messages\[1\]\.tool_calls\[0\]\.function\.arguments\b/)
    expect(upstream.seen.length).toBe(asked)
  },
)

test.each([60, 250])('accepts %i levels of nesting', async (depth) => {
  const text = JSON.stringify({ model: 'openai-like/m', ...chat, unlisted: DEEP }).replace(
    '"DEEP"',
    lists(depth),
  )
  expect((await sent('/v1/chat/completions', 'openai-like/m', text)).status).toBe(200)
})

test('answers 502 for an upstream answer nested too deeply', async () => {
  const block = { type: 'tool_use', id: 'a', name: 'f', input: DEEP }
  const reply = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [block],
    stop_reason: 'tool_use',
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  }
  await using deep = await fakeUpstream((_seen, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(reply).replace('"DEEP"', objects(20_000)))
  })
  await using single = await start({
    providers: { deep: { type: 'anthropic', baseUrl: deep.url, key: 'k', models: ['m'] } },
    defaults: { retries: { attempts: 1 } },
  })
  const response = await single.post('/v1/chat/completions', { model: 'deep/m', ...chat })
  expect(response.status).toBe(502)
  expect(await response.text()).toContain('nested too deeply')
})
