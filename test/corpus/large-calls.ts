// Answers whose calls have large arguments, which are text in some formats and objects in others.
import type { LargeAnswer } from './large-answers.ts'

const megabyte = 1024 * 1024
const messages = [{ role: 'user', content: 'Hi' }]
const chat = { path: '/v1/chat/completions', body: { messages } }
const told = { path: '/v1/messages', body: { messages, max_tokens: 99 } }
const responses = { path: '/v1/responses', body: { input: 'Hi' } }

const call = (megabytes: number) => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content: [
    {
      type: 'tool_use',
      id: 't',
      name: 'write',
      input: { text: 'a\n'.repeat((megabytes * megabyte) / 2) },
    },
  ],
  stop_reason: 'tool_use',
  stop_sequence: null,
  usage: { input_tokens: 1, output_tokens: 1 },
})

const manyNames = () =>
  Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`n${index}`, 0]))
const calledByGemini = (args: object) => ({
  candidates: [
    {
      content: { role: 'model', parts: [{ functionCall: { name: 'write', args } }] },
      finishReason: 'STOP',
      index: 0,
    },
  ],
})

export const largeCalls: readonly LargeAnswer[] = [
  {
    name: 'a call for chat',
    up: 'anthropic',
    ...chat,
    answer: () => JSON.stringify(call(7)),
    status: 200,
    bytesMin: 7 * megabyte,
  },
  {
    name: 'a call for Responses',
    up: 'anthropic',
    ...responses,
    answer: () => JSON.stringify(call(7)),
    status: 200,
    bytesMin: 7 * megabyte,
  },
  {
    name: 'a call larger than any',
    up: 'anthropic',
    ...chat,
    answer: () => JSON.stringify(call(20)),
    status: 502,
  },
  {
    name: 'a call of fifty thousand names for Messages',
    up: 'gemini',
    ...told,
    answer: () => JSON.stringify(calledByGemini(manyNames())),
    status: 200,
    bytesMin: megabyte / 2,
  },
  {
    name: 'an event with a large call for Responses',
    up: 'gemini',
    path: responses.path,
    body: { ...responses.body, stream: true },
    contentType: 'text/event-stream',
    answer: () =>
      `data: ${JSON.stringify(calledByGemini({ text: 'a\n'.repeat(2 * megabyte) }))}\n\n`,
    status: 200,
    bytesMin: 20 * megabyte,
  },
  {
    name: 'an event with a call larger than any',
    up: 'gemini',
    path: chat.path,
    body: { messages, stream: true },
    contentType: 'text/event-stream',
    answer: () => `data: ${JSON.stringify(calledByGemini({ text: 'a'.repeat(9 * megabyte) }))}\n\n`,
    status: 502,
  },
]
