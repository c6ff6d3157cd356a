import { describe, expect, it } from 'vitest'
import { passes } from '../../../test/support/passes.ts'
import { codecContext, eventsInPieces, received } from '../../../test/support/codec-context.ts'
import { answerOf } from '../../../test/support/formats/chat-answer.ts'
import { readStream } from '../../../test/support/formats/read-stream.ts'
import type { ChatRequest } from '../../contract/src/operations/chat-request.ts'
import { anthropic } from '../src/anthropic/index.ts'
import { chat } from '../src/anthropic/upstream/chat.ts'
import { carry } from '../src/carried-reasoning.ts'

const request: ChatRequest = { model: 'm', messages: [{ role: 'user', content: 'Hello' }] }

type Event = { readonly type: string } & Readonly<Record<string, unknown>>

function start(
  usage: object = { input_tokens: 5, output_tokens: 1 },
  content: object[] = [],
): Event {
  return { type: 'message_start', message: { id: 'msg_1', type: 'message', content, usage } }
}
const block = (index: number, content_block: object): Event => ({
  type: 'content_block_start',
  index,
  content_block,
})
const delta = (index: number, piece: object): Event => ({
  type: 'content_block_delta',
  index,
  delta: piece,
})
const stop = (index: number): Event => ({ type: 'content_block_stop', index })
const finish = (stop_reason: string | null, usage: object = { output_tokens: 9 }): Event => ({
  type: 'message_delta',
  delta: { stop_reason, stop_sequence: null },
  usage,
})
const done: Event = { type: 'message_stop' }
const text = (words: string): Event[] => [
  block(0, { type: 'text', text: '' }),
  delta(0, { type: 'text_delta', text: words }),
  stop(0),
]

function read(events: readonly (Event | string)[], asked: ChatRequest = request) {
  return readStream(chat.stream!, {
    events: events.map((event) =>
      typeof event === 'string'
        ? { event: '', data: event }
        : { event: event.type, data: JSON.stringify(event) },
    ),
    context: codecContext(),
    request: asked,
  })
}

