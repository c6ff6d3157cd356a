import { expect } from 'vitest'
import { codecContext, eventsInPieces, received } from '../../../../test/support/codec-context.ts'
import {
  answerOf,
  decodedRecording,
  streamedRecording,
} from '../../../../test/support/formats/chat-answer.ts'
import { readStream } from '../../../../test/support/formats/read-stream.ts'
import {
  recordedLines,
  recording,
  testRecording,
} from '../../../../test/support/formats/recordings.ts'
import {
  createJsonArraySplitter,
  createJsonArrayWriter,
} from '../../../contract/src/wire/json-array.ts'
import type { EventBlock } from '../../../contract/src/wire/sse.ts'
import { callSignature } from '../../src/call-signature.ts'
import { gemini } from '../../src/gemini/index.ts'

const chat = gemini.codecs.chat!
const request = { model: 'm', messages: [{ role: 'user' as const, content: 'x' }] }

testRecording('text', () => {
  const { answer, usage } = decodedRecording(chat, 'google/google-text.json')
  expect(answer).toMatchObject({
    text: "There are **3** r's in strawberry.\n\nHere is the breakdown: st**r**awbe**rr**y.",
    reasoning: '',
    calls: [],
    finish: 'stop',
  })
  expect(answer.blocks).toMatchObject([
    { type: 'thought', signature: expect.stringMatching(/^EtoFCtcFAb4/) },
  ])
  expect(usage).toEqual({ inputTokens: 9, outputTokens: 28 + 244, reasoningTokens: 244 })
})

testRecording('reasoning', () => {
  const { answer, usage, reply } = decodedRecording(chat, 'google/google-reasoning-gemini3.json')
  expect(answer.text).toBe(
    'There are **3** "r"s in strawberry.\n\nHere is the breakdown: st**r**awbe**rr**y.',
  )
  expect(answer.blocks).toHaveLength(1)
  expect(usage).toEqual({ inputTokens: 9, outputTokens: 287, reasoningTokens: 258 })
  expect(reply.usage.total_tokens).toBe(296)
})

testRecording('a tool call and its signature', () => {
  for (const [name, thoughts, total, signature] of [
    ['google-tool-call.json', 893, 937, /^EskgCsYg/],
    ['google-tool-call-gemini3.json', 1801, 1845, /^Eqo\+Cqc\+/],
  ] as const) {
    const { answer, usage, reply } = decodedRecording(chat, `google/${name}`)
    expect(answer).toMatchObject({
      text: '',
      calls: [{ id: 'call_1', name: 'weather', input: '{"location":"San Francisco"}' }],
      finish: 'tool_calls',
      blocks: [],
    })
    expect(reply.choices[0]?.message.tool_calls?.[0]?.extra_content).toEqual({
      google: { thought_signature: expect.stringMatching(signature) },
    })
    expect(reply.choices[0]?.message.content).toBeNull()
    expect(usage).toEqual({
      inputTokens: 29,
      outputTokens: 15 + thoughts,
      reasoningTokens: thoughts,
    })
    expect(reply.usage.total_tokens).toBe(total)
  }
})

testRecording('a text stream', async () => {
  const { answer, verdicts, usage } = await streamedRecording(chat, 'google/google-text.chunks.txt')
  expect(answer.text).toBe('There are **3** "r"s in strawberry.\n\nst**r**awbe**rr**y')
  expect(answer.finish).toBe('stop')
  expect(answer.blocks).toMatchObject([
    { type: 'thought', signature: expect.stringMatching(/^EqsFCqgF.*w3FwAG37eeWcow=$/) },
  ])
  expect(verdicts).toEqual(['content', 'content', 'finish'])
  expect(usage).toEqual({ inputTokens: 9, outputTokens: 23 + 185, reasoningTokens: 185 })
})

testRecording('a stream with reasoning', async () => {
  const { answer, usage } = await streamedRecording(
    chat,
    'google/google-reasoning-gemini3.chunks.txt',
  )
  expect(answer.text).toBe('There are **3** "r"s in strawberry.\n\nSt**r**awbe**rr**y')
  expect(answer.blocks).toHaveLength(1)
  expect(usage).toEqual({ inputTokens: 9, outputTokens: 325, reasoningTokens: 302 })
})

testRecording('streams with a tool call', async () => {
  for (const [name, thoughts, length] of [
    ['google-tool-call.chunks.txt', 45, 396],
    ['google-tool-call-gemini3.chunks.txt', 804, 5488],
  ] as const) {
    const { answer, usage, steps } = await streamedRecording(chat, `google/${name}`)
    expect(answer).toMatchObject({
      text: '',
      calls: [{ name: 'weather', input: '{"location":"San Francisco"}' }],
      finish: 'tool_calls',
    })
    const signatures = steps.flatMap((step) =>
      'event' in step ? step.event.choices.flatMap(({ delta }) => delta.tool_calls ?? []) : [],
    )
    expect(signatures).toHaveLength(1)
    expect(callSignature(signatures[0]!)).toHaveLength(length)
    expect(usage).toEqual({
      inputTokens: 29,
      outputTokens: 15 + thoughts,
      reasoningTokens: thoughts,
    })
  }
})

testRecording('with CRLF, and as a JSON array, a stream reads the same', async () => {
  for (const name of ['google-text.chunks.txt', 'google-tool-call-gemini3.chunks.txt']) {
    const lines = recordedLines(`google/${name}`)
    const { answer } = await streamedRecording(chat, `google/${name}`)
    const crlf = lines.map((line) => `data: ${line}\r\n\r\n`).join('')
    const writer = createJsonArrayWriter()
    const array = Buffer.from(lines.map((line) => writer.element(line)).join('') + writer.end())
    for (const size of [1, 7, 4096]) {
      const splitter = createJsonArraySplitter()
      const blocks: EventBlock[] = []
      for (let at = 0; at < array.length; at += size)
        blocks.push(...splitter.push(array.subarray(at, at + size)))
      const elements = [...blocks, ...splitter.end()].filter(({ kind }) => kind === 'event')
      for (const events of [elements, eventsInPieces(crlf, size)]) {
        const { steps } = readStream(chat.stream!, { events, context: codecContext(), request })
        expect(answerOf(steps)).toEqual(answer)
      }
    }
  }
})

testRecording('a stream without its finish reason is a cut', async () => {
  const lines = recordedLines('google/google-text.chunks.txt').slice(0, -1)
  const { answer, verdicts } = await streamedRecording(chat, 'google/google-text.chunks.txt', lines)
  expect(verdicts).not.toContain('finish')
  expect(answer.finish).toBeUndefined()
})

testRecording('a spent quota and when to try again', () => {
  const answer = received(recording('google/google-429-retry-info.json'), { status: 429 })
  expect(gemini.failure(answer)).toEqual({
    message: 'You exceeded your current quota, please check your plan.',
    code: 'RESOURCE_EXHAUSTED',
    retryAfterMs: 34_400,
  })
})
