import { expect } from 'vitest'
import { codecContext, received } from '../../../../test/support/codec-context.ts'
import { converseFrames } from '../../../../test/support/fakes/aws-frames.ts'
import { readStream } from '../../../../test/support/formats/read-stream.ts'
import {
  recordedLines,
  recording,
  testRecording,
} from '../../../../test/support/formats/recordings.ts'
import type { ChatRequest } from '../../../contract/src/operations/chat-request.ts'
import { createAwsEventSplitter } from '../../../contract/src/wire/aws-event-stream.ts'
import { bedrock } from '../../src/bedrock/index.ts'

const request: ChatRequest = { model: 'm', messages: [{ role: 'user', content: 'x' }] }
const chat = bedrock.codecs.chat!

function decoded(name: string) {
  const { reply, usage } = chat.decode(
    received(recording(`amazon-bedrock/${name}`)),
    codecContext(),
    request,
  )
  return { ...reply.choices[0]!, usage }
}

function streamed(name: string, size: number) {
  const bytes = converseFrames(recordedLines(`amazon-bedrock/${name}`))
  const splitter = createAwsEventSplitter()
  const events = []
  for (let start = 0; start < bytes.length; start += size)
    events.push(...splitter.push(bytes.subarray(start, start + size)))
  events.push(...splitter.end())
  const { steps, verdicts, usage } = readStream(chat.stream!, {
    events,
    context: codecContext(),
    request,
  })
  const deltas = steps.flatMap((step) => ('event' in step ? step.event.choices : []))
  return {
    text: deltas.map(({ delta }) => delta.content ?? '').join(''),
    reasoning: deltas.map(({ delta }) => delta.reasoning_content ?? '').join(''),
    blocks: deltas.flatMap(({ delta }) => delta.thinking_blocks ?? []),
    calls: deltas.flatMap(({ delta }) => delta.tool_calls ?? []),
    finish: deltas.at(-1)?.finish_reason,
    last: verdicts.at(-1),
    garbage: verdicts.includes('garbage'),
    usage,
  }
}

const counted =
  'Let me count the "r"s in "strawberry":\n\ns-t-**r**-a-w-b-e-**r**-**r**-y\n\nThere are **3** "r"s in "strawberry.'

testRecording('text', () => {
  const { message, finish_reason: finish, usage } = decoded('amazon-bedrock-text.json')
  expect(message.content).toBe(`${counted}"`)
  expect(finish).toBe('stop')
  expect(usage).toEqual({
    inputTokens: 22,
    outputTokens: 57,
    cachedInputTokens: 0,
    cacheWriteTokens: 0,
  })
})

testRecording('reasoning', () => {
  const { message, usage } = decoded('amazon-bedrock-reasoning.json')
  expect(message.content).toContain('There are **3** r\'s in "strawberry"')
  expect(message.reasoning_content).toMatch(/^Let me count the r's/)
  expect(message.thinking_blocks?.[0]?.signature).toMatch(/^EvYBCkgICxAB/)
  expect(usage).toMatchObject({ inputTokens: 51, outputTokens: 78 })
})

testRecording('a tool call', () => {
  const { message, finish_reason: finish, usage } = decoded('amazon-bedrock-tool-call.1.json')
  expect(message.content).toBeNull()
  expect(message.tool_calls).toEqual([
    {
      id: 'tool-use-id',
      type: 'function',
      function: { name: 'bash', arguments: '{"command":"ls -l"}' },
    },
  ])
  expect(finish).toBe('tool_calls')
  expect(usage).toEqual({ inputTokens: 10, outputTokens: 20 })
})

testRecording('streams, in pieces of 1, 7 and 4,096 bytes', () => {
  for (const size of [1, 7, 4096]) {
    const text = streamed('amazon-bedrock-text.chunks.txt', size)
    expect(text).toMatchObject({
      text: `${counted.replace('"r"s in "strawberry.', 'r\'s in "strawberry.')}"`,
      finish: 'stop',
      last: 'terminal',
      garbage: false,
    })
    expect(text.usage).toEqual({ inputTokens: 22, outputTokens: 55 })

    const thought = streamed('amazon-bedrock-reasoning.chunks.txt', size)
    expect(thought.reasoning).toMatch(
      /^Let me count the r's in "strawberry":\n\ns-t-r-a-w-b-e-r-r-y/,
    )
    expect(thought.blocks).toHaveLength(1)
    expect(thought.blocks[0]?.thinking).toBe(thought.reasoning)
    expect(thought.blocks[0]?.signature).toMatch(/^Ep0CCkgICxAB.*RkDaGAE=$/)
    expect(thought.text).toContain('There are **3** r\'s in "strawberry"')
    expect(thought.usage).toEqual({ inputTokens: 51, outputTokens: 94 })

    const called = streamed('amazon-bedrock-tool-call.1.chunks.txt', size)
    expect(called.calls[0]).toMatchObject({
      index: 0,
      id: 'tool-use-id',
      function: { name: 'test-tool' },
    })
    expect(called.calls.map((call) => call.function?.arguments ?? '').join('')).toBe(
      '{"value":"Sparkle Day"}',
    )
    expect(called.finish).toBe('tool_calls')
    expect(called.usage).toEqual({ inputTokens: 125, outputTokens: 45 })
  }
})

testRecording('reranking', () => {
  const { reply } = bedrock.codecs.rerank!.decode(
    received(recording('amazon-bedrock/amazon-bedrock-reranking.1.json')),
    codecContext(),
    { model: 'm', query: 'q', documents: ['a', 'b', 'c', 'd', 'e', 'f'] },
  )
  expect(reply.results).toEqual([
    { index: 0, relevance_score: 0.5110583305358887, document: { text: 'a' } },
    { index: 5, relevance_score: 0.30241215229034424, document: { text: 'f' } },
  ])
})
