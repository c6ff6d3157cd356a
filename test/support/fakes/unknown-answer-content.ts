/** Answers of every kind of upstream that hold content of a kind that the gateway does not know, beside the text "Hello". */

import type { ConfigFile } from '../../../packages/sluice/src/config/schema.ts'
import { converseFrames } from './aws-frames.ts'
import { type Answering, json } from './fake-upstream.ts'
import { either } from './server-tool-answers.ts'

type Fields = Readonly<Record<string, unknown>>
type Provider = NonNullable<ConfigFile['providers']>[string]

const data = (value: object) => `data: ${JSON.stringify(value)}\n\n`
const named = (value: Fields) => `event: ${String(value['type'])}\n${data(value)}`

function anthropic(kind: string, content: Fields): Answering {
  const blocks = [
    { type: 'text', text: 'Hello' },
    { type: kind, ...content },
  ]
  const usage = { input_tokens: 5, output_tokens: 3 }
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', usage }
  return either({ ...message, content: blocks, stop_reason: 'end_turn' }, [
    named({ type: 'message_start', message: { ...message, content: [], stop_reason: null } }),
    ...blocks.flatMap((content_block, index) => [
      named({ type: 'content_block_start', index, content_block }),
      named({ type: 'content_block_stop', index }),
    ]),
    named({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage }),
    named({ type: 'message_stop' }),
  ])
}

function responses(items: readonly Fields[]): Answering {
  const usage = { input_tokens: 5, output_tokens: 3, total_tokens: 8 }
  const head = { id: 'resp_1', object: 'response', model: 'm' }
  const response = { ...head, status: 'completed', output: items, usage }
  const begun = { ...head, status: 'in_progress', output: [] }
  return either(response, [
    named({ type: 'response.created', response: begun }),
    ...items.map((item, output_index) =>
      named({ type: 'response.output_item.done', output_index, item }),
    ),
    named({ type: 'response.completed', response }),
  ])
}

const message = (...further: readonly Fields[]): Fields => ({
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: 'Hello', annotations: [] }, ...further],
})

function gemini(part: Fields): Answering {
  const candidate = {
    content: { role: 'model', parts: [{ text: 'Hello' }, part] },
    finishReason: 'STOP',
  }
  const usageMetadata = { promptTokenCount: 5, candidatesTokenCount: 3, totalTokenCount: 8 }
  const answer = { candidates: [candidate], usageMetadata }
  return either(answer, [data(answer)])
}

function openai(part: Fields): Answering {
  const usage = { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 }
  const head = { id: 'chatcmpl-1', object: 'chat.completion', created: 1, model: 'm' }
  const content = [{ type: 'text', text: 'Hello' }, part]
  const choice = { index: 0, finish_reason: 'stop' }
  const chunk = { ...head, object: 'chat.completion.chunk' }
  return either({ ...head, choices: [{ ...choice, message: { content } }], usage }, [
    data({ ...chunk, choices: [{ index: 0, delta: { role: 'assistant', content } }] }),
    data({ ...chunk, choices: [{ ...choice, delta: {} }], usage }),
    'data: [DONE]\n\n',
  ])
}

function cohere(type: string, content: Fields): Answering {
  const usage = { tokens: { input_tokens: 5, output_tokens: 3 } }
  const parts = [
    { type: 'text', text: 'Hello' },
    { type, ...content },
  ]
  const whole = { id: '1', message: { role: 'assistant', content: parts } }
  const end = { finish_reason: 'COMPLETE', usage }
  const piece = (kind: string, index: number, part: Fields) =>
    data({ type: `content-${kind}`, index, delta: { message: { content: part } } })
  return either({ ...whole, ...end }, [
    data({ type: 'message-start', id: '1', delta: { message: { role: 'assistant' } } }),
    piece('start', 0, { type: 'text', text: '' }),
    piece('delta', 0, { text: 'Hello' }),
    data({ type: 'content-end', index: 0 }),
    piece('start', 1, { type }),
    // Its end is left out.
    piece('delta', 1, content),
    data({ type: 'message-end', delta: end }),
  ])
}

function bedrock(kind: string, content: Fields): Answering {
  const usage = { inputTokens: 5, outputTokens: 3, totalTokens: 8 }
  const blocks = [{ text: 'Hello' }, { [kind]: content }]
  const events = [
    { messageStart: { role: 'assistant' } },
    { contentBlockDelta: { contentBlockIndex: 0, delta: { text: 'Hello' } } },
    { contentBlockStop: { contentBlockIndex: 0 } },
    { contentBlockStart: { contentBlockIndex: 1, start: { [kind]: {} } } },
    { contentBlockDelta: { contentBlockIndex: 1, delta: { [kind]: content } } },
    { contentBlockStop: { contentBlockIndex: 1 } },
    { messageStop: { stopReason: 'end_turn' } },
    { metadata: { usage, metrics: { latencyMs: 1 } } },
  ]
  return (seen, response) => {
    if (!seen.path.endsWith('/converse-stream'))
      return json(response, {
        output: { message: { role: 'assistant', content: blocks } },
        stopReason: 'end_turn',
        usage,
        metrics: { latencyMs: 1 },
      })
    response.writeHead(200, { 'content-type': 'application/vnd.amazon.eventstream' })
    response.end(converseFrames(events.map((event) => JSON.stringify(event))))
  }
}

/** By what is unknown: the provider's settings beside its address, and what answers there. */
export const unreadAnswers: Readonly<
  Record<string, (kind: string, content: Fields) => readonly [Provider, Answering]>
> = {
  'a block of Anthropic': (kind, content) => [{ type: 'anthropic' }, anthropic(kind, content)],
  'an item of a response': (kind, content) => [
    { type: 'openai-responses' },
    responses([message(), { type: kind, ...content }]),
  ],
  'a part of a response’s message': (kind, content) => [
    { type: 'openai-responses' },
    responses([message({ type: kind, ...content })]),
  ],
  'a part of Gemini': (kind, content) => [{ type: 'gemini' }, gemini({ [kind]: content })],
  'a part of a chat completion': (kind, content) => [
    { type: 'openai' },
    openai({ type: kind, ...content }),
  ],
  'a part of Cohere': (kind, content) => [{ type: 'cohere' }, cohere(kind, content)],
  'a block of Bedrock': (kind, content) => [
    { type: 'bedrock', region: 'us-east-1' },
    bedrock(kind, content),
  ],
}
