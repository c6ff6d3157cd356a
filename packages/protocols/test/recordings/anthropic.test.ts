import { expect } from 'vitest'
import {
  decodedRecording,
  streamedRecording,
} from '../../../../test/support/formats/chat-answer.ts'
import { testRecording } from '../../../../test/support/formats/recordings.ts'
import { chat } from '../../src/anthropic/upstream/chat.ts'

const whole = (name: string) => decodedRecording(chat, `anthropic/${name}.json`)
const streamed = (name: string) => streamedRecording(chat, `anthropic/${name}.chunks.txt`)

testRecording('text', async () => {
  const { answer, usage, reply } = whole('anthropic-text')
  expect(answer).toMatchObject({
    text: "Hello! I'm doing well, thanks for asking. How are you doing today? Is there anything I can help you with?",
    finish: 'stop',
    calls: [],
    blocks: [],
  })
  expect(usage).toEqual({ inputTokens: 12, outputTokens: 29 })
  expect(reply.usage.total_tokens).toBe(41)
  expect(reply.service_tier).toBe('default')
  const read = await streamed('anthropic-text')
  expect(read.answer).toMatchObject({
    text: "Hello! I'm doing well, thank you for asking. How are you doing today? Is there anything I can help you with?",
    finish: 'stop',
  })
  expect(read.usage).toEqual({ inputTokens: 12, outputTokens: 30 })
  expect(read.verdicts.filter((verdict) => verdict === 'content')).toHaveLength(6)
  expect(read.verdicts.slice(-2)).toEqual(['finish', 'terminal'])
})

testRecording('thinking with its signature', async () => {
  const { answer, usage } = whole('anthropic-clear-thinking.1')
  const block = answer.blocks[0] as { readonly signature: string }
  expect(answer).toMatchObject({
    text: '925 ÷ 5 = 185',
    reasoning: '925 divided by 5 = 185',
    blocks: [{ type: 'thinking', thinking: '925 divided by 5 = 185' }],
  })
  expect(block.signature).toMatch(/^Er4BCkYICxgCKkCoxqLH.*qxRgB$/)
  expect(usage).toEqual({ inputTokens: 69, outputTokens: 33 })
  const read = await streamed('anthropic-clear-thinking.1')
  const thinking = 'The previous result was 925. Now I need to divide that by 5.\n\n925 ÷ 5 = 185'
  expect(read.answer).toMatchObject({
    text: '925 ÷ 5 = 185',
    reasoning: thinking,
    blocks: [{ type: 'thinking', thinking }],
    finish: 'stop',
  })
  expect((read.answer.blocks[0] as typeof block).signature).toMatch(/^EvQBCkYICxgCKkAx.*7BgB$/)
  expect(read.usage).toEqual({ inputTokens: 69, outputTokens: 53 })
})

testRecording('a long answer with reasoning tokens', () => {
  const { answer, usage, reply } = whole('anthropic-claude-opus-5-reasoning-high.1')
  expect(answer.text).toMatch(/^## Step 1: Set up the problem\n\n.*confirming the answer\.$/s)
  expect(answer.reasoning).toMatch(/^I need to find all roots .* exactly 3 roots\.$/s)
  expect(answer.finish).toBe('stop')
  expect(usage).toEqual({ inputTokens: 51, outputTokens: 1699, reasoningTokens: 139 })
  expect(reply.usage.completion_tokens_details.reasoning_tokens).toBe(139)
})

testRecording('a call of a tool', async () => {
  const { answer, usage } = whole('anthropic-json-tool.1')
  const [call] = answer.calls
  expect(call).toMatchObject({ id: 'toolu_01Q9ExVZnzZj7E2QQYHYtNUa', name: 'json' })
  expect(JSON.parse(call!.input)).toEqual({
    elements: [
      { location: 'San Francisco', temperature: -5, condition: 'snowy' },
      { location: 'London', temperature: 0, condition: 'snowy' },
      { location: 'Paris', temperature: 23, condition: 'cloudy' },
      { location: 'Berlin', temperature: -9, condition: 'snowy' },
    ],
  })
  expect(answer.finish).toBe('tool_calls')
  expect(usage).toEqual({ inputTokens: 1151, outputTokens: 87 })
  const read = await streamed('anthropic-json-tool.1')
  expect(read.answer).toMatchObject({
    text: '',
    finish: 'tool_calls',
    calls: [
      {
        id: 'toolu_01KFbKqPYSuAKujiL6mTfzYA',
        name: 'json',
        input:
          '{"elements": [{"location": "San Francisco", "temperature": 58, "condition": "sunny"}]}',
      },
    ],
  })
  expect(read.usage).toEqual({ inputTokens: 849, outputTokens: 47 })
})

testRecording('a call without arguments', async () => {
  const { answer, usage } = whole('anthropic-tool-no-args')
  expect(answer.text).toMatch(/^<thinking>.*I will update the current issue list:$/s)
  expect(answer.calls).toEqual([
    { id: 'toolu_01LRmxn9vGM1d2DZSDBowdZ1', name: 'updateIssueList', input: '{}' },
  ])
  expect(usage).toEqual({ inputTokens: 602, outputTokens: 93 })
  const read = await streamed('anthropic-tool-no-args')
  expect(read.answer).toMatchObject({
    text: "I'll update the issue list for you.",
    finish: 'tool_calls',
    calls: [{ id: 'toolu_01QE1WLsSVp5hy5Q3GmGTmjP', name: 'updateIssueList', input: '{}' }],
  })
  expect(read.usage).toEqual({ inputTokens: 565, outputTokens: 48 })
})

testRecording('a refusal', async () => {
  const reason =
    "This request triggered restrictions on violative cyber content and was blocked under Anthropic's Usage Policy."
  const { answer, usage, reply } = whole('anthropic-refusal')
  expect(answer).toMatchObject({ text: '', refusal: reason, finish: 'content_filter' })
  expect(reply.choices[0]?.message.content).toBeNull()
  expect(usage).toEqual({ inputTokens: 18, outputTokens: 5 })
  const read = await streamed('anthropic-refusal')
  expect(read.answer).toMatchObject({ text: '', refusal: reason, finish: 'content_filter' })
  expect(read.usage).toEqual({ inputTokens: 18, outputTokens: 5 })
  expect(read.verdicts).toEqual(['other', 'other', 'finish', 'terminal'])
})

testRecording('input tokens that are corrected at the end', async () => {
  const read = await streamed('anthropic-message-delta-input-tokens')
  expect(read.answer).toMatchObject({ text: 'pong', finish: 'stop' })
  expect(read.usage).toEqual({ inputTokens: 61, outputTokens: 2 })
})

testRecording('a start that comes twice', async () => {
  const read = await streamed('duplicate-message-start')
  expect(read.answer).toMatchObject({ text: 'Hello, World!', finish: 'stop' })
  // message_delta says nothing of the input, so what the start said stands.
  expect(read.usage).toEqual({ inputTokens: 17, outputTokens: 227 })
})
