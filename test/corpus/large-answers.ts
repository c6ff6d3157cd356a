// Answers of upstreams, and of the built-in engine, that cost much to read, to translate or to write.
import { chatReply, chunk } from '../support/fakes/openai-wire.ts'

/** A provider's id; `builtin` is the built-in engine. */
export type Upstream =
  | 'amazon-bedrock'
  | 'anthropic'
  | 'builtin'
  | 'cohere'
  | 'gemini'
  | 'openai'
  | 'openai-responses'

/** One answer that the gateway has to read, and mostly to write anew. */
export interface LargeAnswer {
  readonly name: string
  /** Which upstream answers. */
  readonly up: Upstream
  readonly path: string
  readonly body: object
  /** What the upstream sends; nothing of the built-in engine. */
  readonly answer?: () => string
  readonly contentType?: string
  /** So many attempts are refused with 503 before it. */
  readonly refusals?: number
  readonly status: number
  /** The caller speaks the upstream's format: its bytes come untouched. */
  readonly isPassed?: boolean
  /** At least so much comes to the caller, in bytes. */
  readonly bytesMin?: number
}

const megabyte = 1024 * 1024
const messages = [{ role: 'user', content: 'Hi' }]
const chat = { path: '/v1/chat/completions', body: { messages } }
const told = { path: '/v1/messages', body: { messages, max_tokens: 99 } }
const responses = { path: '/v1/responses', body: { input: 'Hi' } }
const picture = (megabytes: number) => 'aGkh'.repeat((megabytes * megabyte) / 4)

const gemini = (megabytes: number) => (): string =>
  JSON.stringify({
    candidates: [
      {
        content: {
          role: 'model',
          parts: [
            { text: 'Here.' },
            { inlineData: { mimeType: 'image/png', data: picture(megabytes) } },
          ],
        },
        finishReason: 'STOP',
        index: 0,
      },
    ],
    usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 3, totalTokenCount: 10 },
  })

const vector = Array.from({ length: 1_536 }, (_, index) => Math.sin(index))
const vectors = (): string => {
  const text = vector.join()
  const data = Array.from(
    { length: 1_000 },
    (_, index) => `{"index":${index},"embedding":[${text}]}`,
  )
  return `{"object":"list","data":[${data.join()}],"model":"m","usage":{"prompt_tokens":9,"total_tokens":9}}`
}
const geminiVectors = (): string => {
  const text = vector.join()
  // So many inputs are in one call.
  return `{"embeddings":[${Array.from({ length: 100 }, () => `{"values":[${text}]}`).join()}]}`
}

const drawn = (): string =>
  JSON.stringify({
    id: 'resp_1',
    object: 'response',
    created_at: 1,
    status: 'completed',
    model: 'm',
    error: null,
    output: [
      { type: 'image_generation_call', id: 'ig_1', status: 'completed', result: picture(12) },
    ],
    usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
  })

const chunked = (delta: object): string => `data: ${JSON.stringify(chunk(delta))}\n\n`
/** The first piece of a call, or one that follows. */
const piece = (index: number, text: string, further: object = {}): string =>
  chunked({ tool_calls: [{ index, function: { ...further, arguments: text } }] })
const named = (index: number, text: string): string => piece(index, text, { name: 'f' })
const streamed = (events: string): string =>
  `${events}data: ${JSON.stringify(chunk({}, 'tool_calls'))}\n\ndata: [DONE]\n\n`

const callStreams: readonly { readonly kind: string; readonly events: () => string }[] = [
  {
    kind: 'tens of thousands of calls',
    events: () => Array.from({ length: 30_000 }, (_, index) => named(index, '{"a":1}')).join(''),
  },
  {
    kind: 'a call beside another, each piece of which may be its last',
    events: () =>
      named(0, '{"a":"') +
      named(1, '{}') +
      piece(0, '}'.repeat(100)).repeat(9_000) +
      piece(0, '"}'),
  },
  {
    kind: 'words beside a large call',
    events: () =>
      named(0, `{"a":"${'x'.repeat(megabyte)}"}`) +
      named(1, '{') +
      chunked({ content: 'x' }).repeat(5_000) +
      piece(1, '}'),
  },
]

