// Spans as an OpenTelemetry collector receives them.

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type FakeUpstream, fakeUpstream, json, sse } from '../../support/fakes/fake-upstream.ts'
import { chatReply, textStream } from '../../support/fakes/openai-wire.ts'
import { type CollectedSpan, decodeSpans } from '../../support/servers/otlp.ts'
import { type Started, start, until } from '../../support/start.ts'

interface Collector extends AsyncDisposable {
  readonly url: string
  readonly spans: CollectedSpan[]
  readonly headers: Record<string, string | string[] | undefined>[]
}

/** Takes what an OpenTelemetry collector takes over HTTP. */
async function openCollector(): Promise<Collector> {
  const spans: CollectedSpan[] = []
  const headers: Collector['headers'] = []
  const server = createServer((request, response) => {
    void (async () => {
      const pieces: Buffer[] = []
      for await (const piece of request) pieces.push(piece as Buffer)
      headers.push({ path: request.url, ...request.headers })
      spans.push(...decodeSpans(Buffer.concat(pieces)))
      response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end()
    })()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    headers,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}

const settings = (upstream: FakeUpstream, endpoint: string, ratio = 1) => ({
  providers: { up: { type: 'openai' as const, baseUrl: upstream.url, key: 'k' } },
  prices: { 'up/*': { input: 2, output: 10 } },
  defaults: { retries: { attempts: 2, baseMs: 1, maxMs: 1 } },
  telemetry: {
    traces: { endpoint: `${endpoint}/v1/traces`, headers: { 'x-tenant': 'one' }, ratio },
  },
})

const marker = 'a-prompt-that-nobody-else-writes'
const body = { model: 'up/gpt', messages: [{ role: 'user', content: marker }] }
const parentId = '00f067aa0ba902b7'
const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'

describe('each call', () => {
  let upstream: FakeUpstream
  let collector: Collector
  let gateway: Started
  beforeAll(async () => {
    collector = await openCollector()
    upstream = await fakeUpstream(() => {})
    gateway = await start(settings(upstream, collector.url))
  })
  afterAll(async () => {
    await gateway[Symbol.asyncDispose]()
    await upstream[Symbol.asyncDispose]()
    await collector[Symbol.asyncDispose]()
  })
  beforeEach(() => {
    upstream.answer((seen, response) =>
      seen.body['stream'] === true ? sse(response, textStream) : json(response, chatReply('Hello')),
    )
  })

  /** The spans of the trace of the call with this id, once its own has come. */
  async function spansOf(response: Response): Promise<readonly CollectedSpan[]> {
    await response.text()
    const id = response.headers.get('x-request-id')
    const own = await until(
      () => collector.spans.find(({ attributes }) => attributes['sluice.call.id'] === id),
      10_000,
    )
    return collector.spans.filter((span) => span.traceId === own.traceId)
  }

  test('has a span with a child per attempt in the caller’s trace', async () => {
    const response = await gateway.post('/v1/chat/completions', body, {
      headers: { traceparent: `00-${traceId}-${parentId}-01`, tracestate: 'vendor=1,other=2' },
    })
    const [sent] = upstream.seen.slice(-1)
    const spans = await spansOf(response)
    expect(spans).toHaveLength(2)
    const call = spans.find(({ kind }) => kind === 'SERVER')!
    const attempt = spans.find(({ kind }) => kind === 'CLIENT')!
    expect(call).toMatchObject({
      traceId,
      parentSpanId: parentId,
      name: 'chat up/gpt',
      status: 'UNSET',
      attributes: {
        'http.request.method': 'POST',
        'url.path': '/v1/chat/completions',
        'http.response.status_code': 200,
        'gen_ai.operation.name': 'chat',
        'gen_ai.request.model': 'up/gpt',
        'gen_ai.response.model': 'gpt',
        'gen_ai.provider.name': 'up',
        'gen_ai.usage.input_tokens': 7,
        'gen_ai.usage.output_tokens': 3,
        'sluice.attempts': 1,
        'sluice.cost_usd': 0.000044,
      },
    })
    expect(attempt).toMatchObject({
      traceId,
      parentSpanId: call.spanId,
      name: 'chat gpt',
      attributes: {
        'gen_ai.request.model': 'gpt',
        'gen_ai.usage.output_tokens': 3,
        'sluice.outcome': 'completed',
      },
    })
    expect(sent?.headers['traceparent']).toBe(`00-${traceId}-${attempt.spanId}-01`)
    expect(sent?.headers['tracestate']).toBe('vendor=1,other=2')
    expect(attempt.startMs).toBeGreaterThanOrEqual(call.startMs - 2)
    expect(attempt.endMs).toBeLessThanOrEqual(call.endMs + 2)
    expect(call.resource).toMatchObject({ 'service.name': 'sluice' })
    expect(JSON.stringify(collector.spans)).not.toContain(marker)
  })

  test('records the time to the first token of a stream', async () => {
    const response = await gateway.post('/v1/chat/completions', { ...body, stream: true })
    const spans = await spansOf(response)
    for (const span of spans)
      expect(span.attributes['sluice.time_to_first_token_ms']).toBeGreaterThanOrEqual(0)
    expect(spans).toHaveLength(2)
  })

  test('has a span for each retry', async () => {
    let asked = 0
    upstream.answer((_seen, response) => {
      asked += 1
      if (asked === 1) json(response, { error: { message: 'no' } }, { status: 503 })
      else json(response, chatReply('Hello'))
    })
    const spans = await spansOf(await gateway.post('/v1/chat/completions', body))
    const attempts = spans.filter(({ kind }) => kind === 'CLIENT')
    expect(attempts.map(({ status }) => status).toSorted()).toEqual(['ERROR', 'UNSET'])
    const failed = attempts.find(({ status }) => status === 'ERROR')
    expect(failed?.attributes).toMatchObject({
      'error.type': 'upstream_unavailable',
      'http.response.status_code': 503,
    })
    const sent = upstream.seen.slice(-2).map(({ headers }) => headers['traceparent']?.split('-')[2])
    expect(new Set(sent)).toEqual(new Set(attempts.map(({ spanId }) => spanId)))
  })

  test('has a span without attempts if it is rejected', async () => {
    const response = await gateway.post('/v1/chat/completions', body, { key: 'sk-wrong' })
    const spans = await spansOf(response)
    expect(spans).toHaveLength(1)
    expect(spans[0]).toMatchObject({
      status: 'UNSET',
      attributes: { 'http.response.status_code': 401, 'error.type': 'unauthenticated' },
    })
  })

  test('has its trace id in the log line', async () => {
    const response = await gateway.post('/v1/chat/completions', body)
    const [own] = await spansOf(response)
    const id = response.headers.get('x-request-id')
    const line = gateway.logged.find(({ fields }) => fields['id'] === id)
    expect(line?.fields['traceId']).toBe(own?.traceId)
  })

  test.each([
    ['a zero trace id', `00-${'0'.repeat(32)}-${parentId}-01`],
    ['version ff', `ff-${traceId}-${parentId}-01`],
    ['extra fields in version 00', `00-${traceId}-${parentId}-01-more`],
    ['capitals', `00-${traceId.toUpperCase()}-${parentId}-01`],
  ])('starts a new trace for an invalid traceparent: %s', async (_what, traceparent) => {
    const response = await gateway.post('/v1/chat/completions', body, {
      headers: { traceparent, tracestate: 'vendor=1' },
    })
    const spans = await spansOf(response)
    const call = spans.find(({ kind }) => kind === 'SERVER')
    expect(call?.traceId).not.toBe(traceId)
    expect(call?.parentSpanId).toBe('')
    expect(upstream.seen.at(-1)?.headers['tracestate']).toBeUndefined()
  })

  test('is exported with the configured headers', () => {
    expect(collector.headers[0]).toMatchObject({
      path: '/v1/traces',
      'x-tenant': 'one',
      'content-type': 'application/x-protobuf',
    })
  })
})

test('sampling exports failed calls and calls that the caller sampled', async () => {
  await using collector = await openCollector()
  await using upstream = await fakeUpstream((seen, response) =>
    seen.body['model'] === 'broken'
      ? json(response, { error: {} }, { status: 500 })
      : json(response, chatReply('Hello')),
  )
  {
    await using gateway = await start(settings(upstream, collector.url, 0))
    const post = async (model: string, headers: Record<string, string> = {}) => {
      const response = await gateway.post('/v1/chat/completions', { ...body, model }, { headers })
      await response.text()
    }
    await post('up/unsent')
    await post('up/broken')
    await post('up/asked-for', { traceparent: `00-${traceId}-${parentId}-01` })
    await post('up/declined', { traceparent: `00-${traceId}-${parentId}-00` })
    expect(upstream.seen[0]?.headers['traceparent']).toMatch(/-00$/)
    expect(upstream.seen.at(-1)?.headers['traceparent']).toMatch(/-00$/)
  }
  // Stopping has sent what was left.
  const names = collector.spans.filter(({ kind }) => kind === 'SERVER').map(({ name }) => name)
  expect(names.toSorted()).toEqual(['chat up/asked-for', 'chat up/broken'])
})

test('reads OpenTelemetry’s environment variables', async () => {
  await using collector = await openCollector()
  {
    await using gateway = await start(
      {},
      {
        variables: {
          OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`,
          OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=a%20b, authorization=Bearer%20t',
          OTEL_SERVICE_NAME: 'edge',
          OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
        },
      },
    )
    const response = await gateway.post('/v1/chat/completions', { ...body, model: 'builtin-chat' })
    expect(response.status).toBe(200)
    await response.text()
  }
  expect(collector.headers[0]).toMatchObject({
    path: '/v1/traces',
    'x-tenant': 'a b',
    authorization: 'Bearer t',
  })
  expect(collector.spans[0]?.resource).toMatchObject({
    'service.name': 'edge',
    'deployment.environment.name': 'test',
  })
  expect(collector.spans).toHaveLength(2)
})

test('an unreachable collector fails no call and is logged once', async () => {
  await using upstream = await fakeUpstream((_seen, response) => json(response, chatReply('Hello')))
  await using gateway = await start(settings(upstream, 'http://127.0.0.1:1'))
  for (let number = 0; number < 20; number += 1) {
    const response = await gateway.post('/v1/chat/completions', body)
    expect(response.status).toBe(200)
    await response.text()
  }
  const told = () => gateway.logged.filter(({ message }) => message.startsWith('spans could not'))
  await until(() => told().length > 0, 20_000)
  expect(told()).toHaveLength(1)
})

test('without settings nothing is traced and no traceparent is forwarded', async () => {
  await using upstream = await fakeUpstream((_seen, response) => json(response, chatReply('Hello')))
  await using gateway = await start({
    providers: { up: { type: 'openai', baseUrl: upstream.url, key: 'k' } },
  })
  const response = await gateway.post('/v1/chat/completions', body, {
    headers: { traceparent: `00-${traceId}-${parentId}-01` },
  })
  expect(response.status).toBe(200)
  await response.text()
  expect(upstream.seen[0]?.headers['traceparent']).toBeUndefined()
  const id = response.headers.get('x-request-id')
  const line = await until(() => gateway.logged.find(({ fields }) => fields['id'] === id))
  expect('traceId' in line.fields).toBe(false)
})
