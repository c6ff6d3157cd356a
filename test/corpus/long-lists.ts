// Answers that are long lists, whose items must not be compared with each other, or copied for each other.
import { chatReply, chunk } from '../support/fakes/openai-wire.ts'
import type { LargeAnswer } from './large-answers.ts'

const megabyte = 1024 * 1024
const messages = [{ role: 'user', content: 'Hi' }]
const chat = { path: '/v1/chat/completions', body: { messages } }
const told = { path: '/v1/messages', body: { messages, max_tokens: 99 } }
const responses = { path: '/v1/responses', body: { input: 'Hi' } }
const generate = (up: string) => ({
  path: `/v1beta/models/${up}%2Fm:generateContent`,
  body: { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] },
})
const message = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  stop_reason: 'tool_use',
  stop_sequence: null,
  usage: { input_tokens: 1, output_tokens: 1 },
}

const many = <T>(count: number, item: (index: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, index) => item(index))
const candidate = (parts: readonly object[], further: object = {}) => ({
  candidates: [{ content: { role: 'model', parts }, index: 0, ...further }],
})
const eventsOf = (values: readonly object[]): string =>
  values.map((value) => `data: ${JSON.stringify(value)}\n\n`).join('')
const site = { web: { uri: 'https://example.com', title: 'Page' } }
/** Sources of the words of a text, one in twelve. */
const supports = (count: number) =>
  many(count, (index) => ({
    segment: { startIndex: index * 72, endIndex: index * 72 + 5 },
    groundingChunkIndices: [0],
  }))
const grounded = (count: number) =>
  candidate([{ text: 'wörd '.repeat(60_000) }], {
    finishReason: 'STOP',
    groundingMetadata: { groundingChunks: [site], groundingSupports: supports(count) },
  })

const probability = (index: number) => ({
  token: ` word ${index}`,
  logprob: -1.234567 - index,
  bytes: [32, 119, 111, 114, 100],
})
/** Of 4,096 tokens, twenty for each. */
const probabilities = () => ({
  content: many(4_096, (index) => ({ ...probability(index), top_logprobs: many(20, probability) })),
  refusal: null,
})

/** Arguments that are cheap to send: each name is one of its own. */
const named = () => JSON.stringify(Object.fromEntries(many(500_000, (index) => [`n${index}`, 0])))
const calling = () => ({
  tool_calls: [
    { index: 0, id: 'c', type: 'function', function: { name: 'f', arguments: named() } },
  ],
})

