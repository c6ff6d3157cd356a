// The official OpenAI SDK with upstreams of other protocols.
import OpenAI from 'openai'
import type { ChatCompletionMessageParam, ChatCompletionTool } from 'openai/resources'
import { describe, expect, test } from 'vitest'
import { signatureBypass } from '../../support/fakes/gemini-rules.ts'
import { type Through, through } from '../../support/gateways/scripted-gateway.ts'
import { weather, weatherInput, weatherParameters } from '../../support/generated/weather.ts'
import { testKey } from '../../support/start.ts'

const tools: ChatCompletionTool[] = [
  { type: 'function', function: { name: 'get_weather', parameters: weatherParameters } },
  { type: 'function', function: { name: 'now', description: 'The time.' } },
]

const question: ChatCompletionMessageParam[] = [
  { role: 'developer', content: 'Be brief.' },
  { role: 'user', content: 'How is the weather, and what time is it?' },
]

function sdk({ gateway }: Through): OpenAI {
  return new OpenAI({ apiKey: testKey, baseURL: `${gateway.url}/v1`, maxRetries: 0 })
}

type Ask = (
  client: OpenAI,
  model: string,
  messages: ChatCompletionMessageParam[],
) => Promise<OpenAI.ChatCompletion>

const asked = (model: string, messages: ChatCompletionMessageParam[]) =>
  ({ model, messages, tools, reasoning_effort: 'low', max_completion_tokens: 4000 }) as const

const ways: Readonly<Record<string, Ask>> = {
  whole: (client, model, messages) => client.chat.completions.create(asked(model, messages)),
  streamed: async (client, model, messages) => {
    let reasoning = ''
    const stream = client.chat.completions
      .stream({ ...asked(model, messages), stream_options: { include_usage: true } })
      .on('chunk', ({ choices }) => {
        reasoning += (choices[0]?.delta as Reasoned | undefined)?.reasoning_content ?? ''
      })
    const completion = await stream.finalChatCompletion()
    // The helper of the SDK joins the pieces of the fields it knows; of others it keeps the last piece.
    Object.assign(completion.choices[0]!.message, { reasoning_content: reasoning })
    return completion
  },
}

interface Reasoned {
  readonly reasoning_content?: string
}

const usage = {
  prompt_tokens: 100,
  completion_tokens: 30,
  total_tokens: 130,
  prompt_tokens_details: { cached_tokens: 40 },
  completion_tokens_details: { reasoning_tokens: 12 },
}

describe.each(['anthropic', 'gemini'] as const)('chat completions in front of %s', (maker) => {
  test.each(Object.entries(ways))('complete a tool loop with thinking, %s', async (_, ask) => {
    await using stage = await through(maker, weather)
    const client = sdk(stage)
    const messages = [...question]
    const first = await ask(client, stage.model, messages)
    expect(first).toMatchObject({ object: 'chat.completion', model: stage.model, usage })
    const [choice] = first.choices
    expect(choice).toMatchObject({
      index: 0,
      finish_reason: 'tool_calls',
      message: {
        content: 'Let me look.',
        reasoning_content: 'Two questions, two calls.',
        tool_calls: [
          { type: 'function', function: { name: 'get_weather', arguments: weatherInput } },
          { type: 'function', function: { name: 'now', arguments: '{}' } },
        ],
      },
    })
    const { message } = choice!
    messages.push(message)
    for (const { id } of message.tool_calls!)
      messages.push({ role: 'tool', tool_call_id: id, content: '7° and noon' })
    const second = await ask(client, stage.model, messages)
    expect(second.choices[0]).toMatchObject({
      finish_reason: 'stop',
      message: {
        content: 'Zürich has 7°, and it is noon 🕛.',
        reasoning_content: 'Both are back.',
      },
    })
    expect(stage.upstream.seen).toHaveLength(2)
    expect(stage.upstream.seen[1]?.text).toContain('9007199254740993')
    expect(stage.upstream.seen[1]?.text).not.toContain(signatureBypass)
  })

  test('stream words as they arrive', async () => {
    await using stage = await through(maker, () => ({ text: 'One two three four.' }))
    const stream = await sdk(stage).chat.completions.create({
      model: stage.model,
      messages: [{ role: 'user', content: 'Count.' }],
      stream: true,
    })
    const deltas: string[] = []
    for await (const { choices } of stream) {
      expect(choices).toHaveLength(1)
      if (choices[0]?.delta.content) deltas.push(choices[0].delta.content)
    }
    expect(deltas).toEqual(['One ', 'two ', 'three ', 'four.'])
  })

  test('throw the SDK’s own error for an invalid request', async () => {
    await using stage = await through(maker, weather)
    const client = sdk(stage)
    const stray = { role: 'tool', tool_call_id: 'call_of_nobody', content: 'x' } as const
    const asking = client.chat.completions.create({
      model: stage.model,
      messages: [...question, stray],
    })
    await expect(asking).rejects.toBeInstanceOf(OpenAI.BadRequestError)
  })
})
