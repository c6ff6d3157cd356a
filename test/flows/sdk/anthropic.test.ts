import Anthropic from '@anthropic-ai/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Started, start, testKey } from '../../support/start.ts'

/** Anthropic's own client, told nothing but the address and the key; the names are those its users write. */
let gateway: Started
let anthropic: Anthropic
beforeAll(async () => {
  gateway = await start()
  anthropic = new Anthropic({ apiKey: testKey, baseURL: gateway.url, maxRetries: 0 })
})
afterAll(() => gateway[Symbol.asyncDispose]())

const model = 'claude-sonnet-5-5'
const request = {
  model,
  max_tokens: 100,
  messages: [{ role: 'user' as const, content: 'What is 6 times 7?' }],
}

test('a message, whole and streamed', async () => {
  const whole = await anthropic.messages.create(request)
  const streamed = await anthropic.messages.stream(request).finalMessage()
  for (const { content, usage, model: answered, stop_reason } of [whole, streamed]) {
    expect(content).toMatchObject([{ type: 'text', text: expect.stringContaining('42') }])
    expect(usage.input_tokens).toBeGreaterThan(0)
    expect([answered, stop_reason]).toEqual([model, 'end_turn'])
  }
})

test('a tool loop', async () => {
  const tools: Anthropic.Tool[] = [
    {
      name: 'get_weather',
      description: 'The weather in a city.',
      input_schema: {
        type: 'object',
        properties: { city: { type: 'string' } },
        required: ['city'],
      },
    },
  ]
  const messages: Anthropic.MessageParam[] = [
    { role: 'user', content: 'What is the weather in Paris?' },
  ]
  const { content, stop_reason } = await anthropic.messages.create({ ...request, messages, tools })
  expect(stop_reason).toBe('tool_use')
  const [call] = content.flatMap((block) => (block.type === 'tool_use' ? [block] : []))
  expect(call).toMatchObject({ name: 'get_weather', input: { city: 'Paris' } })
  messages.push(
    { role: 'assistant', content },
    {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: call!.id, content: '17 degrees, cloudy' }],
    },
  )
  const second = await anthropic.messages.create({ ...request, messages, tools })
  expect(second.stop_reason).toBe('end_turn')
  expect(second.content).toMatchObject([{ type: 'text', text: expect.stringMatching(/17|cloudy/) }])
})

test('counts tokens', async () => {
  const { input_tokens } = await anthropic.messages.countTokens({
    model,
    messages: request.messages,
  })
  expect(input_tokens).toBeGreaterThan(5)
  expect(input_tokens).toBeLessThan(40)
})

test('lists models page by page', async () => {
  const { data, has_more, last_id } = await anthropic.models.list({ limit: 2 })
  expect(data).toHaveLength(2)
  expect([has_more, last_id]).toEqual([true, data[1]?.id])
  const ids: string[] = []
  for await (const one of anthropic.models.list({ limit: 50 })) {
    expect(one).toMatchObject({ type: 'model', display_name: expect.any(String) })
    ids.push(one.id)
  }
  expect(ids).toEqual(expect.arrayContaining(['builtin-chat', model]))
  expect(ids).toHaveLength(new Set(ids).size)
  expect(await anthropic.models.retrieve(model)).toMatchObject({ id: model, type: 'model' })
})
