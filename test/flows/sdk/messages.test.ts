import Anthropic from '@anthropic-ai/sdk'
import { expect, test } from 'vitest'
import { fakeUpstream, json, type SeenRequest, sse } from '../../support/fakes/fake-upstream.ts'
import { chatReply, chunk, done, usageChunk } from '../../support/fakes/openai-wire.ts'
import { start, testKey } from '../../support/start.ts'

type Message = Readonly<Record<string, unknown>>

const tools: Anthropic.Tool[] = [
  {
    name: 'read_file',
    description: 'Reads a file.',
    input_schema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  },
  { name: 'list_files', input_schema: { type: 'object' } },
]

function client(url: string): Anthropic {
  return new Anthropic({ apiKey: testKey, baseURL: url, maxRetries: 0 })
}

const call = (index: number, rest: object) => chunk({ tool_calls: [{ index, ...rest }] })
const begin = (index: number, id: string, name: string) =>
  call(index, { id, type: 'function', function: { name, arguments: '' } })
const piece = (index: number, text: string) => call(index, { function: { arguments: text } })

/** One step of the model behind the OpenAI upstream: two calls whose pieces interleave, or the last words. */
function step(seen: SeenRequest, steps: number): readonly (string | object)[] {
  const answered = (seen.body['messages'] as Message[]).filter(({ role }) => role === 'tool')
  const round = answered.length / 2
  const ending = [usageChunk, done]
  if (round === steps)
    return [
      chunk({ role: 'assistant', content: 'All ' }),
      chunk({ content: 'read.' }),
      chunk({}, 'stop'),
      ...ending,
    ]
  return [
    chunk({ role: 'assistant', content: '' }),
    chunk({ reasoning_content: `Step ${round}.` }),
    begin(0, `call_${round}_a`, 'read_file'),
    piece(0, `{"path":"größe-${round}`),
    begin(1, `call_${round}_b`, 'list_files'),
    piece(0, '.txt","inode":9007199254740993}'),
    piece(1, '{}'),
    chunk({}, 'tool_calls'),
    ...ending,
  ]
}

test('the official SDK’s tool loop runs against an OpenAI upstream', async () => {
  const steps = 8
  await using upstream = await fakeUpstream((seen, response) => sse(response, step(seen, steps)))
  await using gateway = await start({
    providers: { other: { type: 'openai', baseUrl: upstream.url, key: 'k' } },
  })
  const sdk = client(gateway.url)
  const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'Read everything.' }]
  for (;;) {
    const message = await sdk.messages
      .stream({ model: 'other/gpt', max_tokens: 500, system: 'Be thorough.', messages, tools })
      .finalMessage()
    messages.push({ role: 'assistant', content: message.content })
    if (message.stop_reason !== 'tool_use') break
    const calls = message.content.filter((block) => block.type === 'tool_use')
    expect(calls.map(({ name }) => name)).toEqual(['read_file', 'list_files'])
    messages.push({
      role: 'user',
      content: calls.map(({ id, input }, index) => ({
        type: 'tool_result',
        tool_use_id: id,
        content: JSON.stringify(input),
        is_error: index === 1,
      })),
    })
  }
  expect(upstream.seen).toHaveLength(steps + 1)
  const last = upstream.seen.at(-1)!.body
  expect(last).toMatchObject({ model: 'gpt', max_completion_tokens: 500, stream: true })
  const told = last['messages'] as Message[]
  expect(told.map(({ role }) => role)).toEqual([
    'system',
    'user',
    ...Array.from({ length: steps }, () => ['assistant', 'tool', 'tool']).flat(),
  ])
  expect(told[2]).toMatchObject({
    content: null,
    tool_calls: [{ id: 'call_0_a' }, { id: 'call_0_b', function: { arguments: '{}' } }],
  })
  expect(told[4]).toEqual({ role: 'tool', tool_call_id: 'call_0_b', content: 'Error: {}' })
  expect(messages.at(-1)?.content).toMatchObject([{ type: 'text', text: 'All read.' }])
})

test('preserves large integers of tool arguments in both directions', async () => {
  const input = '{"inode":9007199254740993}'
  await using upstream = await fakeUpstream((_seen, response) => {
    const called = { id: 'c', type: 'function', function: { name: 'list_files', arguments: input } }
    const message = { role: 'assistant', content: null, tool_calls: [called] }
    json(response, chatReply('', { choices: [{ index: 0, message, finish_reason: 'tool_calls' }] }))
  })
  await using gateway = await start({
    providers: { other: { type: 'openai', baseUrl: upstream.url, key: 'k' } },
  })
  const body = `{"model":"other/gpt","max_tokens":9,"messages":[{"role":"user","content":"x"},
    {"role":"assistant","content":[{"type":"tool_use","id":"a","name":"list_files","input":${input}}]},
    {"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"y"}]}],
    "tools":[{"name":"list_files","input_schema":{"type":"object"}}]}`
  const headers = { 'content-type': 'application/json' }
  const answer = await gateway.request('/v1/messages', { method: 'POST', headers, body })
  expect(await answer.text()).toContain(`"input":${input}`)
  expect(upstream.seen[0]?.text).toContain(JSON.stringify(input))
})

