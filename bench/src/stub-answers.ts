import { stamp, stampLength } from './clock.ts'
import { documentsOf, type Format, framedEvents, type StreamKind } from './streams/streams.ts'

const text = 'word '.repeat(360)
const created = 1_760_000_000

export function wholeAnswer(body: object): Buffer {
  const bytes = JSON.stringify(body)
  return Buffer.from(
    `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(bytes)}\r\nx-request-id: req_bench\r\n\r\n${bytes}`,
  )
}

/** Head and body of a whole answer of 2 KB. */
export const wholeAnswers: Readonly<Record<'chat' | 'messages', Buffer>> = {
  chat: wholeAnswer({
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
    usage: { prompt_tokens: 400, completion_tokens: 360, total_tokens: 760 },
  }),
  messages: wholeAnswer({
    id: 'msg_bench',
    type: 'message',
    role: 'assistant',
    model: 'bench',
    content: [{ type: 'text', text }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 400, output_tokens: 360 },
  }),
}

const streamHead =
  'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-cache\r\nTransfer-Encoding: chunked\r\n\r\n'
const streamEnd = '0\r\n\r\n'

function framed(bytes: string): string {
  return `${Buffer.byteLength(bytes).toString(16)}\r\n${bytes}\r\n`
}

/** A stream in one write, with each event in a chunk of its own. */
export function burstOf(format: Format, documents: readonly string[]): Buffer {
  const chunks = framedEvents(format, documents).map(framed).join('')
  return Buffer.from(streamHead + chunks + streamEnd)
}

/** Bytes made ahead of one event of a paced stream; a stamp stands between both. Without text there is no stamp. */
export type PacedEvent = readonly [before: Buffer, after: Buffer | undefined]

export interface PacedStream {
  readonly head: Buffer
  readonly events: readonly PacedEvent[]
  readonly end: Buffer
}

const firstText = /"(?:content|text|delta)":"(?=[^"])/

/** A stream whose events are sent one at a time, their texts with the moment in which they are sent. */
export function pacedOf(kind: StreamKind, seed: number, length: number): PacedStream {
  const events = framedEvents(kind.format, documentsOf(kind, seed, length))
  const placeholder = stamp(0)
  return {
    head: Buffer.from(streamHead),
    events: events.map((event) => {
      const chunk = framed(event.replace(firstText, (before) => before + placeholder))
      const at = chunk.indexOf(placeholder)
      if (at < 0) return [Buffer.from(chunk), undefined]
      return [Buffer.from(chunk.slice(0, at)), Buffer.from(chunk.slice(at + stampLength))]
    }),
    end: Buffer.from(streamEnd),
  }
}