describe('a stream of the Messages API', () => {
  it('numbers calls rather than blocks, and joins input split anywhere', () => {
    const input = '{"q":"größer \\ud83d\\ude00","n":12345678901234567890}'
    const pieces = [...input].map((partial_json) =>
      delta(2, { type: 'input_json_delta', partial_json }),
    )
    const { steps } = read([
      start(),
      ...text('Look:'),
      block(1, { type: 'server_tool_use', id: 's', name: 'web_search', input: {} }),
      delta(1, { type: 'input_json_delta', partial_json: '{"query":"x"}' }),
      stop(1),
      block(2, { type: 'tool_use', id: 'toolu_1', name: 'find', input: {} }),
      ...pieces,
      stop(2),
      block(3, { type: 'tool_use', id: 'toolu_2', name: 'now', input: {} }),
      stop(3),
      finish('tool_use'),
      done,
    ])
    expect(answerOf(steps)).toMatchObject({
      text: 'Look:',
      finish: 'tool_calls',
      calls: [
        { id: 'toolu_1', name: 'find', input },
        { id: 'toolu_2', name: 'now', input: '{}' },
      ],
    })
  })

  it('reads input in content_block_start', () => {
    const { steps } = read([
      start(),
      block(0, { type: 'tool_use', id: 't', name: 'find', input: { q: 1 } }),
      stop(0),
      finish('tool_use'),
    ])
    expect(answerOf(steps).calls[0]?.input).toBe('{"q":1}')
  })

  it('reads thinking and signature in content_block_start', () => {
    const { steps } = read([
      start(),
      block(0, { type: 'thinking', thinking: 'Hm', signature: 'Eq' }),
      delta(0, { type: 'thinking_delta', thinking: '?' }),
      delta(0, { type: 'signature_delta', signature: 'QB' }),
      stop(0),
      block(1, { type: 'thinking', thinking: '', signature: 'Er' }),
      stop(1),
      block(2, { type: 'redacted_thinking', data: 'xyz' }),
      stop(2),
      ...text('Hi').map((event) => ({ ...event, index: 3 })),
      finish('end_turn'),
      done,
    ])
    const deltas = steps.flatMap((step) => ('event' in step ? step.event.choices : []))
    expect(deltas.flatMap(({ delta: { thinking_blocks: blocks } }) => blocks ?? [])).toEqual([
      { type: 'thinking', thinking: 'Hm?', signature: 'EqQB' },
      { type: 'thinking', thinking: '', signature: 'Er' },
      { type: 'redacted_thinking', data: 'xyz' },
    ])
  })

  it('reads blocks in message_start', () => {
    const { steps, verdicts } = read([
      start(undefined, [
        { type: 'text', text: 'Hi' },
        { type: 'tool_use', id: 't', name: 'find', input: { q: 1 } },
      ]),
      finish('tool_use'),
      done,
    ])
    expect(verdicts[0]).toBe('content')
    expect(answerOf(steps)).toMatchObject({ text: 'Hi', calls: [{ id: 't', input: '{"q":1}' }] })
  })

  it('replaces usage and keeps fields that later events omit', () => {
    const { steps, usage } = read([
      start({
        input_tokens: 3,
        cache_read_input_tokens: 40,
        cache_creation_input_tokens: 7,
        output_tokens: 1,
      }),
      ...text('Hi'),
      finish(null, { output_tokens: 4 }),
      finish('end_turn', { input_tokens: null, output_tokens: 9 }),
      done,
    ])
    const expected = {
      inputTokens: 50,
      outputTokens: 9,
      cachedInputTokens: 40,
      cacheWriteTokens: 7,
    }
    expect(usage).toEqual(expected)
    expect(steps.filter((step) => 'usage' in step).at(-1)).toEqual({ usage: expected })
  })

  it('ignores unknown events, blocks and deltas', () => {
    const { steps, verdicts } = read([
      start(),
      { type: 'ping' },
      { type: 'message_pause', why: 'new' },
      block(0, { type: 'hologram', shape: 'cube' }),
      delta(0, { type: 'hologram_delta', shape: 'sphere' }),
      stop(0),
      block(1, { type: 'text', text: 'A' }),
      delta(1, { type: 'text_delta', text: 'B' }),
      stop(1),
      finish('pause_turn'),
      done,
    ])
    expect(verdicts).not.toContain('garbage')
    expect(answerOf(steps)).toMatchObject({ text: 'AB', finish: 'stop' })
  })

  it('skips an unreadable event', () => {
    const { steps, verdicts } = read([
      start(),
      '{"type":"content_block',
      ...text('Hi'),
      finish('end_turn'),
      done,
    ])
    expect(verdicts[1]).toBe('garbage')
    expect(answerOf(steps)).toMatchObject({ text: 'Hi', finish: 'stop' })
  })

  it('has no finish reason if it breaks off', () => {
    const { steps, verdicts } = read([start(), ...text('Hi')])
    expect(verdicts).not.toContain('finish')
    expect(answerOf(steps).finish).toBeUndefined()
  })

  it('reads CRLF and a last event without a blank line', async () => {
    const events = [start(), ...text('Grüße 👋'), finish('end_turn'), done]
    const wire = events
      .map((event) => `event: ${event.type}\r\ndata: ${JSON.stringify(event)}`)
      .join('\r\n\r\n')
    for (const size of [1, 7, 4096]) {
      const { steps, verdicts } = readStream(chat.stream!, {
        events: eventsInPieces(wire, size),
        context: codecContext(),
        request,
      })
      expect(verdicts.at(-1)).toBe('terminal')
      expect(answerOf(steps)).toMatchObject({ text: 'Grüße 👋', finish: 'stop' })
    }
  })

  it('keeps the position of citations', () => {
    const citation = { type: 'page_location', document_title: 'Report', cited_text: 'four' }
    const { steps } = read([
      start(),
      ...text('It is '),
      block(1, { type: 'text', text: '' }),
      delta(1, { type: 'text_delta', text: 'four' }),
      delta(1, { type: 'citations_delta', citation }),
      stop(1),
      finish('end_turn'),
      done,
    ])
    expect(answerOf(steps).annotations).toEqual([
      {
        type: 'file_citation',
        file_citation: { start_index: 6, end_index: 10, title: 'Report', quote: 'four' },
      },
    ])
  })

  it.each([
    ['overloaded_error', 'upstream_unavailable', 503],
    ['api_error', 'upstream_unavailable', 503],
    ['rate_limit_error', 'upstream_rate_limited', 429],
    ['invalid_request_error', 'upstream_rejected', 400],
    ['request_too_large', 'upstream_rejected', 413],
    ['authentication_error', 'upstream_refused_us', 502],
    ['timeout_error', 'upstream_timeout', 504],
    ['an_error_of_tomorrow', 'upstream_unavailable', 503],
  ])('maps the error event %s to %s', (type, code, status) => {
    const { error, steps } = read([
      start(),
      ...text('Hi'),
      { type: 'error', error: { type, message: 'No' } },
      finish('end_turn'),
    ])
    expect(error).toMatchObject({ code, status, message: 'No', details: { upstreamCode: type } })
    expect(answerOf(steps).finish).toBeUndefined()
  })
})

