// The official SDKs with the built-in engine, in every client format, streamed and not.
import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI } from '@google/genai'
import OpenAI from 'openai'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Started, start, testKey } from '../../support/start.ts'

let gateway: Started
let openai: OpenAI
let anthropic: Anthropic
let google: GoogleGenAI

beforeAll(async () => {
  gateway = await start()
  openai = new OpenAI({ apiKey: testKey, baseURL: `${gateway.url}/v1`, maxRetries: 0 })
  anthropic = new Anthropic({ apiKey: testKey, baseURL: gateway.url, maxRetries: 0 })
  google = new GoogleGenAI({ apiKey: testKey, httpOptions: { baseUrl: gateway.url } })
})

afterAll(() => gateway[Symbol.asyncDispose]())

const model = 'builtin-chat'
const question = 'What is 6 times 7?'
const parameters = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
} as const
const weather = { name: 'get_weather', description: 'The weather in a city.' }
const cityQuestion = 'What is the weather in Paris?'

test('chat completions', async () => {
  const messages = [{ role: 'user' as const, content: question }]
  const whole = await openai.chat.completions.create({ model, messages, temperature: 0 })
  expect(whole.choices[0]?.message.content).toContain('42')
  const streamed = await openai.chat.completions
    .stream({ model, messages, temperature: 0, stream_options: { include_usage: true } })
    .finalChatCompletion()
  expect(streamed.choices[0]?.message.content).toBe(whole.choices[0]?.message.content)
  expect(streamed.usage).toEqual(whole.usage)
  expect(whole.usage!.prompt_tokens).toBeGreaterThan(0)
})

test('chat completions with a tool', async () => {
  const request = {
    model,
    messages: [{ role: 'user' as const, content: cityQuestion }],
    tools: [{ type: 'function' as const, function: { ...weather, parameters } }],
  }
  const { choices } = await openai.chat.completions.create(request)
  expect(choices[0]).toMatchObject({
    finish_reason: 'tool_calls',
    message: { tool_calls: [{ function: { name: 'get_weather', arguments: '{"city":"Paris"}' } }] },
  })
  const streamed = await openai.chat.completions.stream(request).finalChatCompletion()
  expect(streamed.choices[0]).toMatchObject({
    finish_reason: 'tool_calls',
    message: { tool_calls: [{ function: { name: 'get_weather', arguments: '{"city":"Paris"}' } }] },
  })
})

test('responses continued by previous_response_id', async () => {
  const whole = await openai.responses.create({ model, input: 'My name is Ada.' })
  expect(whole.status).toBe('completed')
  const next = await openai.responses
    .stream({ model, input: 'What is my name?', previous_response_id: whole.id })
    .finalResponse()
  expect(next.output_text).toContain('Ada')
  expect(next.usage!.input_tokens).toBeGreaterThan(whole.usage!.input_tokens)
  expect(await openai.responses.retrieve(next.id)).toMatchObject({
    id: next.id,
    previous_response_id: whole.id,
    output: next.output.map(({ id, type }) => ({ id, type })),
  })
  const { data } = await openai.responses.inputItems.list(next.id)
  expect(data).toMatchObject([{ role: 'user', content: [{ text: 'What is my name?' }] }])
  await openai.responses.delete(next.id)
  await expect(openai.responses.retrieve(next.id)).rejects.toBeInstanceOf(OpenAI.NotFoundError)
})

test('responses with a tool', async () => {
  const request = {
    model,
    input: cityQuestion,
    tools: [{ type: 'function' as const, ...weather, parameters, strict: false }],
  }
  const call = { type: 'function_call', name: 'get_weather', arguments: '{"city":"Paris"}' }
  const { output } = await openai.responses.create(request)
  expect(output).toMatchObject([call])
  expect((await openai.responses.stream(request).finalResponse()).output).toMatchObject([call])
})

test('messages', async () => {
  const request = {
    model,
    max_tokens: 200,
    temperature: 0,
    messages: [{ role: 'user' as const, content: question }],
  }
  const whole = await anthropic.messages.create(request)
  expect(whole).toMatchObject({ stop_reason: 'end_turn', role: 'assistant' })
  expect(whole.content).toMatchObject([{ type: 'text', text: expect.stringContaining('42') }])
  const streamed = await anthropic.messages.stream(request).finalMessage()
  expect(streamed.content).toEqual(whole.content)
  expect(streamed.usage).toMatchObject({
    input_tokens: whole.usage.input_tokens,
    output_tokens: whole.usage.output_tokens,
  })
  const { max_tokens: _, temperature: __, ...counted } = request
  const { input_tokens } = await anthropic.messages.countTokens(counted)
  expect(input_tokens).toBe(whole.usage.input_tokens)
})

test('messages with a tool', async () => {
  const request = {
    model,
    max_tokens: 200,
    messages: [{ role: 'user' as const, content: cityQuestion }],
    tools: [{ ...weather, input_schema: { ...parameters, required: ['city'] } }],
  }
  const call = { type: 'tool_use', name: 'get_weather', input: { city: 'Paris' } }
  const whole = await anthropic.messages.create(request)
  expect(whole).toMatchObject({ stop_reason: 'tool_use', content: [call] })
  const streamed = await anthropic.messages.stream(request).finalMessage()
  expect(streamed).toMatchObject({ stop_reason: 'tool_use', content: [call] })
})

test('generateContent', async () => {
  const config = { temperature: 0 }
  const whole = await google.models.generateContent({ model, contents: question, config })
  expect(whole.text).toContain('42')
  expect(whole.candidates?.[0]?.finishReason).toBe('STOP')
  let text = ''
  let used: unknown
  for await (const piece of await google.models.generateContentStream({
    model,
    contents: question,
    config,
  })) {
    text += piece.text ?? ''
    used = piece.usageMetadata
  }
  expect(text).toBe(whole.text)
  expect(used).toEqual(whole.usageMetadata)
  const inArray = await gateway.post(`/v1beta/models/${model}:streamGenerateContent`, {
    contents: [{ parts: [{ text: question }] }],
  })
  const fragments = (await inArray.json()) as { candidates: { content: { parts: object[] } }[] }[]
  expect(JSON.stringify(fragments)).toContain('42')
  const { totalTokens } = await google.models.countTokens({ model, contents: question })
  expect(totalTokens).toBe(whole.usageMetadata?.promptTokenCount)
})

test('generateContent with a tool', async () => {
  const request = {
    model,
    contents: cityQuestion,
    config: {
      tools: [{ functionDeclarations: [{ ...weather, parametersJsonSchema: parameters }] }],
    },
  }
  const call = { name: 'get_weather', args: { city: 'Paris' } }
  expect((await google.models.generateContent(request)).functionCalls).toMatchObject([call])
  const calls: object[] = []
  for await (const { functionCalls = [] } of await google.models.generateContentStream(request))
    calls.push(...functionCalls)
  expect(calls).toMatchObject([call])
})

test('embedContent and batchEmbedContents', async () => {
  const { data } = await openai.embeddings.create({
    model: 'builtin-embed',
    input: ['red apple', 'green pear'],
    encoding_format: 'float',
  })
  const batch = await google.models.embedContent({
    model: 'builtin-embed',
    contents: ['red apple', 'green pear'],
  })
  expect(batch.embeddings?.map(({ values }) => values)).toEqual(
    data.map(({ embedding }) => embedding),
  )
  const single = await gateway.post('/v1beta/models/builtin-embed:embedContent', {
    content: { parts: [{ text: 'red apple' }] },
  })
  expect(await single.json()).toMatchObject({ embedding: { values: data[0]?.embedding } })
})
