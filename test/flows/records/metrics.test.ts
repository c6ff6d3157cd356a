// What Prometheus reads, and who may.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parser } from '@prometheus-io/lezer-promql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { granted } from '../../support/administrate.ts'
import { type FakeUpstream, fakeUpstream, json, sse } from '../../support/fakes/fake-upstream.ts'
import { chatReply, textStream } from '../../support/fakes/openai-wire.ts'
import { readMetrics, type Scrape, scrape } from '../../support/measures/metrics.ts'
import { adminKey, type Started, start, testKey, until } from '../../support/start.ts'

const settings = (upstream: FakeUpstream) => ({
  providers: {
    up: { type: 'openai' as const, baseUrl: upstream.url, key: 'k', models: ['named'] },
    paris: { kind: 'mistral', baseUrl: upstream.url, key: 'k', models: ['small'] },
  },
  prices: { 'up/*': { input: 2, output: 10 }, 'up/unpriced': {} },
  defaults: { retries: { attempts: 1 }, breaker: { failures: 2 } },
})

/** Streams where it is asked to; fails for the model `broken`. */
async function openUpstream(): Promise<FakeUpstream> {
  return fakeUpstream((seen, response) => {
    if (seen.body['model'] === 'broken') return json(response, { error: {} }, { status: 500 })
    if (seen.body['stream'] === true) return sse(response, textStream)
    return json(response, chatReply('Hello'))
  })
}

const messages = [{ role: 'user', content: 'Hello' }]

async function ask(gateway: Started, body: object, key?: string): Promise<number> {
  const response = await gateway.post(
    '/v1/chat/completions',
    { messages, ...body },
    key ? { key } : {},
  )
  await response.text()
  return response.status
}

/** Ended calls are counted when their connection has taken the answer, a moment after the caller has it. */
function scraped(gateway: Started, name: string, labels: Record<string, string>, count: number) {
  return until(async (): Promise<Scrape | false> => {
    const seen = await scrape(gateway)
    return seen.value(name, labels) === count && seen
  })
}

