import { stampLength } from './clock.ts'

/** How an upstream answers, in its own format, as bytes made ahead. */
export interface Answers {
  /** Head and body of a whole answer. */
  readonly whole: Buffer
  /** Head of a stream and what precedes the first content. */
  readonly begin: string
  /** What stands before and after the text of a content event, framing included. The text has `stampLength` bytes. */
  readonly content: readonly [before: string, after: string]
  /** All that follows the last content, end of the answer included. */
  readonly end: string
}

/** Content events of every stream. */
export const contentEvents = 50

const text = 'word '.repeat(360)
const created = 1_760_000_000
const usage = { prompt_tokens: 400, completion_tokens: 360, total_tokens: 760 }

function whole(body: object): Buffer {
  const bytes = JSON.stringify(body)
  return Buffer.from(
    `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(bytes)}\r\nx-request-id: req_bench\r\n\r\n${bytes}`,
  )
}

const streamHead =
  'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-cache\r\nTransfer-Encoding: chunked\r\n\r\n'

function framed(bytes: string): string {
  return `${Buffer.byteLength(bytes).toString(16)}\r\n${bytes}\r\n`
}

/** Framing and event around a text that is put in later. */
function around(event: (text: string) => string): readonly [string, string] {
  const placeholder = '#'.repeat(stampLength)
  const [before = '', after = ''] = framed(event(placeholder)).split(placeholder)
  return [before, after]
}

function openaiEvent(choices: readonly object[], further: object = {}): string {
  const chunk = { id: 'chatcmpl-bench', object: 'chat.completion.chunk', created, model: 'bench' }
  return `data: ${JSON.stringify({ ...chunk, choices, ...further })}\n\n`
}

const choice = (delta: object, finish: string | null = null) => [
  { index: 0, delta, finish_reason: finish },
]

/** OpenAI's chat completions. `asksForUsage` adds the chunk that `stream_options.include_usage` asks for. */
export function openaiAnswers(asksForUsage: boolean): Answers {
  return {
    whole: whole({
      id: 'chatcmpl-bench',
      object: 'chat.completion',
      created,
      model: 'bench',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: text, refusal: null },
          finish_reason: 'stop',
          logprobs: null,
        },
      ],
      usage,
    }),
    begin: streamHead + framed(openaiEvent(choice({ role: 'assistant', content: '' }))),
    content: around((content) => openaiEvent(choice({ content }))),
    end:
      framed(openaiEvent(choice({}, 'stop'))) +
      (asksForUsage ? framed(openaiEvent([], { usage })) : '') +
      framed('data: [DONE]\n\n') +
      '0\r\n\r\n',
  }
}

function anthropicEvent(event: { readonly type: string; readonly [field: string]: unknown }) {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
}

/** Anthropic's messages. */
export function anthropicAnswers(): Answers {
  const message = { id: 'msg_bench', type: 'message', role: 'assistant', model: 'bench' }
  const counted = { input_tokens: 400, output_tokens: 360 }
  return {
    whole: whole({
      ...message,
      content: [{ type: 'text', text }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: counted,
    }),
    begin:
      streamHead +
      framed(
        anthropicEvent({
          type: 'message_start',
          message: {
            ...message,
            content: [],
            stop_reason: null,
            stop_sequence: null,
            usage: { input_tokens: 400, output_tokens: 1 },
          },
        }),
      ) +
      framed(
        anthropicEvent({
          type: 'content_block_start',
          index: 0,
          content_block: { type: 'text', text: '' },
        }),
      ),
    content: around((piece) =>
      anthropicEvent({
        type: 'content_block_delta',
        index: 0,
        delta: { type: 'text_delta', text: piece },
      }),
    ),
    end:
      framed(anthropicEvent({ type: 'content_block_stop', index: 0 })) +
      framed(
        anthropicEvent({
          type: 'message_delta',
          delta: { stop_reason: 'end_turn', stop_sequence: null },
          usage: { output_tokens: 360 },
        }),
      ) +
      framed(anthropicEvent({ type: 'message_stop' })) +
      '0\r\n\r\n',
  }
}
