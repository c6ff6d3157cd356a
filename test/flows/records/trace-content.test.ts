// Prompts and answers on spans: only if the settings and the key allow it, masked, by OpenTelemetry's conventions.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { granted } from '../../support/administrate.ts'
import { anthropicMessage, textBlock, toolUse } from '../../support/fakes/anthropic-wire.ts'
import { type FakeUpstream, fakeUpstream, json, sse } from '../../support/fakes/fake-upstream.ts'
import { chatReply, chunk, done, usageChunk } from '../../support/fakes/openai-wire.ts'
import { noSuchAddress } from '../../support/gateways/two-keys.ts'
import { type CollectedSpan, decodeSpans } from '../../support/servers/otlp.ts'
import { type Started, start, until } from '../../support/start.ts'

const mail = 'jane.doe@mail.example'

/** Takes what an OpenTelemetry collector takes over HTTP. */
async function openCollector() {
  const spans: CollectedSpan[] = []
  const server = createServer((request, response) => {
    void (async () => {
      const pieces: Buffer[] = []
      for await (const piece of request) pieces.push(piece as Buffer)
      spans.push(...decodeSpans(Buffer.concat(pieces)))
      response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end()
    })()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`,
    spans,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}

const settings = (upstream: FakeUpstream, endpoint: string, content: boolean) => ({
  providers: {
    up: { type: 'openai' as const, baseUrl: upstream.url, key: 'k' },
    claude: { type: 'anthropic' as const, baseUrl: upstream.url, key: 'k' },
  },
  telemetry: { traces: { endpoint, content } },
})

let upstream: FakeUpstream
let collector: Awaited<ReturnType<typeof openCollector>>
let gateway: Started
let kept: string
let silent: string
beforeAll(async () => {
  upstream = await fakeUpstream((seen, response) => {
    if (seen.path.endsWith('/responses')) return noSuchAddress(response)
    if (seen.path.endsWith('/messages'))
      return json(
        response,
        anthropicMessage([textBlock(`Ask ${mail}`), toolUse('toolu_1', 'look', { city: 'Bern' })]),
      )
    if (seen.body['stream'] !== true) return json(response, chatReply(`Write to ${mail}`))
    const events = [
      chunk({ role: 'assistant', content: 'Write to jane.' }),
      chunk({ content: 'doe@mail.example' }),
      chunk({}, 'stop'),
      usageChunk,
      done,
    ]
    return sse(response, events)
  })
  collector = await openCollector()
  gateway = await start(settings(upstream, collector.url, true))
  const key = (name: string, further: object) =>
    granted(gateway, 'POST /admin/v1/keys', { name, ...further })
  kept = (await key('kept', { contentLogging: true })).secret
  silent = (await key('silent', {})).secret
})
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await collector[Symbol.asyncDispose]()
  await upstream[Symbol.asyncDispose]()
})

/** The span of a call, by the id that its answer has. */
async function spanOf(answer: Response, of = collector): Promise<CollectedSpan['attributes']> {
  expect(answer.status).toBe(200)
  await answer.arrayBuffer()
  const id = answer.headers.get('x-request-id')
  const found = await until(
    () => of.spans.find(({ attributes }) => attributes['sluice.call.id'] === id),
    20_000,
  )
  return found.attributes
}

const textsOf = (attributes: CollectedSpan['attributes']) => ({
  input: JSON.parse(String(attributes['gen_ai.input.messages'])) as unknown,
  output: JSON.parse(String(attributes['gen_ai.output.messages'])) as unknown,
  system: attributes['gen_ai.system_instructions'],
})

const text = (content: string) => ({ type: 'text', content })

describe.each([false, true])('spans of chat (stream: %s)', (stream) => {
  const body = {
    model: 'up/m',
    stream,
    messages: [
      { role: 'system', content: 'Be short' },
      { role: 'user', content: `Who is ${mail}?` },
    ],
  }

  test('hold prompt and answer, masked', async () => {
    const answer = await gateway.post('/v1/chat/completions', body, { key: kept })
    const { input, output, system } = textsOf(await spanOf(answer))
    expect(input).toEqual([
      { role: 'system', parts: [text('Be short')] },
      { role: 'user', parts: [text('Who is [EMAIL]?')] },
    ])
    expect(output).toEqual([
      { role: 'assistant', parts: [text('Write to [EMAIL]')], finish_reason: 'stop' },
    ])
    expect(system).toBeUndefined()
    expect(JSON.stringify(collector.spans)).not.toContain('jane')
  })

  test('hold no content for a key without content logging', async () => {
    const answer = await gateway.post('/v1/chat/completions', body, { key: silent })
    const attributes = await spanOf(answer)
    expect(Object.keys(attributes).filter((name) => /messages|instructions/.test(name))).toEqual([])
  })
})

test('spans of Messages hold system, tool calls and results', async () => {
  const answer = await gateway.post(
    '/v1/messages',
    {
      model: 'claude/m',
      max_tokens: 64,
      system: 'Be kind',
      messages: [
        { role: 'user', content: 'Weather?' },
        {
          role: 'assistant',
          content: [{ type: 'tool_use', id: 'toolu_0', name: 'look', input: { city: 'Basel' } }],
        },
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: 'toolu_0', content: 'Rain' }],
        },
      ],
      tools: [{ name: 'look', input_schema: { type: 'object' } }],
    },
    { key: kept },
  )
  const { input, output, system } = textsOf(await spanOf(answer))
  expect(JSON.parse(String(system))).toEqual([text('Be kind')])
  expect(input).toEqual([
    { role: 'user', parts: [text('Weather?')] },
    {
      role: 'assistant',
      parts: [{ type: 'tool_call', id: 'toolu_0', name: 'look', arguments: { city: 'Basel' } }],
    },
    {
      role: 'user',
      parts: [{ type: 'tool_call_response', id: 'toolu_0', response: 'Rain' }],
    },
  ])
  expect(output).toEqual([
    {
      role: 'assistant',
      parts: [
        text('Ask [EMAIL]'),
        { type: 'tool_call', id: 'toolu_1', name: 'look', arguments: { city: 'Bern' } },
      ],
      finish_reason: 'tool_use',
    },
  ])
})

test.each([false, true])(
  'spans of Responses hold prompt and answer (stream: %s)',
  async (stream) => {
    const body = { model: 'up/m', stream, instructions: 'Be short', input: 'Who?' }
    const answer = await gateway.post('/v1/responses', body, { key: kept })
    const { input, output, system } = textsOf(await spanOf(answer))
    expect(JSON.parse(String(system))).toEqual([text('Be short')])
    expect(input).toEqual([{ role: 'user', parts: [text('Who?')] }])
    expect(output).toMatchObject([
      { role: 'assistant', parts: [text('Write to [EMAIL]')], finish_reason: 'completed' },
    ])
  },
)

test.each(['generateContent', 'streamGenerateContent?alt=sse'])(
  'spans of Gemini hold prompt and answer: %s',
  async (verb) => {
    const body = {
      systemInstruction: { parts: [{ text: 'Be short' }] },
      contents: [{ role: 'user', parts: [{ text: 'Who?' }] }],
    }
    const answer = await gateway.post(`/v1beta/models/up%2Fm:${verb}`, body, { key: kept })
    const { input, output, system } = textsOf(await spanOf(answer))
    expect(JSON.parse(String(system))).toEqual([text('Be short')])
    expect(input).toEqual([{ role: 'user', parts: [text('Who?')] }])
    expect(output).toMatchObject([
      { role: 'assistant', parts: [text('Write to [EMAIL]')], finish_reason: 'STOP' },
    ])
  },
)

test('truncates long content, and records none of embeddings', async () => {
  const long = 'word '.repeat(100_000)
  const body = { model: 'up/m', messages: [{ role: 'user', content: `${long}${mail}` }] }
  const answer = await gateway.post('/v1/chat/completions', body, { key: kept })
  const { input } = textsOf(await spanOf(answer))
  expect(JSON.stringify(input).length).toBeLessThan(80_000)
  const embedding = await gateway.post(
    '/v1/embeddings',
    { model: 'builtin-embed', input: 'secret-text' },
    { key: kept },
  )
  expect(JSON.stringify(await spanOf(embedding))).not.toContain('secret-text')
})

test('records no content unless the settings enable it', async () => {
  await using own = await openCollector()
  await using plain = await start(settings(upstream, own.url, false))
  const key = await granted(plain, 'POST /admin/v1/keys', { name: 'k', contentLogging: true })
  const body = { model: 'up/m', messages: [{ role: 'user', content: 'a-marker' }] }
  const answer = await plain.post('/v1/chat/completions', body, { key: key.secret })
  expect(JSON.stringify(await spanOf(answer, own))).not.toContain('a-marker')
})