describe('metrics count', () => {
  let upstream: FakeUpstream
  let gateway: Started
  beforeAll(async () => {
    upstream = await openUpstream()
    gateway = await start(settings(upstream))
  })
  afterAll(async () => {
    await gateway[Symbol.asyncDispose]()
    await upstream[Symbol.asyncDispose]()
  })

  test('a call, its attempt, its tokens and its cost', async () => {
    expect(await ask(gateway, { model: 'up/named' })).toBe(200)
    const of = { provider: 'up', model: 'named' }
    const seen = await scraped(
      gateway,
      'sluice_requests_total',
      { ...of, operation: 'chat', format: 'chat', outcome: 'completed', status: '2xx' },
      1,
    )
    expect(seen.value('sluice_attempts_total', { ...of, outcome: 'completed' })).toBe(1)
    expect(seen.value('sluice_tokens_total', { ...of, type: 'input' })).toBe(7)
    expect(seen.value('sluice_tokens_total', { ...of, type: 'output' })).toBe(3)
    expect(seen.value('sluice_cost_usd_total', of)).toBeCloseTo(0.000044, 9)
    expect(seen.value('sluice_request_duration_seconds_count', of)).toBe(1)
    expect(seen.value('sluice_request_duration_seconds_bucket', { ...of, le: '+Inf' })).toBe(1)
    // No stream: the first token came with all others.
    expect(seen.value('sluice_time_to_first_token_seconds_count', of)).toBe(0)
    const conventional = { gen_ai_provider_name: 'up', gen_ai_request_model: 'named' }
    expect(
      seen.value('gen_ai_client_token_usage_sum', { ...conventional, gen_ai_token_type: 'input' }),
    ).toBe(7)
    expect(seen.value('gen_ai_client_operation_duration_count', conventional)).toBe(1)
  })

  test("a provider with the conventions' name of its kind", async () => {
    expect(await ask(gateway, { model: 'paris/small' })).toBe(200)
    const of = { gen_ai_provider_name: 'mistral_ai', gen_ai_request_model: 'small' }
    await scraped(gateway, 'gen_ai_client_operation_duration_count', of, 1)
  })

  test('the time to the first token of a stream and per further token', async () => {
    const before = (await scrape(gateway)).value('sluice_time_to_first_token_seconds_count') ?? 0
    expect(await ask(gateway, { model: 'up/named', stream: true })).toBe(200)
    const seen = await scraped(gateway, 'sluice_time_to_first_token_seconds_count', {}, before + 1)
    expect(seen.value('sluice_time_per_output_token_seconds_count')).toBe(1)
    expect(seen.value('gen_ai_server_time_to_first_token_count')).toBe(1)
    expect(seen.value('gen_ai_server_time_per_output_token_count')).toBe(1)
  })

  test('failures by error code, and the state of the breaker', async () => {
    await gateway.configure({
      ...settings(upstream),
      models: { broken: { targets: [{ target: 'up/broken' }] } },
    })
    const other = await granted(gateway, 'POST /admin/v1/keys', { name: 'other' })
    // One key's failures open the breaker for this key alone.
    for (const key of [testKey, other.secret])
      expect(await ask(gateway, { model: 'broken' }, key)).toBe(503)
    const seen = await scraped(
      gateway,
      'sluice_requests_total',
      { outcome: 'failed', status: '5xx' },
      2,
    )
    expect(seen.value('sluice_errors_total', { code: 'upstream_unavailable' })).toBe(2)
    const failed = { provider: 'up', model: 'broken', outcome: 'failed' }
    expect(seen.value('sluice_attempts_total', failed)).toBe(2)
    expect(seen.value('sluice_breaker_state', { target: 'up/broken' })).toBe(2)
  })

  test('an invalid or unauthenticated request as refused', async () => {
    expect(await ask(gateway, { model: 'up/named', messages: 'no' })).toBe(400)
    expect(await ask(gateway, { model: 'up/named' }, 'sk-wrong')).toBe(401)
    const seen = await scraped(gateway, 'sluice_requests_total', { outcome: 'refused' }, 2)
    expect(seen.value('sluice_errors_total', { code: 'unauthenticated' })).toBe(1)
  })

  test('a refusal by its limit', async () => {
    const limited = await granted(gateway, 'POST /admin/v1/keys', {
      name: 'limited',
      requestsPerMinute: 1,
    })
    expect(await ask(gateway, { model: 'up/named' }, limited.secret)).toBe(200)
    expect(await ask(gateway, { model: 'up/named' }, limited.secret)).toBe(429)
    await scraped(gateway, 'sluice_limiter_refusals_total', { limit: 'requests' }, 1)
  })

  test('unknown model names under one label, without key labels', async () => {
    const keys = await granted(gateway, 'GET /admin/v1/keys')
    for (let number = 0; number < 260; number += 1)
      expect(await ask(gateway, { model: `up/made-up-${number}` })).toBe(200)
    const seen = await scraped(gateway, 'sluice_requests_total', { model: 'other' }, 60)
    const models = new Set(seen.samples.map(({ labels }) => labels['model']))
    expect(models.size).toBeLessThan(210)
    const text = JSON.stringify(seen.samples)
    for (const { id } of keys.data) expect(text).not.toContain(id)
    expect(seen.samples.some(({ labels }) => 'key' in labels)).toBe(false)
  })

  test('running calls, memory and journal lag', async () => {
    let answer = () => {}
    const asked = Promise.withResolvers<void>()
    upstream.answer((_seen, response) => {
      answer = () => json(response, chatReply('Late'))
      asked.resolve()
    })
    const call = ask(gateway, { model: 'up/named' })
    await asked.promise
    const seen = await scrape(gateway)
    // The scrape itself is one.
    expect(seen.value('sluice_requests_in_flight')).toBe(2)
    expect(
      seen.value('sluice_event_loop_delay_seconds', { quantile: '0.99' }),
    ).toBeGreaterThanOrEqual(0)
    expect(seen.value('process_resident_memory_bytes')).toBeGreaterThan(10_000_000)
    expect(seen.value('sluice_journal_lag_seconds')).toBeLessThan(5)
    answer()
    expect(await call).toBe(200)
  })
})

test('labels series by key if perKey is set', async () => {
  await using upstream = await openUpstream()
  await using gateway = await start({
    ...settings(upstream),
    telemetry: { metrics: { perKey: true } },
  })
  const made = await granted(gateway, 'POST /admin/v1/keys', { name: 'mine' })
  expect(await ask(gateway, { model: 'up/named' }, made.secret)).toBe(200)
  const seen = await scraped(gateway, 'sluice_requests_total', { key: made.id }, 1)
  expect(seen.value('sluice_tokens_total', { key: made.id, type: 'input' })).toBe(7)
})

