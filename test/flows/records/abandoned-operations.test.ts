// A caller that disconnects is charged for what arrived: thinking, tool arguments, transcripts, speech and images.

import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { UsageRecord } from '../../../packages/contract/src/core/usage.ts'
import { Delivery } from '../../../packages/gateway/src/attempt/delivery.ts'
import { type FakeUpstream, fakeUpstream, sse } from '../../support/fakes/fake-upstream.ts'
import { chunk } from '../../support/fakes/openai-wire.ts'
import { noSuchAddress } from '../../support/gateways/two-keys.ts'
import { ledger } from '../../support/ledger.ts'
import { type Started, start, until } from '../../support/start.ts'

const count = 100
const many = <T>(one: (index: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, index) => one(index))
const data = (value: object) => `data: ${JSON.stringify(value)}\n\n`
const named = (value: { readonly type: string }) => `event: ${value.type}\n${data(value)}`
/** Twelve characters, which are three tokens. */
const words = 'so and so on'
const opening = { id: 'c', type: 'function', function: { name: 'say', arguments: '' } }
const called = (piece: object) => data(chunk({ tool_calls: [{ index: 0, ...piece }] }))
const anthropicDelta = (delta: object) =>
  named({ type: 'content_block_delta', index: 0, delta } as never)
const anthropicStart = named({
  type: 'message_start',
  message: {
    id: 'm',
    type: 'message',
    role: 'assistant',
    model: 'x',
    content: [],
    stop_reason: null,
  },
} as never)
const geminiParts = (...parts: readonly object[]) =>
  data({
    candidates: [{ content: { role: 'model', parts }, index: 0 }],
    modelVersion: 'x',
    responseId: 'r',
  })
const item = (further: object) => ({
  type: 'function_call',
  id: 'fc',
  call_id: 'c',
  name: 'say',
  ...further,
})

const streams: Readonly<Record<string, readonly [type: string, events: readonly string[]]>> = {
  'arguments of OpenAI': [
    'openai',
    [called(opening), ...many(() => called({ function: { arguments: words } }))],
  ],
  'thoughts of OpenAI': ['openai', many(() => data(chunk({ reasoning_content: words } as never)))],
  'thoughts that are said twice': [
    'openai',
    many(() =>
      data(
        chunk({
          reasoning: words,
          reasoning_details: [{ type: 'reasoning.text', text: words, index: 0 }],
        } as never),
      ),
    ),
  ],
  'arguments of Anthropic': [
    'anthropic',
    [
      anthropicStart,
      named({
        type: 'content_block_start',
        index: 0,
        content_block: { type: 'tool_use', id: 't', name: 'say', input: {} },
      } as never),
      ...many(() => anthropicDelta({ type: 'input_json_delta', partial_json: words })),
    ],
  ],
  'thoughts of Anthropic, signed': [
    'anthropic',
    [
      anthropicStart,
      named({
        type: 'content_block_start',
        index: 0,
        content_block: { type: 'thinking', thinking: '', signature: '' },
      } as never),
      ...many(() => anthropicDelta({ type: 'thinking_delta', thinking: words })),
      anthropicDelta({ type: 'signature_delta', signature: 'c2ln'.repeat(2_000) }),
    ],
  ],
  'calls of Gemini among thoughts': [
    'gemini',
    [
      ...many(() => geminiParts({ text: words, thought: true })).slice(0, count / 2),
      ...many(() => geminiParts({ functionCall: { name: 'say', args: { a: 'b"}' } } })).slice(
        0,
        count / 2,
      ),
    ],
  ],
  'a large call after small words': [
    'gemini',
    [
      ...many(() => geminiParts({ text: 'so' })).slice(0, 20),
      geminiParts({
        functionCall: { name: 'write', args: { text: words.repeat(99) } },
        thoughtSignature: 'c2ln'.repeat(9_000),
      }),
    ],
  ],
  'arguments of Responses, with what says them again': [
    'openai-responses',
    [
      named({
        type: 'response.created',
        response: { id: 'resp_1', status: 'in_progress', output: [] },
      } as never),
      named({
        type: 'response.output_item.added',
        output_index: 0,
        item: item({ arguments: '' }),
      } as never),
      ...many(() =>
        named({
          type: 'response.function_call_arguments.delta',
          item_id: 'fc',
          output_index: 0,
          delta: words,
        } as never),
      ),
      named({
        type: 'response.function_call_arguments.done',
        item_id: 'fc',
        output_index: 0,
        arguments: words.repeat(count),
      } as never),
      named({
        type: 'response.output_item.done',
        output_index: 0,
        item: item({ arguments: words.repeat(count), status: 'completed' }),
      } as never),
    ],
  ],
  'a plan and arguments of Cohere': [
    'cohere',
    [
      data({ type: 'message-start', id: 'm', delta: { message: { role: 'assistant' } } }),
      ...many(() => data({ type: 'tool-plan-delta', delta: { message: { tool_plan: words } } })),
    ],
  ],
}

