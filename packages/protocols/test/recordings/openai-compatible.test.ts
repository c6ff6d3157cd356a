import { describe, expect } from 'vitest'
import {
  decodedRecording,
  streamedRecording,
} from '../../../../test/support/formats/chat-answer.ts'
import { testRecording } from '../../../../test/support/formats/recordings.ts'
import { openai } from '../../src/openai/index.ts'

const chat = openai.codecs.chat!

const weather = (id: string) => ({
  id,
  name: 'weather',
  input: '{"location": "San Francisco"}',
})

/** What a person reads in the recorded file: beginnings and ends of long texts. */
interface Expected {
  readonly starts?: string
  readonly ends?: string
  readonly characters?: number
  readonly reasoning?: readonly [starts: string, ends: string, characters: number]
  readonly calls?: readonly object[]
  readonly finish: string
  readonly usage: object | undefined
}

function check(answer: Awaited<ReturnType<typeof streamedRecording>>['answer'], want: Expected) {
  expect(answer.text.slice(0, want.starts?.length ?? 0)).toBe(want.starts ?? '')
  if (want.ends !== undefined) expect(answer.text.endsWith(want.ends)).toBe(true)
  expect(answer.text.length).toBe(want.characters ?? 0)
  const [starts, ends, characters] = want.reasoning ?? ['', '', 0]
  expect(answer.reasoning.startsWith(starts) && answer.reasoning.endsWith(ends)).toBe(true)
  expect(answer.reasoning.length).toBe(characters)
  expect(answer.calls).toEqual(want.calls ?? [])
  expect(answer.finish).toBe(want.finish)
}

const whole: Readonly<Record<string, Expected>> = {
  'deepseek/deepseek-text.json': {
    starts: '## **Holiday Name: Gratitude of Small Things Day (GST Day)**',
    ends: 'Instead of lavish presents, people exchange',
    characters: 1375,
    finish: 'length',
    usage: { inputTokens: 13, outputTokens: 300, cachedInputTokens: 0 },
  },
  'deepseek/deepseek-json.json': {
    starts: '{\n  "location": "San Francisco",',
    ends: '"temperature": 7\n}',
    characters: 78,
    reasoning: ['I have the result from the weather tool.', 'Let me output the JSON object.', 558],
    finish: 'stop',
    usage: { inputTokens: 495, outputTokens: 144, cachedInputTokens: 320, reasoningTokens: 118 },
  },
  'deepseek/deepseek-tool-call.json': {
    reasoning: ['The user is asking for the weather', 'Let me call the weather function.', 242],
    calls: [weather('call_00_9V0vrf86Pc9aelHCJMZqnJBo')],
    finish: 'tool_calls',
    usage: { inputTokens: 339, outputTokens: 92, cachedInputTokens: 320, reasoningTokens: 48 },
  },
  'groq/groq-text.json': {
    starts: 'I\'d like to introduce "Luminaria"',
    ends: 'we can create a brighter, more radiant world.',
    characters: 2953,
    finish: 'stop',
    usage: { inputTokens: 45, outputTokens: 607 },
  },
  'groq/groq-tool-call.json': {
    calls: [{ id: 'ax9fskhev', name: 'weather', input: '{}' }],
    finish: 'tool_calls',
    usage: { inputTokens: 218, outputTokens: 15 },
  },
  'mistral/mistral-tool-call.json': {
    calls: [weather('gSIMJiOkT')],
    finish: 'tool_calls',
    usage: { inputTokens: 124, outputTokens: 22 },
  },
  'moonshotai/moonshotai-text.json': {
    starts: 'Hello, world!',
    characters: 13,
    finish: 'stop',
    usage: { inputTokens: 9, outputTokens: 5 },
  },
  'moonshotai/moonshotai-reasoning.json': {
    starts: 'There are three.',
    characters: 16,
    reasoning: ['Let me count', 'the letters carefully.', 35],
    finish: 'stop',
    usage: { inputTokens: 20, outputTokens: 30, cachedInputTokens: 10, reasoningTokens: 22 },
  },
  'moonshotai/moonshotai-tool-call.json': {
    calls: [{ id: 'call_abc123', name: 'get_weather', input: '{"city":"Paris"}' }],
    finish: 'tool_calls',
    usage: { inputTokens: 30, outputTokens: 12 },
  },
  'alibaba/alibaba-text.json': {
    starts: '## The Festival of Forgotten Things (Obsidiana)',
    ends: 'making space for what is yet to come.',
    characters: 4892,
    finish: 'stop',
    usage: { inputTokens: 18, outputTokens: 1064, cachedInputTokens: 0 },
  },
  'alibaba/alibaba-tool-call.json': {
    calls: [weather('call_962bfd2ab8f54b89a1161356')],
    finish: 'tool_calls',
    usage: { inputTokens: 295, outputTokens: 22, cachedInputTokens: 0 },
  },
  // 12 and 1 tokens make 241 with 228 of reasoning, which this provider leaves out of the completion.
  'xai/xai-text.json': {
    starts: 'Hello',
    characters: 5,
    reasoning: ['First, the user said: "Say a single word."', 'keeps it simple.', 189],
    finish: 'stop',
    usage: { inputTokens: 12, outputTokens: 229, cachedInputTokens: 2, reasoningTokens: 228 },
  },
  'openai/openai-text.json': {
    starts: '**Holiday Name:** Galaxy Day',
    ends: 'inspiring individuals to look up and dream beyond our world.',
    characters: 1842,
    finish: 'stop',
    usage: { inputTokens: 16, outputTokens: 363, cachedInputTokens: 0, reasoningTokens: 0 },
  },
}