describe('whole answers', () => {
  const decode = (body: unknown) =>
    chat.decode(received(JSON.stringify(body)), codecContext(), request)

  it('throws the error in a body with status 200', () => {
    const error = { type: 'rate_limit_error', message: 'Slow down' }
    expect(() => decode({ type: 'error', error })).toThrow(
      expect.objectContaining({ code: 'upstream_rate_limited', message: 'Slow down' }),
    )
  })

  it.each(['<html>', '"text"', '[]', '{}', '{"content":"text"}'])('rejects the body %s', (body) => {
    expect(() => chat.decode(received(body), codecContext(), request)).toThrow(
      expect.objectContaining({ code: 'upstream_garbled' }),
    )
  })

  it.each([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['pause_turn', 'stop'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['refusal', 'content_filter'],
    [null, 'stop'],
    ['new_reason', 'stop'],
  ])('maps stop_reason %s to %s', (stop_reason, reason) => {
    const { reply } = decode({ content: [{ type: 'text', text: 'Hi' }], stop_reason })
    expect(reply.choices[0]?.finish_reason).toBe(reason)
  })

  it('has no usage if the upstream reports none', () => {
    const { usage, reply } = decode({ content: [], stop_reason: 'end_turn' })
    expect(usage).toBeUndefined()
    expect(reply.usage.total_tokens).toBe(0)
    expect(reply.choices[0]?.message.content).toBe('')
  })
})

it.each([
  ['{"error":"no such host"}', { message: 'no such host' }],
  ['<html>502</html>', { message: 'The upstream answered with status 502' }],
  ['{}', { message: 'The upstream answered with status 502' }],
  [
    '{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 1 > 0"}}',
    { message: 'prompt is too long: 1 > 0', code: 'context_length_exceeded' },
  ],
])('parses the error body %s', (body, failure) => {
  expect(anthropic.failure(received(body, { status: 502 }))).toEqual(failure)
})

it('lists models with their limits', () => {
  const data = [
    {
      type: 'model',
      id: 'claude-a',
      display_name: 'A',
      max_input_tokens: 200_000,
      max_tokens: 64_000,
    },
    { type: 'model', id: 'claude-b', max_tokens: null, lifecycle: 'active' },
    { type: 'model', id: 'claude-c', lifecycle: 'retired' },
    { type: 'model' },
  ]
  const models = anthropic.models!
  expect(models.path).toBe('/v1/models?limit=1000')
  expect(models.decode({ data, has_more: false })).toEqual([
    { id: 'claude-a', displayName: 'A', inputTokenLimit: 200_000, outputTokenLimit: 64_000 },
    { id: 'claude-b' },
  ])
  expect(models.decode('nothing')).toEqual([])
})

describe('Messages passed through', () => {
  const body = new TextEncoder().encode('{"model":"claude"}')
  const call = { body, model: 'claude', stream: true, settings: {}, query: 'beta=true' }

  it('use the endpoint’s path and the caller’s version and betas only', () => {
    const headers = {
      'anthropic-beta': 'a,b',
      'anthropic-version': '2023-06-01',
      'x-api-key': 'no',
    }
    expect(anthropic.native.messages?.request({ ...call, headers })).toEqual({
      method: 'POST',
      path: '/v1/messages?beta=true',
      headers: { 'anthropic-version': '2023-06-01', 'anthropic-beta': 'a,b' },
      body: { kind: 'bytes', contentType: 'application/json', bytes: body },
    })
    expect(
      anthropic.native.messagesCountTokens?.request({ ...call, query: '', headers: {} }),
    ).toMatchObject({ path: '/v1/messages/count_tokens', headers: {} })
  })

  it('are translated instead if they contain foreign reasoning', () => {
    const fits = (block: object) =>
      passes(anthropic.native.messages!, { messages: [{ role: 'assistant', content: [block] }] })
    expect(fits({ type: 'thinking', thinking: 'Hm', signature: 'EqQB' })).toBe(true)
    expect(fits({ type: 'redacted_thinking', data: 'EmwK' })).toBe(true)
    expect(fits({ type: 'text', text: 'x' })).toBe(true)
    expect(fits({ type: 'thinking', thinking: 'Hm', signature: '' })).toBe(false)
    const carried = carry({ type: 'reasoning', id: 'rs_1' })
    expect(fits({ type: 'thinking', thinking: 'Hm', signature: carried })).toBe(false)
    expect(fits({ type: 'redacted_thinking', data: carried })).toBe(false)
    expect(passes(anthropic.native.messages!, { messages: [{ role: 'user', content: 'x' }] })).toBe(
      true,
    )
  })

  it('report the usage of a whole answer', () => {
    const usage = { input_tokens: 1, cache_read_input_tokens: 2, output_tokens: 3 }
    const { read } = anthropic.native.messages!.inspect({})
    expect(read({ usage }).usage).toEqual({
      inputTokens: 3,
      outputTokens: 3,
      cachedInputTokens: 2,
    })
    expect(read({}).usage).toBeUndefined()
    const counting = anthropic.native.messagesCountTokens!.inspect({})
    expect(counting.read({ input_tokens: 5 }).usage).toBeUndefined()
  })
})