test('passes Messages bytes to Anthropic unchanged, except the model', async () => {
  const answered =
    '{"id":"msg_1", "type":"message","content":[],"new":[1e2],"usage":{"input_tokens":3,"output_tokens":1}}'
  await using upstream = await fakeUpstream((_seen, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(answered)
  })
  await using gateway = await start({
    providers: { claude: { type: 'anthropic', baseUrl: upstream.url, key: 'k' } },
  })
  const body = (model: string) =>
    `{"max_tokens":0,  "model":"${model}","messages":[{"role":"user","content":"x"}],"context_management":{"edits":[]},"tools":[{"type":"bash_20250124","name":"bash"}]}`
  const answer = await gateway.request('/v1/messages?beta=true', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'anthropic-beta': 'one,two' },
    body: body('claude/opus'),
  })
  expect(await answer.text()).toBe(answered)
  expect(upstream.seen[0]).toMatchObject({
    path: '/v1/messages?beta=true',
    text: body('opus'),
    headers: { 'x-api-key': 'k', 'anthropic-version': '2023-06-01', 'anthropic-beta': 'one,two' },
  })
})

test('drops reasoning of other makers before Anthropic', async () => {
  await using upstream = await fakeUpstream((_seen, response) =>
    json(response, {
      id: 'msg_1',
      type: 'message',
      content: [{ type: 'text', text: 'Yes' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 3, output_tokens: 1 },
    }),
  )
  await using gateway = await start({
    providers: { claude: { type: 'anthropic', baseUrl: upstream.url, key: 'k' } },
  })
  const message = await client(gateway.url).messages.create({
    model: 'claude/claude-sonnet-4-5',
    max_tokens: 9,
    messages: [
      { role: 'user', content: 'x' },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Hm', signature: '' },
          { type: 'text', text: 'y' },
        ],
      },
      { role: 'user', content: 'z' },
    ],
  })
  expect(message.content).toMatchObject([{ type: 'text', text: 'Yes' }])
  expect((upstream.seen[0]!.body['messages'] as Message[])[1]).toEqual({
    role: 'assistant',
    content: [{ type: 'text', text: 'y' }],
  })
})

test('the built-in engine answers a Messages client', async () => {
  await using gateway = await start()
  const message = await client(gateway.url)
    .messages.stream({
      model: 'builtin-chat',
      max_tokens: 64,
      temperature: 0,
      messages: [{ role: 'user', content: 'What is 6 times 7?' }],
    })
    .finalMessage()
  expect(message.content).toMatchObject([{ type: 'text', text: expect.stringContaining('42') }])
  expect(message.usage.input_tokens).toBeGreaterThan(0)
})

test('asks Anthropic to count tokens, and counts them itself for other upstreams', async () => {
  await using upstream = await fakeUpstream((seen, response) =>
    json(response, seen.path.endsWith('count_tokens') ? { input_tokens: 77 } : {}),
  )
  await using gateway = await start({
    providers: {
      claude: { type: 'anthropic', baseUrl: upstream.url, key: 'k' },
      other: { type: 'openai', baseUrl: upstream.url, key: 'k' },
    },
  })
  const sdk = client(gateway.url)
  const count = (model: string) =>
    sdk.messages.countTokens({ model, messages: [{ role: 'user', content: 'Hello there' }], tools })
  expect(await count('claude/opus')).toEqual({ input_tokens: 77 })
  expect((await count('other/gpt')).input_tokens).toBeGreaterThan(5)
  expect(upstream.seen).toHaveLength(1)
})

test('sends errors in Anthropic’s format with Anthropic’s field names', async () => {
  await using upstream = await fakeUpstream((_seen, response) =>
    json(
      response,
      { error: { message: 'busy', type: 'x', param: null, code: null } },
      { status: 429 },
    ),
  )
  await using gateway = await start({
    providers: { other: { type: 'openai', baseUrl: upstream.url, key: 'k' } },
    retries: { attemptsMax: 1 },
  } as Parameters<typeof start>[0])
  const sdk = client(gateway.url)
  const base = { model: 'other/gpt', max_tokens: 9, messages: [] }
  const asked = { ...base, messages: [{ role: 'user' as const, content: 'x' }] }
  const error = (request: object) =>
    sdk.messages.create(request as Anthropic.MessageCreateParams).then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
  expect(await error(base)).toMatchObject({
    status: 400,
    error: { type: 'error', error: { type: 'invalid_request_error' } },
  })
  expect(
    await error({ ...asked, tools: [{ type: 'advisor_20260301', name: 'advisor' }] }),
  ).toMatchObject({
    status: 400,
    error: { error: { message: expect.stringContaining('tools[0].type') } },
  })
  expect(await error({ ...asked, model: 'nobody/x' })).toMatchObject({
    status: 404,
    error: { error: { type: 'not_found_error' } },
  })
  expect(await error(asked)).toMatchObject({
    status: 429,
    error: { error: { type: 'rate_limit_error' } },
  })
  const denied = await gateway.post('/v1/messages', asked, { key: 'sk-wrong' })
  expect(denied.status).toBe(401)
  expect(await denied.json()).toMatchObject({
    type: 'error',
    error: { type: 'authentication_error' },
    request_id: expect.stringMatching(/./),
  })
})

test('sends one Messages request per choice of a chat client', async () => {
  let count = 0
  await using upstream = await fakeUpstream((_seen, response) => {
    count += 1
    json(response, {
      id: `msg_${count}`,
      type: 'message',
      content: [{ type: 'text', text: 'Hi' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 10, output_tokens: 2 },
    })
  })
  await using gateway = await start({
    providers: { claude: { type: 'anthropic', baseUrl: upstream.url, key: 'k' } },
  })
  const answer = await gateway.post('/v1/chat/completions', {
    model: 'claude/claude-sonnet-4-5',
    messages: [{ role: 'user', content: 'x' }],
    n: 3,
  })
  const { choices, usage } = (await answer.json()) as Record<'choices', object[]> & Message
  expect(choices).toMatchObject([0, 1, 2].map((index) => ({ index, message: { content: 'Hi' } })))
  expect(usage).toMatchObject({ prompt_tokens: 10, completion_tokens: 6 })
  expect(upstream.seen).toHaveLength(3)
})
