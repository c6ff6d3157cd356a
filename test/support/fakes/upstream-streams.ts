import { chunk, done, textStream } from './openai-wire.ts'

/** How one family of upstreams streams a short text, split where a fault may be inserted. */
export interface UpstreamStream {
  readonly type: 'openai' | 'anthropic' | 'gemini'
  /** The events before any content. */
  readonly preamble: readonly string[]
  /** "Hel" and "lo" as two pieces of content. */
  readonly content: readonly string[]
  readonly ending: readonly string[]
  /** The family's own error event in the middle of a stream. */
  readonly errorFrame: string
}

const data = (value: object) => `data: ${JSON.stringify(value)}\n\n`
const named = (value: { readonly type: string; readonly [field: string]: unknown }) =>
  `event: ${value.type}\n${data(value)}`

const openai: UpstreamStream = {
  type: 'openai',
  preamble: [data(chunk({ role: 'assistant', content: '' }))],
  content: [data(chunk({ content: 'Hel' })), data(chunk({ content: 'lo' }))],
  ending: textStream.slice(3).map((event) => (typeof event === 'string' ? event : data(event))),
  errorFrame: data({ error: { message: 'overloaded', type: 'server_error', code: null } }),
}

export const anthropicStream: UpstreamStream = {
  type: 'anthropic',
  preamble: [
    named({
      type: 'message_start',
      message: {
        id: 'msg_up',
        type: 'message',
        role: 'assistant',
        model: 'up-model-2026',
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: 7, output_tokens: 1 },
      },
    }),
    named({
      type: 'content_block_start',
      index: 0,
      content_block: { type: 'text', text: '' },
    }),
    named({ type: 'ping' }),
  ],
  content: ['Hel', 'lo'].map((text) =>
    named({
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'text_delta', text },
    }),
  ),
  ending: [
    named({ type: 'content_block_stop', index: 0 }),
    named({
      type: 'message_delta',
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: { output_tokens: 3 },
    }),
    named({ type: 'message_stop' }),
  ],
  errorFrame: named({
    type: 'error',
    error: { type: 'overloaded_error', message: 'Overloaded' },
  }),
}

const fragment = (text: string, further: object = {}) =>
  `data: ${JSON.stringify({
    candidates: [{ content: { role: 'model', parts: [{ text }] }, index: 0, ...further }],
    usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 3, totalTokenCount: 10 },
    modelVersion: 'up-model-2026',
    responseId: 'resp-up',
  })}\r\n\r\n`

const gemini: UpstreamStream = {
  type: 'gemini',
  preamble: [],
  content: [fragment('Hel'), fragment('lo')],
  ending: [fragment('', { finishReason: 'STOP' })],
  errorFrame: data({ error: { code: 503, message: 'overloaded', status: 'UNAVAILABLE' } }),
}

export const upstreamStreams: readonly UpstreamStream[] = [openai, anthropicStream, gemini]

/** How one client format requests a stream, and how its response is read. */
export interface ClientStream {
  readonly name: string
  readonly path: (model: string) => string
  readonly body: (model: string) => object
  /** The text of all content in the stream. */
  readonly text: (stream: string) => string
  /** Whether the stream ends with the format's terminal event. */
  readonly isWhole: (stream: string) => boolean
  /** Whether the last event is the format's error. */
  readonly isError: (stream: string) => boolean
}

const join = (pattern: RegExp, stream: string) =>
  [...stream.matchAll(pattern)].map(([, text]) => JSON.parse(`"${text}"`)).join('')

export const clientStreams: readonly ClientStream[] = [
  {
    name: 'chat',
    path: () => '/v1/chat/completions',
    body: (model) => ({ model, stream: true, messages: [{ role: 'user', content: 'Hi' }] }),
    text: (stream) => join(/"delta":\{[^}]*?"content":"((?:[^"\\]|\\.)*)"/g, stream),
    isWhole: (stream) => stream.includes('"finish_reason":"stop"') && stream.endsWith(done),
    isError: (stream) => /data: \{"error":\{[^\n]*\}\n\n$/.test(stream) && !stream.includes(done),
  },
  {
    name: 'messages',
    path: () => '/v1/messages',
    body: (model) => ({
      model,
      stream: true,
      max_tokens: 100,
      messages: [{ role: 'user', content: 'Hi' }],
    }),
    text: (stream) => join(/"type":"text_delta","text":"((?:[^"\\]|\\.)*)"/g, stream),
    isWhole: (stream) => /event: message_stop\ndata: [^\n]*\n\n$/.test(stream),
    isError: (stream) =>
      /event: error\ndata: \{"type":"error","error":\{[^\n]*\n\n$/.test(stream) &&
      !stream.includes('message_stop'),
  },
  {
    name: 'responses',
    path: () => '/v1/responses',
    body: (model) => ({ model, stream: true, input: 'Hi' }),
    text: (stream) =>
      [...stream.matchAll(/^data: (\{.*\})$/gm)]
        .map(([, line]) => JSON.parse(line ?? '') as { type: string; delta?: string })
        .filter(({ type }) => type === 'response.output_text.delta')
        .map(({ delta }) => delta)
        .join(''),
    isWhole: (stream) => /event: response\.completed\ndata: [^\n]*\n\n$/.test(stream),
    isError: (stream) =>
      /event: (?:response\.failed|error)\ndata: [^\n]*\n\n$/.test(stream) &&
      !stream.includes('response.completed'),
  },
  {
    name: 'generateContent',
    path: (model) => `/v1beta/models/${model}:streamGenerateContent?alt=sse`,
    body: () => ({ contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] }),
    text: (stream) => join(/"text":"((?:[^"\\]|\\.)*)"/g, stream),
    isWhole: (stream) => stream.includes('"finishReason":"STOP"'),
    isError: (stream) =>
      /data: \{"error":\{[^\n]*\r?\n\r?\n$/.test(stream) && !stream.includes('finishReason'),
  },
]