const words = 'word '.repeat(100_000)

export const largeAnswers: readonly LargeAnswer[] = [
  {
    name: 'a text',
    up: 'openai',
    ...chat,
    answer: () => JSON.stringify(chatReply('a\n'.repeat(10 * megabyte))),
    status: 200,
    isPassed: true,
  },
  {
    name: 'a text larger than any',
    up: 'openai',
    ...chat,
    answer: () => JSON.stringify(chatReply('a'.repeat(65 * megabyte))),
    status: 502,
  },
  {
    name: 'vectors',
    up: 'openai',
    path: '/v1/embeddings',
    body: { input: Array.from({ length: 1_000 }, () => 'Hi'), encoding_format: 'float' },
    answer: vectors,
    status: 200,
    isPassed: true,
  },
  {
    name: 'a picture',
    up: 'openai',
    path: '/v1/images/generations',
    body: { prompt: 'A cat' },
    answer: () => JSON.stringify({ created: 1, data: [{ b64_json: picture(20) }] }),
    status: 200,
    isPassed: true,
  },
  {
    name: 'values without number',
    up: 'openai',
    ...chat,
    answer: () =>
      JSON.stringify(chatReply('Hi')).replace('{', `{"x":[${'{},'.repeat(5 * megabyte)}{}],`),
    status: 502,
  },
  {
    name: 'broken JSON',
    up: 'openai',
    ...chat,
    answer: () => `{"x":"${'a'.repeat(20 * megabyte)}`,
    status: 502,
  },
  {
    name: 'a text for Messages',
    up: 'openai',
    ...told,
    answer: () => JSON.stringify(chatReply('ä\n'.repeat(10 * megabyte))),
    status: 200,
    bytesMin: 20 * megabyte,
  },
  {
    name: 'a picture of Gemini for chat',
    up: 'gemini',
    ...chat,
    answer: gemini(60),
    status: 200,
    bytesMin: 60 * megabyte,
  },
  {
    name: 'a picture of Gemini for Messages',
    up: 'gemini',
    ...told,
    answer: gemini(60),
    status: 200,
  },
  {
    name: 'a picture of Gemini for Responses',
    up: 'gemini',
    ...responses,
    answer: gemini(20),
    status: 200,
    bytesMin: 20 * megabyte,
  },
  {
    name: 'a picture of Gemini',
    up: 'gemini',
    path: '/v1beta/models/gemini%2Fm:generateContent',
    body: { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] },
    answer: gemini(60),
    status: 200,
    isPassed: true,
  },
  {
    name: 'a stored picture',
    up: 'openai',
    ...responses,
    answer: drawn,
    status: 200,
    isPassed: true,
  },
  {
    name: 'vectors of Gemini',
    up: 'gemini',
    path: '/v1/embeddings',
    body: { input: Array.from({ length: 1_000 }, () => 'Hi') },
    answer: geminiVectors,
    status: 200,
    bytesMin: 20 * megabyte,
  },
  {
    name: 'a stream with a picture',
    up: 'gemini',
    path: '/v1/chat/completions',
    body: { messages, stream: true },
    contentType: 'text/event-stream',
    answer: () => `data: ${gemini(4)()}\n\n`,
    status: 200,
    bytesMin: 4 * megabyte,
  },
  ...[
    { kind: 'text', text: () => 'ab\n '.repeat(3 * megabyte) },
    // Of which no half may stand alone.
    { kind: 'text of emoji', text: () => `a${'😀'.repeat(3 * megabyte)}` },
  ].map(({ kind, text }) => ({
    name: `a stream with a large ${kind} in one event for Responses`,
    up: 'gemini' as const,
    path: responses.path,
    body: { ...responses.body, stream: true },
    contentType: 'text/event-stream',
    answer: () =>
      `data: ${JSON.stringify({
        candidates: [
          { content: { role: 'model', parts: [{ text: text() }] }, finishReason: 'STOP' },
        ],
      })}\n\n`,
    status: 200,
    // The text is in five events.
    bytesMin: 60 * megabyte,
  })),
  ...[chat, told, responses].map(({ path, body }) => ({
    name: `a stream with a large picture for ${path}`,
    up: 'gemini' as const,
    path,
    body: { ...body, stream: true },
    contentType: 'text/event-stream',
    answer: () => `data: ${gemini(20)()}\n\n`,
    status: 200,
    bytesMin: 20 * megabyte,
  })),
  ...callStreams.flatMap(({ kind, events }) =>
    [
      { ...told, body: { ...told.body, stream: true } },
      {
        path: '/v1beta/models/openai%2Fm:streamGenerateContent?alt=sse',
        body: { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] },
      },
    ].map(({ path, body }) => ({
      name: `a stream of ${kind} for ${path}`,
      up: 'openai' as const,
      path,
      body,
      contentType: 'text/event-stream',
      answer: () => streamed(events()),
      status: 200,
      bytesMin: megabyte / 2,
    })),
  ),
  ...Object.entries({
    'empty lines': '\n'.repeat(4 * megabyte),
    'empty lines of two bytes': '\r\n'.repeat(2 * megabyte),
    'empty comments': `${':\n'.repeat(2 * megabyte)}\n`,
    'empty comments with a line each between': ':\n\n'.repeat(megabyte),
    'events without data': 'event\n\n'.repeat(megabyte / 2),
  }).map(([kind, lines]) => ({
    name: `a stream of ${kind}`,
    up: 'openai' as const,
    path: '/v1/messages',
    body: { ...told.body, stream: true },
    contentType: 'text/event-stream',
    answer: () => chunked({ content: 'Hi' }) + lines + streamed(''),
    status: 200,
  })),
  {
    name: 'a stream with a large picture of Gemini',
    up: 'gemini',
    path: '/v1beta/models/gemini%2Fm:streamGenerateContent?alt=sse',
    body: { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] },
    contentType: 'text/event-stream',
    answer: () => `data: ${gemini(20)()}\n\n`,
    status: 200,
    isPassed: true,
  },
  {
    name: 'a stream in an array with a large picture',
    up: 'gemini',
    path: '/v1beta/models/gemini%2Fm:streamGenerateContent',
    body: { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] },
    answer: () => `[${gemini(20)()}]`,
    status: 200,
    isPassed: true,
  },
  {
    name: 'a stream with a text larger than any',
    up: 'openai',
    path: '/v1/chat/completions',
    body: { messages, stream: true },
    contentType: 'text/event-stream',
    answer: () => `data: ${JSON.stringify(chunk({ content: 'a'.repeat(33 * megabyte) }))}\n\n`,
    status: 502,
  },
  {
    name: 'vectors of the built-in engine',
    up: 'builtin',
    path: '/v1/embeddings',
    body: {
      model: 'builtin-embed',
      input: Array.from({ length: 2_000 }, (_, index) => `Text ${index}`),
    },
    status: 200,
    bytesMin: 5 * megabyte,
  },
  {
    name: 'probabilities of an echo',
    up: 'builtin',
    path: '/v1/completions',
    body: { model: 'builtin-chat', prompt: words, echo: true, logprobs: 5, max_tokens: 5 },
    status: 200,
    bytesMin: 2 * megabyte,
  },
  {
    name: 'a stream of probabilities of an echo',
    up: 'builtin',
    path: '/v1/completions',
    body: {
      model: 'builtin-chat',
      prompt: words,
      echo: true,
      logprobs: 5,
      max_tokens: 5,
      stream: true,
    },
    status: 200,
    bytesMin: 2 * megabyte,
  },
]
