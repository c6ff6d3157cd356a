// A prompt that is too long and blocked content, told by upstreams in words of their own, with the code that clients act upon.
import { describe, expect, test } from 'vitest'
import { type Answering, fakeUpstream, json, sse } from '../../support/fakes/fake-upstream.ts'
import { chunk } from '../../support/fakes/openai-wire.ts'
import { start } from '../../support/start.ts'

const message =
  "This endpoint's maximum context length is 128000 tokens. However, you requested about 140000 tokens."
const error = { message, code: 400 }
const event = {
  id: 'x',
  object: 'chat.completion.chunk',
  error: { message, code: 400 },
  choices: [],
}

/** How an upstream reports it, without a code that says so. */
const ways: Readonly<Record<string, Answering>> = {
  'with status 400': (_seen, response) => json(response, { error }, { status: 400 }),
  'with status 500': (_seen, response) => json(response, { error: { message } }, { status: 500 }),
  'with status 200': (_seen, response) =>
    json(response, { error: { message, type: 'server_error' } }),
  'in the first event': (seen, response) =>
    seen.body['stream'] === true
      ? sse(response, [event])
      : json(response, { error }, { status: 400 }),
}

type Told = (body: unknown) => unknown
const openAi: Told = (body) => (body as { error: unknown }).error

const clients: Readonly<
  Record<string, readonly [path: string, asked: object, told: Told, form: object]>
> = {
  chat: [
    '/v1/chat/completions',
    { model: 'up/m', messages: [{ role: 'user', content: 'Hi' }] },
    openAi,
    { code: 'context_length_exceeded', type: 'invalid_request_error' },
  ],
  responses: [
    '/v1/responses',
    { model: 'up/m', input: 'Hi' },
    openAi,
    { code: 'context_length_exceeded', type: 'invalid_request_error' },
  ],
  messages: [
    '/v1/messages',
    { model: 'up/m', max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] },
    openAi,
    { type: 'invalid_request_error', message: expect.stringMatching(/^prompt is too long: /) },
  ],
  gemini: [
    '/v1beta/models/up%2Fm:generateContent',
    { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] },
    (body) => openAi(Array.isArray(body) ? body[0] : body),
    {
      code: 400,
      status: 'INVALID_ARGUMENT',
      message: expect.stringContaining('exceeds the maximum number of tokens'),
      details: expect.arrayContaining([
        expect.objectContaining({ reason: 'CONTEXT_LENGTH_EXCEEDED' }),
      ]),
    },
  ],
}

describe.each(Object.entries(ways))('an overflow that an upstream reports %s', (_, answering) => {
  test.each(Object.entries(clients))(
    'has the code of %s',
    async (_name, [path, asked, told, form]) => {
      await using upstream = await fakeUpstream(answering)
      const up = { kind: 'openrouter', baseUrl: upstream.url, key: 'k' }
      await using gateway = await start({ providers: { up } })
      for (const stream of [false, true]) {
        const answer = await gateway.post(
          stream ? path.replace(':generate', ':streamGenerate') : path,
          'contents' in asked ? asked : { ...asked, stream },
        )
        expect(answer.status).toBe(400)
        expect(told(await answer.json())).toMatchObject(form)
      }
      // Nothing is tried again: the request itself is at fault.
      expect(upstream.seen).toHaveLength(2)
    },
  )
})

test('an overflow in the middle of a stream has its code in the error event', async () => {
  await using upstream = await fakeUpstream((_seen, response) =>
    sse(response, [chunk({ role: 'assistant', content: 'Hello' }), event]),
  )
  const up = { kind: 'openrouter', baseUrl: upstream.url, key: 'k' }
  await using gateway = await start({ providers: { up } })
  const ask = async (path: string, asked: object) =>
    (await gateway.post(path, { ...asked, stream: true })).text()
  for (const name of ['chat', 'responses']) {
    const [path, asked] = clients[name]!
    expect(await ask(path, asked)).toContain('"code":"context_length_exceeded"')
  }
  const [path, asked] = clients['messages']!
  expect(await ask(path, asked)).toContain('prompt is too long')
})

test.each([
  ['openai', 400, { error: { message: 'Content Exists Risk', type: 'invalid_request_error' } }],
  ['openai', 403, { error: { message: 'Content violates usage guidelines.' } }],
  ['openai', 400, { error: { message: 'x', code: 'data_inspection_failed' } }],
  [
    'anthropic',
    400,
    {
      type: 'error',
      error: {
        type: 'invalid_request_error',
        message: 'Output blocked by content filtering policy',
      },
    },
  ],
] as const)('content that %s blocks with status %i is told as such', async (type, status, body) => {
  await using upstream = await fakeUpstream((_seen, response) => json(response, body, { status }))
  await using gateway = await start({
    providers: { up: { type, baseUrl: upstream.url, key: 'k' } },
  })
  const [path, asked] = clients['chat']!
  const answer = await gateway.post(path, asked)
  expect(answer.status).toBe(400)
  expect(await answer.json()).toMatchObject({ error: { code: 'content_policy_violation' } })
})

test.each([
  ['openai', 402, { error: { message: 'Insufficient Balance' } }],
  ['openai', 429, { error: { code: '1113', message: '余额不足' } }],
  [
    'anthropic',
    400,
    {
      type: 'error',
      error: {
        type: 'invalid_request_error',
        message: 'Your credit balance is too low to access the Anthropic API.',
      },
    },
  ],
] as const)(
  '%s without credit, told with status %i, is tried with another key',
  async (type, status, body) => {
    const good = { ...chatReply(), ...messageReply() }
    await using upstream = await fakeUpstream((seen, response) => {
      const key = seen.headers['x-api-key'] ?? seen.headers['authorization'] ?? ''
      return key.includes('poor') ? json(response, body, { status }) : json(response, good)
    })
    await using gateway = await start({
      providers: { up: { type, baseUrl: upstream.url, keys: ['sk-poor', 'sk-rich'] } },
    })
    const [path, asked] = clients['chat']!
    for (const _ of [1, 2, 3]) expect((await gateway.post(path, asked)).status).toBe(200)
  },
)

function chatReply() {
  return {
    object: 'chat.completion',
    created: 1,
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
  }
}

function messageReply() {
  return {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [{ type: 'text', text: 'Hi' }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 1, output_tokens: 1 },
  }
}
