// The official Anthropic SDK with upstreams of other protocols.
import Anthropic from '@anthropic-ai/sdk'
import { describe, expect, test } from 'vitest'
import { signatureBypass } from '../../support/fakes/gemini-rules.ts'
import { type Through, through } from '../../support/gateways/scripted-gateway.ts'
import {
  smallWeather,
  smallWeatherInput,
  weatherParameters,
} from '../../support/generated/weather.ts'
import { testKey } from '../../support/start.ts'

const tools: Anthropic.Tool[] = [
  { name: 'get_weather', input_schema: { ...weatherParameters, required: ['place'] } },
  { name: 'now', description: 'The time.', input_schema: { type: 'object' } },
]

function sdk({ gateway }: Through): Anthropic {
  return new Anthropic({ apiKey: testKey, baseURL: gateway.url, maxRetries: 0 })
}

type Ask = (
  client: Anthropic,
  request: Anthropic.MessageCreateParamsNonStreaming,
) => Promise<Anthropic.Message>

const ways: Readonly<Record<string, Ask>> = {
  whole: (client, request) => client.messages.create(request),
  streamed: (client, request) => client.messages.stream(request).finalMessage(),
}

function asked(
  model: string,
  messages: Anthropic.MessageParam[],
): Anthropic.MessageCreateParamsNonStreaming {
  return {
    model,
    messages,
    tools,
    system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
    max_tokens: 4000,
    thinking: { type: 'enabled', budget_tokens: 2000 },
    metadata: { user_id: 'user-1' },
  }
}

describe.each(['openai', 'gemini'] as const)('messages in front of %s', (maker) => {
  test.each(Object.entries(ways))('complete a tool loop with thinking, %s', async (_, ask) => {
    await using stage = await through(maker, smallWeather)
    const client = sdk(stage)
    const messages: Anthropic.MessageParam[] = [
      { role: 'user', content: 'How is the weather, and what time is it?' },
    ]
    const first = await ask(client, asked(stage.model, messages))
    expect(first).toMatchObject({
      type: 'message',
      role: 'assistant',
      model: stage.model,
      stop_reason: 'tool_use',
      stop_sequence: null,
      usage: { input_tokens: 60, cache_read_input_tokens: 40, output_tokens: 30 },
    })
    expect(first.content.filter(({ type }) => !type.includes('thinking'))).toMatchObject([
      { type: 'text', text: 'Let me look.' },
      { type: 'tool_use', name: 'get_weather', input: JSON.parse(smallWeatherInput) },
      { type: 'tool_use', name: 'now', input: {} },
    ])
    const [thought] = first.content
    expect(thought).toMatchObject({ type: 'thinking', thinking: 'Two questions, two calls.' })
    messages.push(
      { role: 'assistant', content: first.content },
      {
        role: 'user',
        content: [
          ...first.content.flatMap((block) =>
            block.type === 'tool_use'
              ? [{ type: 'tool_result' as const, tool_use_id: block.id, content: '7° and noon' }]
              : [],
          ),
          { type: 'text', text: 'Go on.' },
        ],
      },
    )
    const second = await ask(client, asked(stage.model, messages))
    expect(second.stop_reason).toBe('end_turn')
    expect(second.content.filter(({ type }) => type === 'text')).toMatchObject([
      { type: 'text', text: 'Zürich has 7°, and it is noon 🕛.' },
    ])
    expect(stage.upstream.seen).toHaveLength(2)
    expect(stage.upstream.seen[1]?.text).not.toContain(signatureBypass)
  })

  test('throw the SDK’s own error for an invalid request', async () => {
    await using stage = await through(maker, smallWeather)
    const stray = { type: 'tool_result', tool_use_id: 'toolu_of_nobody', content: 'x' } as const
    const asking = sdk(stage).messages.create(
      asked(stage.model, [{ role: 'user', content: [stray] }]),
    )
    await expect(asking).rejects.toBeInstanceOf(Anthropic.BadRequestError)
  })

  test('count tokens without calling the model', async () => {
    await using stage = await through(maker, smallWeather)
    const {
      max_tokens: _,
      metadata: __,
      ...rest
    } = asked(stage.model, [{ role: 'user', content: 'How is the weather?' }])
    const { input_tokens } = await sdk(stage).messages.countTokens(rest)
    expect(input_tokens).toBeGreaterThan(20)
    expect(input_tokens).toBeLessThan(200)
    expect(stage.upstream.seen).toEqual([])
  })
})