export const longLists: readonly LargeAnswer[] = [
  ...[told, generate('openai')].map((asked) => ({
    name: `arguments of half a million names for ${asked.path}`,
    up: 'openai' as const,
    ...asked,
    answer: () => {
      const message = { role: 'assistant', content: null, ...calling() }
      const choices = [{ index: 0, message, finish_reason: 'tool_calls' }]
      return JSON.stringify({ ...chatReply(''), choices })
    },
    status: 200,
    bytesMin: 5 * megabyte,
  })),
  {
    name: 'such arguments in one event',
    up: 'openai',
    path: '/v1beta/models/openai%2Fm:streamGenerateContent?alt=sse',
    body: generate('openai').body,
    contentType: 'text/event-stream',
    answer: () => `${eventsOf([chunk(calling()), chunk({}, 'tool_calls')])}data: [DONE]\n\n`,
    status: 200,
    bytesMin: 5 * megabyte,
  },
  ...[chat, told].map(({ path, body }) => ({
    name: `probabilities of tokens for ${path}`,
    up: 'openai' as const,
    path,
    body,
    answer: () => {
      const choice = {
        index: 0,
        message: { role: 'assistant', content: 'Hi' },
        finish_reason: 'stop',
      }
      return JSON.stringify({
        ...chatReply('Hi'),
        choices: [{ ...choice, logprobs: probabilities() }],
      })
    },
    status: 200,
    isPassed: path === chat.path,
  })),
  ...[responses, generate('anthropic')].map(({ path, body }) => ({
    name: `texts and calls in turn for ${path}`,
    up: 'anthropic' as const,
    path,
    body,
    answer: () =>
      JSON.stringify({
        ...message,
        content: many(30_000, (index) =>
          index % 2 === 0
            ? { type: 'text', text: 'a' }
            : { type: 'tool_use', id: `t${index}`, name: 'f', input: {} },
        ),
      }),
    status: 200,
    bytesMin: megabyte / 2,
  })),
  {
    name: 'texts and calls in turn of Bedrock',
    up: 'amazon-bedrock',
    ...chat,
    answer: () =>
      JSON.stringify({
        output: {
          message: {
            role: 'assistant',
            content: many(30_000, (index) =>
              index % 2 === 0
                ? { text: 'a' }
                : { toolUse: { toolUseId: `t${index}`, name: 'f', input: {} } },
            ),
          },
        },
        stopReason: 'tool_use',
      }),
    status: 200,
    bytesMin: megabyte / 2,
  },
  {
    name: 'a call of Gemini in many pieces',
    up: 'gemini',
    ...chat,
    answer: () =>
      JSON.stringify(
        candidate(
          [
            {
              functionCall: {
                name: 'f',
                partialArgs: many(20_000, (index) => ({
                  jsonPath: `$.a[${index}]`,
                  stringValue: 'x',
                })),
              },
            },
          ],
          { finishReason: 'STOP' },
        ),
      ),
    status: 200,
    bytesMin: 20_000,
  },
  ...[chat, responses].map(({ path, body }) => ({
    name: `a text with thousands of sources for ${path}`,
    up: 'gemini' as const,
    path,
    body,
    answer: () => JSON.stringify(grounded(5_000)),
    status: 200,
    bytesMin: megabyte / 2,
  })),
  {
    name: 'sources for Gemini',
    up: 'openai',
    ...generate('openai'),
    answer: () => {
      const annotations = many(5_000, (index) => ({
        type: 'url_citation',
        url_citation: {
          start_index: index * 60,
          end_index: index * 60 + 4,
          url: 'https://a.example',
          title: '',
        },
      }))
      return JSON.stringify({
        ...chatReply('Hi'),
        choices: [
          {
            index: 0,
            message: { role: 'assistant', content: 'wörd '.repeat(60_000), annotations },
            finish_reason: 'stop',
          },
        ],
      })
    },
    status: 200,
    bytesMin: megabyte / 2,
  },
  {
    name: 'a stream with sources in each event for Messages',
    up: 'gemini',
    path: told.path,
    body: { ...told.body, stream: true },
    contentType: 'text/event-stream',
    answer: () =>
      eventsOf([
        ...many(10_000, (index) =>
          candidate([{ text: 'wörd '.repeat(12) }], {
            groundingMetadata: {
              groundingChunks: [site],
              groundingSupports: [
                {
                  segment: { startIndex: index * 72, endIndex: index * 72 + 5 },
                  groundingChunkIndices: [0],
                },
              ],
            },
          }),
        ),
        candidate([{ text: 'end' }], { finishReason: 'STOP' }),
      ]),
    status: 200,
    bytesMin: megabyte,
  },
  // More of something than any answer holds.
  {
    name: 'hundreds of thousands of sources of one place',
    up: 'gemini',
    path: responses.path,
    body: { ...responses.body, stream: true },
    contentType: 'text/event-stream',
    answer: () =>
      eventsOf([
        candidate([{ text: 'Hi' }], {
          finishReason: 'STOP',
          groundingMetadata: {
            groundingChunks: [site],
            groundingSupports: [
              { segment: { endIndex: 2 }, groundingChunkIndices: many(400_000, () => 0) },
            ],
          },
        }),
      ]),
    status: 502,
  },
  {
    name: 'hundreds of thousands of empty choices',
    up: 'openai',
    ...generate('openai'),
    answer: () => JSON.stringify({ ...chatReply('Hi'), choices: many(150_000, () => ({})) }),
    status: 502,
  },
  {
    name: 'a stream of a hundred thousand calls',
    up: 'openai',
    path: told.path,
    body: { ...told.body, stream: true },
    contentType: 'text/event-stream',
    answer: () =>
      eventsOf([
        ...many(100_000, (index) =>
          chunk({
            tool_calls: [{ index, id: `c${index}`, function: { name: 'f', arguments: '{}' } }],
          }),
        ),
        chunk({}, 'tool_calls'),
      ]),
    // It breaks off.
    status: 200,
  },
]