const streams: Readonly<Record<string, Expected>> = {
  'deepseek/deepseek-tool-call.chunks.txt': {
    reasoning: ['The user is asking for the weather', 'set to "San Francisco".', 191],
    calls: [weather('call_00_ioIn7yN9p1ZOMNpDLwd4MgAF')],
    finish: 'tool_calls',
    usage: { inputTokens: 339, outputTokens: 83, cachedInputTokens: 320, reasoningTokens: 39 },
  },
  'groq/groq-tool-call.chunks.txt': {
    calls: [{ id: 'tk85n1k4m', name: 'weather', input: '{}' }],
    finish: 'tool_calls',
    usage: { inputTokens: 210, outputTokens: 15 },
  },
  'mistral/mistral-text.chunks.txt': {
    starts: 'Hello, world! This is a test response.',
    characters: 38,
    finish: 'stop',
    usage: { inputTokens: 13, outputTokens: 8 },
  },
  'mistral/mistral-tool-call.chunks.txt': {
    calls: [weather('gSIMJiOkT')],
    finish: 'tool_calls',
    usage: { inputTokens: 124, outputTokens: 22 },
  },
  'moonshotai/moonshotai-stream.chunks.txt': {
    starts: 'Hello!',
    characters: 6,
    reasoning: ['Thinking ', 'aloud. ', 16],
    finish: 'stop',
    usage: { inputTokens: 9, outputTokens: 12, reasoningTokens: 7 },
  },
  'alibaba/alibaba-tool-call.chunks.txt': {
    calls: [weather('call_eee11723464a4b9eb8cee71d')],
    finish: 'tool_calls',
    usage: { inputTokens: 295, outputTokens: 22, cachedInputTokens: 0 },
  },
  'xai/xai-text.chunks.txt': {
    starts: 'Hello',
    characters: 5,
    reasoning: ['First, the user said', '', 20],
    finish: 'stop',
    usage: { inputTokens: 12, outputTokens: 291, cachedInputTokens: 11, reasoningTokens: 290 },
  },
  'perplexity/perplexity-text.chunks.txt': {
    starts: '**EcoVista Day**[1][5]',
    characters: 22,
    finish: 'stop',
    usage: { inputTokens: 11, outputTokens: 434 },
  },
  'openai/openai-text.chunks.txt': {
    starts: '**Holiday Name:** Harmony Day\n\n**Date:** Celebrated annually',
    ends: 'shared human experiences and mutual respect.',
    characters: 1724,
    finish: 'stop',
    usage: { inputTokens: 16, outputTokens: 300, cachedInputTokens: 0, reasoningTokens: 0 },
  },
  'openai/azure-model-router.1.chunks.txt': {
    starts: 'Capital of Denmark.',
    characters: 19,
    finish: 'stop',
    usage: { inputTokens: 15, outputTokens: 78, cachedInputTokens: 0, reasoningTokens: 64 },
  },
  'openai-compatible/anthropic-fallback-tool-call.sse': {
    starts: 'Reading it.',
    characters: 11,
    calls: [{ id: 'toolu_sanitized', name: 'read_file', input: '{"path": "a.txt"}' }],
    finish: 'tool_calls',
    usage: undefined,
  },
}

describe('whole answers', () => {
  for (const [path, expected] of Object.entries(whole))
    testRecording(path, () => {
      const { answer, usage } = decodedRecording(chat, path)
      check(answer, expected)
      expect(usage).toMatchObject(expected.usage ?? {})
    })

  testRecording('mistral/mistral-text.json', () => {
    const { answer, usage } = decodedRecording(chat, 'mistral/mistral-text.json')
    expect(answer.text.startsWith('**Holiday Name: "World Kindness Day of Sharing"**')).toBe(true)
    expect(answer.finish).toBe('stop')
    expect(usage).toEqual({ inputTokens: 13, outputTokens: 434 })
  })

  testRecording('perplexity cites its sources', () => {
    const { answer, usage } = decodedRecording(chat, 'perplexity/perplexity-text.json')
    expect(answer.text.startsWith('**EcoVista Day** is a new annual holiday')).toBe(true)
    expect(answer.annotations).toHaveLength(6)
    expect(answer.annotations[3]).toEqual({
      type: 'url_citation',
      url_citation: {
        start_index: 0,
        end_index: 0,
        url: 'https://www.youtube.com/watch?v=GVxMMHAwzIU',
        title: '',
      },
    })
    expect(usage).toEqual({ inputTokens: 11, outputTokens: 392 })
  })
})

describe('streams', () => {
  for (const [path, expected] of Object.entries(streams))
    testRecording(path, async () => {
      const { answer, usage, verdicts, error } = await streamedRecording(chat, path)
      check(answer, expected)
      if (expected.usage === undefined) expect(usage).toBeUndefined()
      else expect(usage).toMatchObject(expected.usage)
      expect(error).toBeUndefined()
      expect(verdicts).not.toContain('garbage')
      expect(verdicts).toContain('finish')
    })

  testRecording(
    'perplexity tells its citations once, though every chunk repeats them',
    async () => {
      const { answer } = await streamedRecording(chat, 'perplexity/perplexity-text.chunks.txt')
      expect(answer.annotations).toHaveLength(5)
    },
  )
})
