import { expect } from 'vitest'
import { codecContext, eventsInPieces, received } from '../../../../test/support/codec-context.ts'
import { readStream } from '../../../../test/support/formats/read-stream.ts'
import {
  recordedLines,
  recording,
  testRecording,
} from '../../../../test/support/formats/recordings.ts'
import type { ChatRequest } from '../../../contract/src/operations/chat-request.ts'
import { cohere } from '../../src/cohere/index.ts'

const request: ChatRequest = { model: 'm', messages: [{ role: 'user', content: 'x' }] }
const { chat, embed, rerank } = cohere.codecs

function decoded(name: string) {
  const { reply, usage } = chat!.decode(
    received(recording(`cohere/${name}`)),
    codecContext(),
    request,
  )
  return { ...reply.choices[0]!, usage }
}

async function streamed(name: string, size: number) {
  const text = recordedLines(`cohere/${name}`)
    .map((line) => `event: ${(JSON.parse(line) as { type: string }).type}\ndata: ${line}\n\n`)
    .join('')
  const events = eventsInPieces(text, size)
  const { steps, verdicts, usage } = readStream(chat!.stream!, {
    events,
    context: codecContext(),
    request,
  })
  const choices = steps.flatMap((step) => ('event' in step ? step.event.choices : []))
  const calls = choices.flatMap(({ delta }) => delta.tool_calls ?? [])
  return {
    text: choices.map(({ delta }) => delta.content ?? '').join(''),
    reasoning: choices.map(({ delta }) => delta.reasoning_content ?? '').join(''),
    names: calls.flatMap((call) => call.function?.name ?? []),
    arguments: [0, 1].map((slot) =>
      calls
        .filter(({ index }) => index === slot)
        .map((call) => call.function?.arguments ?? '')
        .join(''),
    ),
    finish: choices.at(-1)?.finish_reason,
    last: verdicts.at(-1),
    usage,
  }
}

testRecording('text', () => {
  const { message, finish_reason: finish, usage } = decoded('cohere-text.json')
  expect(message).toEqual({
    role: 'assistant',
    content: 'The capital of France is Paris.',
    refusal: null,
  })
  expect(finish).toBe('stop')
  expect(usage).toEqual({
    inputTokens: 507,
    outputTokens: 10,
    cachedInputTokens: 448,
    billedInputTokens: 12,
    billedOutputTokens: 7,
  })
})

testRecording('an answer cut by its length', () => {
  const { message, finish_reason: finish, usage } = decoded('cohere-max-tokens.json')
  expect(message.content).toBe('**The History of')
  expect(finish).toBe('length')
  expect(usage).toEqual({
    inputTokens: 506,
    outputTokens: 5,
    cachedInputTokens: 448,
    billedInputTokens: 11,
    billedOutputTokens: 4,
  })
})

testRecording('tool calls', () => {
  const { message, finish_reason: finish, usage } = decoded('cohere-tool-call.json')
  expect(message.content).toBeNull()
  expect(message.reasoning_content).toMatch(/^I will use the weather tool .* San Francisco\.$/)
  expect(message.tool_calls?.map((call) => call.function)).toEqual([
    { name: 'weather', arguments: '{"location":"San Francisco"}' },
    { name: 'cityAttractions', arguments: '{"city":"San Francisco"}' },
  ])
  expect(message.tool_calls?.[0]?.id).toBe('weather_dqgshstja6p9')
  expect(finish).toBe('tool_calls')
  expect(usage).toEqual({
    inputTokens: 1549,
    outputTokens: 103,
    cachedInputTokens: 992,
    billedInputTokens: 119,
    billedOutputTokens: 52,
  })
})

testRecording('streams, in pieces of 1, 7 and 4,096 bytes', async () => {
  for (const size of [1, 7, 4096]) {
    expect(await streamed('cohere-text.chunks.txt', size)).toMatchObject({
      text: 'The capital of France is Paris.',
      finish: 'stop',
      last: 'terminal',
      usage: {
        inputTokens: 507,
        outputTokens: 10,
        cachedInputTokens: 448,
        billedInputTokens: 12,
        billedOutputTokens: 7,
      },
    })
    expect(await streamed('cohere-tool-call.chunks.txt', size)).toMatchObject({
      text: '',
      reasoning:
        'I will use the weather tool to find the weather in San Francisco and the cityAttractions tool to find attractions in San Francisco.',
      names: ['weather', 'cityAttractions'],
      arguments: ['{"location": "San Francisco"}', '{"city": "San Francisco"}'],
      finish: 'tool_calls',
      usage: { inputTokens: 1549, outputTokens: 95, cachedInputTokens: 1504 },
    })
  }
})

testRecording('embeddings', () => {
  const answer = received(recording('cohere/cohere-embedding.json'))
  const input = ['sunny day at the beach', 'rainy day in the city']
  const { reply, usage } = embed!.decode(answer, codecContext(), { model: 'm', input })
  expect(reply.data.map(({ index, embedding }) => [index, embedding.length])).toEqual([
    [0, 5],
    [1, 5],
  ])
  expect(reply.data[1]?.embedding).toEqual([
    -0.04660034, 0.00037765503, -0.061157227, -0.08239746, -0.010360718,
  ])
  expect(usage).toEqual({ inputTokens: 10, outputTokens: 0 })

  const base64 = embed!.decode(answer, codecContext(), {
    model: 'm',
    input,
    encoding_format: 'base64',
  })
  const bytes = Buffer.from(base64.reply.data[0]!.embedding as string, 'base64')
  expect(bytes.readFloatLE(12)).toBeCloseTo(-0.0625, 7)
})

testRecording('reranking', () => {
  const { reply, usage } = rerank!.decode(
    received(recording('cohere/cohere-reranking.1.json')),
    codecContext(),
    { model: 'm', query: 'q', documents: ['a', { text: 'b', title: 't' }] },
  )
  expect(reply.id).toBe('b44fe75b-e3d3-489a-b61e-1a1aede3ef72')
  expect(reply.results).toEqual([
    { index: 1, relevance_score: 0.10183054, document: { text: 'b', title: 't' } },
    { index: 0, relevance_score: 0.03762639, document: { text: 'a' } },
  ])
  expect(reply.meta).toEqual({ api_version: { version: '2' }, billed_units: { search_units: 1 } })
  expect(usage).toEqual({ inputTokens: 0, outputTokens: 0, searchUnits: 1 })
})