/** Calls that were looked at. */
const known = new Set<string>()
/** How long nothing more has to come after all was sent, in milliseconds. */
const quietMs = 100

/** Asks, reads what comes until all was sent, and leaves. */
async function leave(
  gateway: Started,
  body: object,
  further: { path?: string; sent: Promise<unknown> },
): Promise<UsageRecord> {
  const { path = '/v1/chat/completions', sent } = further
  const leaving = new AbortController()
  const { signal } = leaving
  const answer = await (body instanceof FormData
    ? gateway.request(path, { method: 'POST', body, signal })
    : gateway.post(path, body, { signal }))
  expect(answer.status).toBe(200)
  const reader = answer.body!.getReader()
  let cameAt: number | undefined
  const reading = (async () => {
    while (!(await reader.read()).done) cameAt = performance.now()
  })().catch(() => {})
  await sent
  await until(() => cameAt !== undefined && performance.now() - cameAt > quietMs)
  leaving.abort()
  await reading
  const record = await until(async () =>
    (await ledger(gateway)).find(
      ({ outcome, callId }) => outcome === 'cancelled' && !known.has(callId),
    ),
  )
  known.add(record.callId)
  expect(record).toMatchObject({ outcome: 'cancelled', reported: false })
  return record
}

const messages = [{ role: 'user', content: 'Say it a hundred times. '.repeat(20) }]
const bodies: Readonly<Record<string, readonly [path: (model: string) => string, body: object]>> = {
  chat: [() => '/v1/chat/completions', { stream: true, messages }],
  messages: [() => '/v1/messages', { stream: true, max_tokens: 9_999, messages }],
  responses: [() => '/v1/responses', { stream: true, input: messages, store: false }],
  gemini: [
    (model) => `/v1beta/models/${encodeURIComponent(model)}:streamGenerateContent?alt=sse`,
    { contents: [{ role: 'user', parts: [{ text: messages[0]!.content }] }] },
  ],
}

const heldPackage = join(import.meta.dirname, '../../support/fakes/paused-package.ts')
let upstream: FakeUpstream
let gateway: Started
let all = Promise.withResolvers<void>()
const names = Object.keys(streams)

beforeAll(async () => {
  upstream = await fakeUpstream(async ({ path, text }, response) => {
    const [, place] = /stream-(\d+)/.exec(path + text) ?? []
    const [type, events] = streams[names[Number(place)] ?? ''] ?? further
    if (type === 'openai' && path.endsWith('/responses')) return noSuchAddress(response)
    await sse(response, [...events], { end: false })
    all.resolve()
  })
  const types = [...new Set(Object.values(streams).map(([type]) => type))]
  const upstreams = types.map((type) => [type, { type, baseUrl: upstream.url, key: 'k' }])
  gateway = await start(
    {
      builtin: { enabled: 'always' },
      providers: {
        ...Object.fromEntries(upstreams),
        held: { type: 'ai-sdk', package: heldPackage },
      },
    },
    // Where a format tells arguments in one piece alone, the answer begins with a sign of life.
    { streamTimes: { keepAliveMs: 150, stalledMs: 300_000 } },
  )
})
beforeEach(() => {
  all = Promise.withResolvers()
})
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await upstream[Symbol.asyncDispose]()
})

test.each(
  names.flatMap((name, place) =>
    Object.entries(bodies).map(([format, [path, body]]) => ({ name, format, path, body, place })),
  ),
)(
  'charges an abandoned stream of $name, requested as $format',
  async ({ name, path, body, place }) => {
    const model = `${streams[name]![0]}/stream-${place}`
    const record = await leave(
      gateway,
      { model, ...body },
      { path: path(model), sent: all.promise },
    )
    expect(record).toMatchObject({ estimated: true, model: `stream-${place}` })
    expect(record.outputTokens).toBeGreaterThanOrEqual(240)
    expect(record.outputTokens).toBeLessThan(380)
    expect(record.inputTokens).toBeGreaterThan(90)
  },
)

