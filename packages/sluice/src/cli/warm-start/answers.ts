// What the upstream of a warm start answers: bodies as the providers of four client formats send them.
import { type WarmFormat } from './requests.ts'

export interface Answer {
  readonly whole: string
  /** The events of a stream, with their framing. */
  readonly events: readonly string[]
}

const pieces = Array.from({ length: 24 }, (_, index) => ` word ${index}${index % 6 ? '' : '\n'}`)
const text = pieces.join('').repeat(8)
const model = 'warm'
const createdAt = 1_760_000_000
const inputTokens = 400
const outputTokens = 24

const data = (value: object): string => `data: ${JSON.stringify(value)}\n\n`
const typed = (type: string, fields: object): string =>
  `event: ${type}\n${data({ type, ...fields })}`

const tokens = {
  prompt_tokens: inputTokens,
  completion_tokens: outputTokens,
  total_tokens: inputTokens + outputTokens,
}
const chunk = (choices: readonly object[], fields: object = {}): string =>
  data({
    id: 'chatcmpl-warm',
    object: 'chat.completion.chunk',
    created: createdAt,
    model,
    choices,
    ...fields,
  })
const delta = (content: object, finish: string | null = null): string =>
  chunk([{ index: 0, delta: content, logprobs: null, finish_reason: finish }])

const chat: Answer = {
  whole: JSON.stringify({
    id: 'chatcmpl-warm',
    object: 'chat.completion',
    created: createdAt,
    model,
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: text, refusal: null },
        logprobs: null,
        finish_reason: 'stop',
      },
    ],
    usage: tokens,
  }),
  events: [
    delta({ role: 'assistant', content: '', refusal: null }),
    ...pieces.map((content) => delta({ content })),
    delta({}, 'stop'),
    chunk([], { usage: tokens }),
    'data: [DONE]\n\n',
  ],
}

const message = { id: 'msg_warm', type: 'message', role: 'assistant', model }

const messages: Answer = {
  whole: JSON.stringify({
    ...message,
    content: [{ type: 'text', text }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: inputTokens, output_tokens: outputTokens },
  }),
  events: [
    typed('message_start', {
      message: {
        ...message,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: inputTokens, output_tokens: 1 },
      },
    }),
    typed('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    ...pieces.map((piece) =>
      typed('content_block_delta', { index: 0, delta: { type: 'text_delta', text: piece } }),
    ),
    typed('content_block_stop', { index: 0 }),
    typed('message_delta', {
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: { output_tokens: outputTokens },
    }),
    typed('message_stop', {}),
  ],
}

const part = { type: 'output_text', text, annotations: [], logprobs: [] }
const item = { id: 'msg_warm', type: 'message', role: 'assistant' }
const done = { ...item, status: 'completed', content: [part] }
const response = (status: string, output: readonly object[], usage: object | null): object => ({
  id: 'resp_warm',
  object: 'response',
  created_at: createdAt,
  status,
  error: null,
  incomplete_details: null,
  instructions: null,
  model,
  output,
  parallel_tool_calls: true,
  tool_choice: 'auto',
  tools: [],
  usage,
})
const completed = response('completed', [done], {
  input_tokens: inputTokens,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: outputTokens,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: inputTokens + outputTokens,
})
const inPart = { item_id: item.id, output_index: 0, content_index: 0 }
const responseEvents: readonly (readonly [string, object])[] = [
  ['response.created', { response: response('in_progress', [], null) }],
  ['response.in_progress', { response: response('in_progress', [], null) }],
  [
    'response.output_item.added',
    { output_index: 0, item: { ...item, status: 'in_progress', content: [] } },
  ],
  ['response.content_part.added', { ...inPart, part: { ...part, text: '' } }],
  ...pieces.map(
    (piece) => ['response.output_text.delta', { ...inPart, delta: piece, logprobs: [] }] as const,
  ),
  ['response.output_text.done', { ...inPart, text, logprobs: [] }],
  ['response.content_part.done', { ...inPart, part }],
  ['response.output_item.done', { output_index: 0, item: done }],
  ['response.completed', { response: completed }],
]

const responses: Answer = {
  whole: JSON.stringify(completed),
  events: responseEvents.map(([type, fields], index) =>
    typed(type, { sequence_number: index, ...fields }),
  ),
}

const generated = (said: string, count: number, fields: object = {}): object => ({
  candidates: [{ content: { parts: [{ text: said }], role: 'model' }, index: 0, ...fields }],
  usageMetadata: {
    promptTokenCount: inputTokens,
    candidatesTokenCount: count,
    totalTokenCount: inputTokens + count,
  },
  modelVersion: model,
  responseId: 'warm',
})
const finished = { finishReason: 'STOP' }

const gemini: Answer = {
  whole: JSON.stringify(generated(text, outputTokens, finished)),
  events: pieces.map((piece, index) =>
    data(generated(piece, index + 1, index + 1 === pieces.length ? finished : {})),
  ),
}

export const answers: Readonly<Record<WarmFormat, Answer>> = { chat, messages, responses, gemini }
