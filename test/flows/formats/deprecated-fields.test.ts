// OpenAI's deprecated chat fields reach every upstream, and the answer uses them too.
import OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import { fakeUpstream, json } from '../../support/fakes/fake-upstream.ts'
import { chatReply } from '../../support/fakes/openai-wire.ts'
import { ask } from '../../support/routes.ts'
import { start, testKey } from '../../support/start.ts'

const declared = {
  name: 'get_weather',
  description: 'The weather in a city.',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
}
const messages = [{ role: 'user' as const, content: 'What is the weather in Paris?' }]
const called = { name: 'get_weather', arguments: '{"city":"Paris"}' }

const claudeReply = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'up',
  content: [{ type: 'tool_use', id: 't', name: 'get_weather', input: { city: 'Paris' } }],
  stop_reason: 'tool_use',
  usage: { input_tokens: 7, output_tokens: 3 },
}

async function inFront(further: Parameters<typeof start>[0] = {}) {
  const claude = await fakeUpstream((_seen, response) => json(response, claudeReply))
  const cohere = await fakeUpstream((_seen, response) =>
    json(response, {
      message: { content: [{ type: 'text', text: 'Hi' }] },
      finish_reason: 'COMPLETE',
    }),
  )
  const compatible = await fakeUpstream((_seen, response) => json(response, chatReply('Hello')))
  const gateway = await start({
    providers: {
      claude: { type: 'anthropic', baseUrl: claude.url, key: 'k' },
      cohere: { type: 'cohere', baseUrl: cohere.url, key: 'k' },
      compatible: { type: 'openai', baseUrl: compatible.url, key: 'k' },
      ollama: { baseUrl: compatible.url },
    },
    ...further,
  })
  return {
    claude,
    compatible,
    gateway,
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]()
      for (const upstream of [claude, cohere, compatible]) await upstream[Symbol.asyncDispose]()
    },
  }
}

describe('OpenAI’s deprecated functions', () => {
  test('work with the built-in engine, streamed and not', async () => {
    await using gateway = await start()
    const openai = new OpenAI({ apiKey: testKey, baseURL: `${gateway.url}/v1`, maxRetries: 0 })
    const request = { model: 'builtin-chat', messages, functions: [declared] }
    const whole = await openai.chat.completions.create(request)
    expect(whole.choices[0]).toMatchObject({
      finish_reason: 'function_call',
      message: { content: null, function_call: called },
    })
    expect(whole.choices[0]?.message.tool_calls).toBeUndefined()
    const streamed = await openai.chat.completions.stream(request).finalChatCompletion()
    expect(streamed.choices[0]).toMatchObject({
      finish_reason: 'function_call',
      message: { function_call: called },
    })
  })

  test('are translated to tools, and the answer back to a function call', async () => {
    await using both = await inFront()
    const { gateway, claude } = both
    const body = { model: 'claude/m', messages, functions: [declared], max_tokens: 9, stop: 'END' }
    const response = await gateway.post('/v1/chat/completions', body)
    expect(response.headers.get('x-sluice-dropped')).toBeNull()
    expect(await response.json()).toMatchObject({
      choices: [{ message: { function_call: called }, finish_reason: 'function_call' }],
    })
    expect(claude.seen[0]?.body).toMatchObject({
      max_tokens: 9,
      stop_sequences: ['END'],
      tools: [{ name: 'get_weather' }],
      tool_choice: { type: 'auto', disable_parallel_tool_use: true },
    })
  })

  test('are reported as dropped only if the caller wrote them', async () => {
    await using both = await inFront()
    const body = { model: 'cohere/m', messages, functions: [declared], user: 'u' }
    const response = await both.gateway.post('/v1/chat/completions', body)
    expect(response.headers.get('x-sluice-dropped')).toBe('user')
  })
})

test.each<[string, object, string]>([
  ['claude/m', { max_tokens: 9, logprobs: true }, 'logprobs'],
  [
    'claude/claude-opus-5-5',
    { functions: [declared], function_call: { name: 'get_weather' } },
    'function_call',
  ],
  [
    'builtin-chat',
    {
      functions: [
        { ...declared, parameters: { type: 'object', required: ['a'], properties: { a: false } } },
      ],
      function_call: { name: 'get_weather' },
    },
    'functions',
  ],
])(
  'an error of %s about %j names the field %s as the caller wrote it',
  async (model, fields, param) => {
    await using both = await inFront()
    const response = await both.gateway.post('/v1/chat/completions', { model, messages, ...fields })
    expect(await response.json()).toMatchObject({ error: { param } })
    expect(response.status).toBe(400)
  },
)

test('names too deeply nested function arguments as the caller wrote them', async () => {
  await using both = await inFront()
  const deep = `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`
  const response = await both.gateway.post('/v1/chat/completions', {
    model: 'claude/m',
    messages: [
      ...messages,
      { role: 'assistant', content: null, function_call: { name: 'f', arguments: deep } },
      { role: 'function', name: 'f', content: '1' },
    ],
  })
  expect(await response.json()).toMatchObject({
    error: { param: expect.stringMatching(/^messages\[1\]\.function_call\.arguments/) },
  })
  expect(response.status).toBe(400)
})

test('names dropped fields as the caller wrote them', async () => {
  await using both = await inFront({
    models: { r: { targets: [{ target: 'claude/m' }], unsupported: 'report' } },
  })
  const body = { model: 'r', ...ask, logprobs: true, stop: ' ', tools: [], functions: null }
  const response = await both.gateway.post('/v1/chat/completions', body)
  expect(response.headers.get('x-sluice-dropped')).toBe('logprobs')
  const tool = { type: 'function', function: declared }
  const two = await both.gateway.post('/v1/chat/completions', {
    model: 'r',
    ...ask,
    tools: [tool],
    functions: [declared],
  })
  expect(two.headers.get('x-sluice-dropped')).toBe('functions')
})

test('passes deprecated fields to a chat upstream, with the one output limit that it knows', async () => {
  await using both = await inFront()
  const { gateway, compatible } = both
  const older = { ...ask, functions: [declared], function_call: 'auto', max_tokens: 9, stop: 'END' }
  await gateway.post('/v1/chat/completions', { model: 'compatible/m', ...older })
  expect(compatible.seen[0]?.body).toEqual({ model: 'm', ...older })
  await gateway.post('/v1/chat/completions', {
    model: 'compatible/m',
    ...older,
    messages: ask.messages.map((message) => ({ ...message, server_tool_calls: [] })),
  })
  const { max_completion_tokens: limit, tools, stop } = compatible.seen[1]?.body ?? {}
  expect([limit, stop]).toEqual([9, ['END']])
  expect(tools).toMatchObject([{ type: 'function', function: declared }])
  await gateway.post('/v1/messages', { model: 'ollama/m', ...ask, max_tokens: 9 })
  expect(compatible.seen[2]?.body).toMatchObject({ max_tokens: 9 })
  expect(compatible.seen[2]?.body).not.toHaveProperty('max_completion_tokens')
})
