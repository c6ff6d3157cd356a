import { awsFrame } from '../support/fakes/aws-frames.ts'
import { anthropicStream } from '../support/fakes/upstream-streams.ts'
import { bytes, named, sse, type Words } from './words-form.ts'

export function messages(): Words {
  const head = { id: 'msg_up', type: 'message', role: 'assistant', model: 'm' }
  const said = (text: string) =>
    named({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })
  return {
    ...sse,
    id: 'messages',
    preamble: anthropicStream.preamble.filter((event) => !event.includes('event: ping')).map(bytes),
    content: [said('Hel'), said('lo')],
    ending: anthropicStream.ending.map(bytes),
    idle: named({ type: 'ping' }),
    unknown: named({ type: 'surprise' }),
    said,
    error: named({
      type: 'error',
      error: { type: 'overloaded_error', message: 'Out of capacity' },
    }),
    whole: bytes(
      JSON.stringify({
        ...head,
        content: [{ type: 'text', text: 'Hello' }],
        stop_reason: 'end_turn',
        stop_sequence: null,
        usage: { input_tokens: 7, output_tokens: 3 },
      }),
    ),
    refusal: bytes(
      JSON.stringify({
        type: 'error',
        error: { type: 'said', message: 'It cannot be done' },
        request_id: 'req_up',
      }),
    ),
  }
}

const geminiFragment = (text: string, further: object = {}) => ({
  candidates: [{ content: { role: 'model', parts: [{ text }] }, index: 0, ...further }],
  usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 3, totalTokenCount: 10 },
  modelVersion: 'm',
  responseId: 'up',
})
const geminiIdle = { usageMetadata: { promptTokenCount: 7, totalTokenCount: 7 }, responseId: 'up' }
const geminiError = { error: { code: 503, message: 'Out of capacity', status: 'UNAVAILABLE' } }
const geminiWhole = {
  whole: bytes(JSON.stringify(geminiFragment('Hello', { finishReason: 'STOP' }))),
  refusal: bytes(
    JSON.stringify({ error: { code: 499, message: 'It cannot be done', status: 'SAID' } }),
  ),
}

export function gemini(): Words {
  const event = (value: object) => bytes(`data: ${JSON.stringify(value)}\r\n\r\n`)
  const said = (text: string) => event(geminiFragment(text))
  return {
    ...sse,
    ...geminiWhole,
    id: 'gemini',
    preamble: [event(geminiIdle)],
    content: [said('Hel'), said('lo')],
    ending: [event(geminiFragment('', { finishReason: 'STOP' }))],
    idle: event(geminiIdle),
    unknown: event({ surprise: 1 }),
    said,
    error: event(geminiError),
  }
}

/** The same as the elements of one JSON array, which Gemini sends without `alt=sse`. */
export function geminiArray(): Words {
  const element = (value: object) => bytes(`,\r\n${JSON.stringify(value)}`)
  const said = (text: string) => element(geminiFragment(text))
  return {
    ...geminiWhole,
    id: 'gemini-array',
    contentType: 'application/json; charset=UTF-8',
    preamble: [bytes(`[${JSON.stringify(geminiIdle)}`)],
    content: [said('Hel'), said('lo')],
    ending: [element(geminiFragment('', { finishReason: 'STOP' })), bytes('\r\n]')],
    idle: element(geminiIdle),
    comment: bytes('\r\n'),
    broken: bytes(',\r\n{"broken": tru}'),
    unknown: element({ surprise: 1 }),
    said,
    error: element(geminiError),
  }
}

export function converse(): Words {
  const frame = (type: string, payload: object) =>
    awsFrame(
      { ':message-type': 'event', ':event-type': type, ':content-type': 'application/json' },
      JSON.stringify(payload),
    )
  const said = (text: string) =>
    frame('contentBlockDelta', { contentBlockIndex: 0, delta: { text } })
  // The checksum of its beginning is right, so that the next one is found, and that of the whole is wrong.
  const broken = Uint8Array.from(said('broken'))
  const last = broken.length - 1
  broken[last] = (broken[last] ?? 0) ^ 0xff
  const usage = { inputTokens: 7, outputTokens: 3, totalTokens: 10 }
  return {
    id: 'converse',
    contentType: 'application/vnd.amazon.eventstream',
    preamble: [frame('messageStart', { role: 'assistant' })],
    content: [said('Hel'), said('lo')],
    ending: [
      frame('contentBlockStop', { contentBlockIndex: 0 }),
      frame('messageStop', { stopReason: 'end_turn' }),
      frame('metadata', { usage, metrics: { latencyMs: 1 } }),
    ],
    idle: frame('ping', {}),
    comment: new Uint8Array(),
    broken,
    unknown: frame('surprise', {}),
    said,
    error: awsFrame(
      { ':message-type': 'exception', ':exception-type': 'serviceUnavailableException' },
      '{"message":"Out of capacity"}',
    ),
    whole: bytes(
      JSON.stringify({
        output: { message: { role: 'assistant', content: [{ text: 'Hello' }] } },
        stopReason: 'end_turn',
        usage,
        metrics: { latencyMs: 1 },
      }),
    ),
    refusal: bytes('{"message":"It cannot be done"}'),
  }
}

export function cohere(): Words {
  const event = (type: string, fields: object) => named({ type, ...fields })
  const said = (text: string) =>
    event('content-delta', { index: 0, delta: { message: { content: { text } } } })
  const usage = { tokens: { input_tokens: 7, output_tokens: 3 } }
  return {
    ...sse,
    id: 'cohere',
    preamble: [
      event('message-start', { id: 'up', delta: { message: { role: 'assistant' } } }),
      event('content-start', {
        index: 0,
        delta: { message: { content: { type: 'text', text: '' } } },
      }),
    ],
    content: [said('Hel'), said('lo')],
    ending: [
      event('content-end', { index: 0 }),
      event('message-end', { delta: { finish_reason: 'COMPLETE', usage } }),
    ],
    idle: event('debug', {}),
    unknown: event('surprise', {}),
    said,
    error: event('message-end', { delta: { finish_reason: 'ERROR', error: 'Out of capacity' } }),
    whole: bytes(
      JSON.stringify({
        id: 'up',
        finish_reason: 'COMPLETE',
        message: { role: 'assistant', content: [{ type: 'text', text: 'Hello' }] },
        usage,
      }),
    ),
    refusal: bytes('{"id":"up","message":"It cannot be done"}'),
  }
}