describe('metrics may be read by', () => {
  test.each([
    ['an owner', 'owner', 200],
    ['an operator', 'operator', 200],
    ['a viewer', 'viewer', 200],
    ['a team’s administrator', 'team', 403],
  ])('%s: %s', async (_who, adminRole, status) => {
    await using gateway = await start()
    const team = await granted(gateway, 'POST /admin/v1/teams', { name: 'search' })
    const made = await granted(gateway, 'POST /admin/v1/keys', {
      name: adminRole,
      role: 'administrator',
      adminRole,
      ...(adminRole === 'team' && { ownerId: team.id }),
    })
    const response = await gateway.request('/metrics', { key: made.secret })
    expect(response.status).toBe(status)
  })

  test('nobody without a key, no caller, and the metrics key', async () => {
    await using gateway = await start({ telemetry: { metrics: { key: 'only-for-metrics' } } })
    const status = async (key: string | null) => (await gateway.request('/metrics', { key })).status
    expect(await status(null)).toBe(401)
    expect(await status('wrong')).toBe(401)
    expect(await status(testKey)).toBe(403)
    expect(await status('only-for-metrics')).toBe(200)
    // It is no key for anything else.
    const other = await gateway.request('/admin/v1/keys', { key: 'only-for-metrics' })
    expect(other.status).toBe(401)
  })

  test('nobody if metrics are disabled', async () => {
    await using gateway = await start({ telemetry: { metrics: { enabled: false } } })
    expect((await gateway.request('/metrics', { key: adminKey })).status).toBe(404)
    expect(gateway.gateway.observers.ofAttempts).toEqual([])
  })

  test('everybody at a separate listen address, and not at the gateway’s own', async () => {
    await using gateway = await start({ telemetry: { metrics: { listen: '127.0.0.1:0' } } })
    expect((await gateway.request('/metrics', { key: adminKey })).status).toBe(404)
    const address = await gateway.listenForMetrics()
    const response = await fetch(`${address}/metrics`)
    expect(response.status).toBe(200)
    expect(readMetrics(await response.text()).value('sluice_requests_in_flight')).toBe(0)
    expect((await fetch(`${address}/v1/models`)).status).toBe(404)
    expect((await fetch(`${address}/metrics`, { method: 'POST' })).status).toBe(405)
  })

  test('holders of the metrics key at a separate listen address', async () => {
    await using gateway = await start({
      telemetry: { metrics: { listen: '127.0.0.1:0', key: 'only-for-metrics' } },
    })
    const address = await gateway.listenForMetrics()
    expect((await fetch(`${address}/metrics`)).status).toBe(401)
    const headers = { authorization: 'Bearer only-for-metrics' }
    expect((await fetch(`${address}/metrics`, { headers })).status).toBe(200)
  })
})

const root = join(import.meta.dirname, '../../..')

interface Dashboard {
  readonly panels: readonly { readonly targets?: readonly { readonly expr: string }[] }[]
  readonly templating: { readonly list: readonly { readonly definition?: string }[] }
}

interface AlertFile {
  readonly groups: readonly {
    readonly rules: readonly { readonly alert: string; readonly expr: string }[]
  }[]
}

function readText(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}

/** What the dashboard and the alerts ask Prometheus for. */
function queries(): readonly string[] {
  const { panels, templating } = JSON.parse(
    readText('deploy/grafana/dashboards/sluice.json'),
  ) as Dashboard
  const variables = templating.list.flatMap(({ definition }) => {
    const [, selector] = /^label_values\((.*), \w+\)$/.exec(definition ?? '') ?? []
    return selector === undefined ? [] : [selector]
  })
  const alerts = parse(readText('deploy/prometheus/alerts.yaml')) as AlertFile
  return [
    ...panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
    ...variables,
    ...alerts.groups.flatMap(({ rules }) => rules.map(({ expr }) => expr)),
  ].map((query) => query.replaceAll('$__rate_interval', '5m'))
}

/** The names of metrics in a query; throws where it cannot be parsed. */
function metricsIn(query: string): readonly string[] {
  const names: string[] = []
  parser.parse(query).iterate({
    enter({ type, from, to }) {
      if (type.isError) throw new Error(`${query}: not understood at ${from}`)
      if (type.name === 'VectorSelector') {
        const [name = ''] = /^[\w:]+/.exec(query.slice(from, to)) ?? []
        names.push(name)
      }
    },
  })
  return names
}

test('the dashboard and alert rules query only existing metrics', async () => {
  await using gateway = await start()
  await ask(gateway, { model: 'builtin-chat', stream: true })
  const seen = await scraped(gateway, 'sluice_requests_total', { outcome: 'completed' }, 1)
  const known = new Set([...seen.samples.map(({ name }) => name), ...seen.types.keys(), 'up'])
  const asked = queries()
  expect(asked.length).toBeGreaterThan(30)
  for (const query of asked) {
    const names = metricsIn(query)
    expect(names.length, query).toBeGreaterThan(0)
    for (const name of names) expect(known.has(name), `${name} of ${query}`).toBe(true)
  }
  expect(() => metricsIn('sum(rate(sluice_requests_total[5m])')).toThrow('not understood')
})
