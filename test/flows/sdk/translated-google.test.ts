// Google's official SDK with upstreams of other protocols.
import {
  ApiError,
  type Content,
  type GenerateContentParameters,
  type GenerateContentResponse,
  GoogleGenAI,
  type Part,
  ThinkingLevel,
} from '@google/genai'
import { describe, expect, test } from 'vitest'
import { json } from '../../support/fakes/fake-upstream.ts'
import { inFrontOf, type Through, through } from '../../support/gateways/scripted-gateway.ts'
import {
  smallWeather,
  smallWeatherInput,
  weatherParameters,
} from '../../support/generated/weather.ts'
import { testKey } from '../../support/start.ts'

function sdk({ gateway }: Through): GoogleGenAI {
  return new GoogleGenAI({ apiKey: testKey, httpOptions: { baseUrl: gateway.url } })
}

interface Answered {
  readonly content: Content
  readonly last: GenerateContentResponse
}

type Ask = (client: GoogleGenAI, request: GenerateContentParameters) => Promise<Answered>

const ways: Readonly<Record<string, Ask>> = {
  async whole(client, request) {
    const last = await client.models.generateContent(request)
    return { content: last.candidates![0]!.content!, last }
  },
  /** Joins the pieces as applications do: all parts in order, neighbors of one kind as one text. */
  async streamed(client, request) {
    const parts: Part[] = []
    let last: GenerateContentResponse | undefined
    for await (last of await client.models.generateContentStream(request))
      parts.push(...(last.candidates?.[0]?.content?.parts ?? []))
    return { content: { role: 'model', parts }, last: last! }
  },
}

function asked(model: string, contents: Content[]): GenerateContentParameters {
  return {
    model,
    contents,
    config: {
      systemInstruction: 'Be brief.',
      maxOutputTokens: 4000,
      thinkingConfig: { includeThoughts: true, thinkingLevel: ThinkingLevel.LOW },
      tools: [
        {
          functionDeclarations: [
            { name: 'get_weather', parametersJsonSchema: weatherParameters },
            { name: 'now', description: 'The time.' },
          ],
        },
      ],
    },
  }
}

const textOf = ({ parts = [] }: Content, thought: boolean) =>
  parts
    .filter((part) => (part.thought ?? false) === thought)
    .map(({ text = '' }) => text)
    .join('')

describe.each(['openai', 'anthropic'] as const)('generateContent in front of %s', (maker) => {
  test.each(Object.entries(ways))('completes a tool loop with thinking, %s', async (_, ask) => {
    await using stage = await through(maker, smallWeather)
    const client = sdk(stage)
    const contents: Content[] = [
      { role: 'user', parts: [{ text: 'How is the weather, and what time is it?' }] },
    ]
    const { content, last } = await ask(client, asked(stage.model, contents))
    expect(last.candidates?.[0]?.finishReason).toBe('STOP')
    expect(last.usageMetadata).toMatchObject({
      promptTokenCount: 100,
      cachedContentTokenCount: 40,
      candidatesTokenCount: 18,
      thoughtsTokenCount: 12,
      totalTokenCount: 130,
    })
    expect(textOf(content, false)).toBe('Let me look.')
    expect(textOf(content, true)).toBe('Two questions, two calls.')
    const calls = content.parts!.flatMap(({ functionCall }) => functionCall ?? [])
    expect(calls).toMatchObject([
      { name: 'get_weather', args: JSON.parse(smallWeatherInput) },
      { name: 'now' },
    ])
    contents.push(content, {
      role: 'user',
      parts: calls.map(({ id, name }) => ({
        functionResponse: { ...(id && { id }), name: name!, response: { output: '7° and noon' } },
      })),
    })
    const second = await ask(client, asked(stage.model, contents))
    expect(textOf(second.content, false)).toBe('Zürich has 7°, and it is noon 🕛.')
    expect(stage.upstream.seen).toHaveLength(2)
  })

  test('throws the SDK’s own error for an invalid request', async () => {
    await using stage = await through(maker, smallWeather)
    const stray = { functionResponse: { name: 'nobody', response: {} } }
    const asking = sdk(stage).models.generateContent(
      asked(stage.model, [{ role: 'user', parts: [stray] }]),
    )
    await expect(asking).rejects.toBeInstanceOf(ApiError)
    await expect(asking).rejects.toMatchObject({ status: 400 })
  })

  test('counts tokens without calling the model', async () => {
    await using stage = await through(maker, smallWeather)
    const { totalTokens } = await sdk(stage).models.countTokens({
      model: stage.model,
      contents: 'How is the weather in the north of the town?',
    })
    expect(totalTokens).toBeGreaterThan(8)
    expect(totalTokens).toBeLessThan(40)
    expect(stage.upstream.seen).toEqual([])
  })
})

test('embeds one and several texts through an OpenAI upstream', async () => {
  await using stage = await inFrontOf('openai', (seen, response) => {
    const { input } = seen.body
    const inputs = Array.isArray(input) ? input : [input]
    json(response, {
      object: 'list',
      data: inputs.map((_, index) => ({
        object: 'embedding',
        index,
        embedding: [index, 0.5, -0.25],
      })),
      model: 'text-embedding-3-small',
      usage: { prompt_tokens: 8, total_tokens: 8 },
    })
  })
  const { models } = sdk(stage)
  const one = await models.embedContent({
    model: stage.model,
    contents: 'Grüezi',
    config: { outputDimensionality: 3 },
  })
  expect(one.embeddings).toMatchObject([{ values: [0, 0.5, -0.25] }])
  const two = await models.embedContent({ model: stage.model, contents: ['Grüezi', 'こんにちは'] })
  expect(two.embeddings).toMatchObject([{ values: [0, 0.5, -0.25] }, { values: [1, 0.5, -0.25] }])
  // The SDK asks for batches alone.
  const single = await stage.gateway.post(
    `/v1beta/models/${encodeURIComponent(stage.model)}:embedContent`,
    { content: { parts: [{ text: 'Grüezi' }] } },
  )
  expect(await single.json()).toMatchObject({ embedding: { values: [0, 0.5, -0.25] } })
  expect(stage.upstream.seen.map(({ path, body }) => [path, body['input']])).toEqual([
    ['/v1/embeddings', ['Grüezi']],
    ['/v1/embeddings', ['Grüezi', 'こんにちは']],
    ['/v1/embeddings', 'Grüezi'],
  ])
  expect(stage.upstream.seen[0]?.body['dimensions']).toBe(3)
})