test('does not charge fields of a request other than its prompt', async () => {
  const body = { model: 'openai/stream-0', stream: true, messages }
  const path = '/v1/chat/completions'
  const plain = await leave(gateway, body, { path, sent: all.promise })
  all = Promise.withResolvers()
  const naming = {
    ...body,
    model: 'openai/stream-0-which-has-a-rather-long-name',
    user: 'somebody with a long name',
    metadata: { note: words.repeat(9) },
    prompt_cache_key: words,
  }
  const named = await leave(gateway, naming, { path, sent: all.promise })
  expect(named.model).toBe('stream-0-which-has-a-rather-long-name')
  expect(named.inputTokens).toBe(plain.inputTokens)
})

/** What streams of other operations say before somebody leaves. */
let further: readonly [type: string, events: readonly string[]] = ['openai', []]
const tell = (...events: readonly object[]) => {
  further = ['openai', events.map((event) => named(event as never))]
}

const form = (fields: Readonly<Record<string, string>>): FormData => {
  const filled = new FormData()
  for (const [name, value] of Object.entries(fields)) filled.append(name, value)
  filled.append('file', new Blob([new Uint8Array(90_000)], { type: 'audio/wav' }), 'a.wav')
  return filled
}

test('charges an abandoned transcription by its text', async () => {
  tell(...many(() => ({ type: 'transcript.text.delta', delta: words })))
  const body = form({ model: 'openai/listens', stream: 'true', prompt: 'Names: Ada, Grace' })
  const record = await leave(gateway, body, { path: '/v1/audio/transcriptions', sent: all.promise })
  expect(record).toMatchObject({ estimated: true, outputTokens: 300 })
  expect(record.inputTokens).toBeLessThan(20)
})

test('charges abandoned speech by its input', async () => {
  tell({ type: 'speech.audio.delta', audio: 'AAAA' })
  const body = {
    model: 'openai/speaks',
    input: 'Good morning',
    voice: 'alloy',
    stream_format: 'sse',
  }
  const record = await leave(gateway, body, { path: '/v1/audio/speech', sent: all.promise })
  expect(record).toMatchObject({ characters: 12 })
})

test('charges abandoned images once the first preview arrived', async () => {
  tell({ type: 'image_generation.partial_image', b64_json: 'AAAA', partial_image_index: 0 })
  const body = { model: 'openai/draws', prompt: 'A cat', stream: true, partial_images: 1, n: 2 }
  const record = await leave(gateway, body, { path: '/v1/images/generations', sent: all.promise })
  expect(record).toMatchObject({ estimated: true, images: 2 })
})

test('estimates an abandoned stream of an AI SDK package', async () => {
  const body = { model: 'held/m', stream: true, messages }
  const record = await leave(gateway, body, { sent: Promise.resolve() })
  expect(record).toMatchObject({ estimated: true, outputTokens: 1 })
  expect(record.inputTokens).toBeGreaterThan(90)
})

const chunkOf = (delta: object) => ({ event: { choices: [{ index: 0, delta }] } })

test.each<[string, object, number]>([
  ['a text', chunkOf({ content: 'größer' }), 8],
  ['reasoning', chunkOf({ reasoning_content: 'hm' }), 2],
  ['a refusal', chunkOf({ refusal: 'no' }), 2],
  [
    'a tool call',
    chunkOf({ tool_calls: [{ index: 0, function: { name: 'say', arguments: '{}' } }] }),
    5,
  ],
  [
    'a custom call',
    chunkOf({ tool_calls: [{ index: 0, custom: { name: 'say', input: 'hi' } }] }),
    5,
  ],
  ['the transcript of audio', chunkOf({ audio: { transcript: 'hi', data: 'AAAA' } }), 2],
  ['a text completion', { event: { choices: [{ index: 0, text: 'hi' }] } }, 2],
  ['a transcript', { event: { type: 'transcript.text.delta', delta: 'hi' } }, 2],
  ['the finish reason', chunkOf({}), 0],
  ['usage', { usage: { inputTokens: 1, outputTokens: 1 } }, 0],
])('counts the bytes of %s in an engine’s steps', (_name, step, bytes) => {
  const delivery = new Delivery()
  delivery.add(step as never)
  expect(delivery).toMatchObject({ textBytes: bytes, events: bytes > 0 ? 1 : 0 })
})
