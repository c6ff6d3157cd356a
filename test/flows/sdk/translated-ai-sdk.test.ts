// The AI SDK with its OpenAI provider, over chat completions and Responses, with upstreams of other protocols.
import { createOpenAI } from '@ai-sdk/openai'
import { APICallError, generateText, isStepCount, jsonSchema, streamText, tool } from 'ai'
import { describe, expect, test } from 'vitest'
import { signatureBypass } from '../../support/fakes/gemini-rules.ts'
import { type Through, through } from '../../support/gateways/scripted-gateway.ts'
import {
  smallWeather,
  smallWeatherInput,
  weatherParameters,
} from '../../support/generated/weather.ts'
import { testKey } from '../../support/start.ts'

function models({ gateway, model }: Through) {
  const openai = createOpenAI({ apiKey: testKey, baseURL: `${gateway.url}/v1` })
  return { chat: openai.chat(model), responses: openai.responses(model) }
}

/** A loop of two steps with two tools, which note what they were called with. */
function loop(stage: Through, kind: 'chat' | 'responses') {
  const called: unknown[] = []
  const options = {
    model: models(stage)[kind],
    system: 'Be brief.',
    prompt: 'How is the weather, and what time is it?',
    maxRetries: 0,
    stopWhen: isStepCount(5),
    providerOptions: { openai: { reasoningEffort: 'low', forceReasoning: true } },
    maxOutputTokens: 4000,
    tools: {
      get_weather: tool({
        inputSchema: jsonSchema<{ place: string }>({ ...weatherParameters, required: ['place'] }),
        execute: async (input) => {
          called.push(input)
          return '7°'
        },
      }),
      now: tool({
        inputSchema: jsonSchema<object>({ type: 'object', properties: {} }),
        execute: async (input) => {
          called.push(input)
          return 'noon'
        },
      }),
    },
  } as const
  return { options, called }
}

/**
 * The provider keeps Responses' encrypted reasoning, but forgets what chat completions has no field for. Then thinking is
 * off for the rest of the turn at Anthropic, and Gemini is given what Google lets stand for a signature.
 */
function expectReasoningKept({ upstream }: Through, maker: string, kind: string): void {
  const returned = upstream.seen[1]!
  if (maker === 'gemini') expect(returned.text.includes(signatureBypass)).toBe(kind === 'chat')
  else expect('thinking' in returned.body).toBe(kind === 'responses')
}

const total = { inputTokens: 200, outputTokens: 60, totalTokens: 260 }

describe.each(['anthropic', 'gemini'] as const)('in front of %s', (maker) => {
  describe.each(['chat', 'responses'] as const)('over %s', (kind) => {
    test('generateText completes a tool loop', async () => {
      await using stage = await through(maker, smallWeather)
      const { options, called } = loop(stage, kind)
      const { text, steps, totalUsage } = await generateText(options)
      expect(text).toBe('Zürich has 7°, and it is noon 🕛.')
      expect(steps.map(({ finishReason }) => finishReason)).toEqual(['tool-calls', 'stop'])
      expect(called).toEqual([JSON.parse(smallWeatherInput), {}])
      expect(totalUsage).toMatchObject(total)
      expect(stage.upstream.seen).toHaveLength(2)
      expectReasoningKept(stage, maker, kind)
    })

    test('streamText completes a tool loop', async () => {
      await using stage = await through(maker, smallWeather)
      const { options, called } = loop(stage, kind)
      const errors: unknown[] = []
      const result = streamText({ ...options, onError: ({ error }) => void errors.push(error) })
      let text = ''
      for await (const piece of result.textStream) text += piece
      expect(errors).toEqual([])
      expect(text).toBe('Let me look.Zürich has 7°, and it is noon 🕛.')
      expect(called).toEqual([JSON.parse(smallWeatherInput), {}])
      expect(await result.totalUsage).toMatchObject(total)
      expect(await result.finishReason).toBe('stop')
      expect(stage.upstream.seen).toHaveLength(2)
      expectReasoningKept(stage, maker, kind)
    })

    test('an invalid request throws the SDK’s own error', async () => {
      await using stage = await through(maker, smallWeather)
      const asking = generateText({
        model: models(stage)[kind],
        maxRetries: 0,
        messages: [
          { role: 'user', content: 'Hi' },
          {
            role: 'tool',
            content: [
              {
                type: 'tool-result',
                toolCallId: 'call_of_nobody',
                toolName: 'now',
                output: { type: 'text', value: 'x' },
              },
            ],
          },
        ],
      })
      await expect(asking).rejects.toBeInstanceOf(APICallError)
      await expect(asking).rejects.toMatchObject({ statusCode: 400 })
    })
  })
})
