// Modes of thinking that a provider checks.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { adminKey, type Started, start } from '../../support/start.ts'

type Fields = Readonly<Record<string, unknown>>

let gateway: Started
beforeAll(async () => {
  gateway = await start({
    providers: { deepseek: { key: 'k' }, alibaba: { key: 'k' }, anthropic: { key: 'k' } },
  })
})
afterAll(() => gateway[Symbol.asyncDispose]())

async function explained(request: Fields): Promise<Fields> {
  const response = await gateway.post('/admin/v1/explain', { request }, { key: adminKey })
  const { targets } = (await response.json()) as { readonly targets: readonly Fields[] }
  return targets[0]!
}

const user = { role: 'user', content: 'Hi' }
const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }
const loop = (further: Fields = {}) => [
  user,
  { role: 'assistant', content: null, tool_calls: [call], ...further },
  { role: 'tool', tool_call_id: 'c', content: '1' },
]
const tools = [{ type: 'function', function: { name: 'f' } }]

test.each([
  ['without reasoning', {}, ''],
  ['with reasoning', { reasoning_content: 'Hm' }, 'Hm'],
])('DeepSeek V4 gets a history %s', async (_, further, sent) => {
  for (const rest of [{}, { messages: [{ ...user, server_tool_calls: [] }, ...loop(further)] }]) {
    const request = { model: 'deepseek/deepseek-v4-pro', tools, messages: loop(further), ...rest }
    const { upstream } = await explained(request)
    const { messages } = (upstream as { body: { messages: readonly Fields[] } }).body
    expect(messages.find(({ role }) => role === 'assistant')).toMatchObject({
      content: null,
      reasoning_content: sent,
    })
  }
})

test('DeepSeek’s models that do not demand it, or do not think, get no reasoning', async () => {
  for (const rest of [
    { model: 'deepseek/deepseek-chat' },
    { model: 'deepseek/deepseek-v4-pro', thinking: { type: 'disabled' } },
  ]) {
    const { upstream } = await explained({ tools, messages: loop(), ...rest })
    expect(JSON.stringify(upstream)).not.toContain('reasoning_content')
  }
})

test('Qwen 3 does not think in an answer that is not streamed', async () => {
  const model = 'alibaba/qwen3-32b'
  expect(await explained({ model, messages: [user] })).toMatchObject({
    dropped: [],
    upstream: { body: { enable_thinking: false } },
  })
  const asked = await explained({ model, messages: [user], reasoning_effort: 'low' })
  expect(asked).toMatchObject({
    dropped: ['reasoning_effort'],
    upstream: { body: { enable_thinking: false } },
  })
  const translated = [{ ...user, server_tool_calls: [] }]
  expect(await explained({ model, messages: translated, thinking_budget: 9 })).toMatchObject({
    mode: 'translated',
    dropped: ['thinking_budget'],
    upstream: { body: { enable_thinking: false } },
  })
})

test.each([
  { model: 'alibaba/qwen3-32b', stream: true },
  { model: 'alibaba/qwen3-max' },
  { model: 'alibaba/qwen3-30b-a3b-thinking-2507' },
])('Qwen 3 is not told how to think: %j', async (asked) => {
  const { upstream } = await explained({ messages: [user], ...asked })
  expect(JSON.stringify(upstream)).not.toContain('enable_thinking')
})

test('Claude gets alternatives in the only form that it takes', async () => {
  const schema = {
    type: 'object',
    properties: { a: { oneOf: [{ type: 'string' }, { type: 'null' }] } },
    required: ['a'],
    additionalProperties: false,
  }
  const { upstream } = await explained({
    model: 'anthropic/claude-sonnet-4-5',
    messages: [user],
    response_format: { type: 'json_schema', json_schema: { name: 'n', schema } },
  })
  expect(upstream).toMatchObject({
    body: {
      output_config: {
        format: {
          schema: { properties: { a: { anyOf: [{ type: 'string' }, { type: 'null' }] } } },
        },
      },
    },
  })
})
