// Metrics, health and administration of a gateway with several processes cover all of them, whichever answers.
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { ConfigFile } from '../../../packages/sluice/src/config/schema.ts'
import { openEvents } from '../../support/clients/open-events.ts'
import { type FakeUpstream, fakeUpstream, json, sse } from '../../support/fakes/fake-upstream.ts'
import { chatReply } from '../../support/fakes/openai-wire.ts'
import { upstreamStreams } from '../../support/fakes/upstream-streams.ts'
import { type Program, startProgram } from '../../support/gateways/program.ts'
import { noSuchAddress } from '../../support/gateways/two-keys.ts'
import { readMetrics, type Scrape } from '../../support/measures/metrics.ts'
import { adminKey, until } from '../../support/start.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

let folder: ReturnType<typeof temporaryFolder>
let upstream: FakeUpstream
let program: Program
const [openai] = upstreamStreams
const chat = { model: 'up/m', messages: [{ role: 'user', content: 'Hi' }] }

beforeEach(async () => {
  folder = temporaryFolder()
  upstream = await fakeUpstream((seen, response) => {
    if (seen.path.endsWith('/responses')) return noSuchAddress(response)
    if (seen.body['stream'] !== true) return json(response, chatReply('Hello'))
    return sse(response, [...openai!.preamble, ...openai!.content], { end: false })
  })
  const content: ConfigFile = {
    prices: { '*': { input: 1, output: 1 } },
    providers: { up: { type: 'openai', baseUrl: upstream.url, key: 'k', models: ['m'] } },
    server: { stopTimeoutMs: 500 },
  }
  program = await startProgram({ folder: folder.path, content, args: ['--workers', '2'] })
}, 60_000)
afterEach(async () => {
  await program[Symbol.asyncDispose]()
  await upstream[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

async function call(count: number): Promise<void> {
  const asked = Array.from({ length: count }, () =>
    program.ask('/v1/chat/completions', { body: chat }),
  )
  for (const { status } of await Promise.all(asked)) expect(status).toBe(200)
}

/** Each over a connection of its own, so that either worker may answer. */
async function scrape(): Promise<Scrape> {
  const { status, bytes } = await program.ask('/metrics', { key: adminKey })
  expect(status).toBe(200)
  return readMetrics(bytes.toString())
}

const completed = { operation: 'chat', outcome: 'completed' }
const scraped = (count: number) =>
  until(async () => {
    const seen = await scrape()
    return seen.value('sluice_requests_total', completed) === count && seen
  }, 20_000)

/** Who has answered, as the log says a moment later. */
function workersOf(path: string): ReadonlySet<unknown> {
  const lines = program.lines().filter((line) => line['path'] === path)
  return new Set(lines.flatMap(({ worker }) => worker ?? []))
}

test('metrics cover all workers, whichever answers', async () => {
  await call(30)
  const seen = await scraped(30)
  await until(() => workersOf('/v1/chat/completions').size === 2)
  expect(seen.value('sluice_processes')).toBe(2)
  expect(seen.value('sluice_attempts_total')).toBe(30)
  expect(seen.value('sluice_tokens_total', { type: 'input' })).toBe(30 * 7)
  expect(seen.value('sluice_cost_usd_total')).toBeCloseTo(30 * 0.00001, 9)
  expect(seen.value('sluice_request_duration_seconds_count', { operation: 'chat' })).toBe(30)
  expect(
    seen.value('sluice_request_duration_seconds_bucket', { operation: 'chat', le: '+Inf' }),
  ).toBe(30)
  expect(seen.value('gen_ai_client_token_usage_sum', { gen_ai_token_type: 'input' })).toBe(210)
  await until(async () => {
    expect((await scrape()).value('sluice_requests_total', completed)).toBe(30)
    return workersOf('/metrics').size === 2
  }, 20_000)
  const streams = await Promise.all(
    Array.from({ length: 6 }, () =>
      program.stream('/v1/chat/completions', { ...chat, stream: true }),
    ),
  )
  // The scrape is a request as well.
  await until(async () => (await scrape()).value('sluice_requests_in_flight') === 7, 20_000)
  for (const { body } of streams) await body?.cancel()
}, 60_000)

test('counters do not decrease when a worker is killed', async () => {
  await call(20)
  const before = await scraped(20)
  const [victim = 0] = program.workers()
  process.kill(victim, 'SIGKILL')
  // A connection that was handed to it before its death is known would never be answered.
  await until(() => program.workers().length === 2 && !program.workers().includes(victim), 20_000)
  await until(async () => {
    const seen = await scrape()
    for (const { name, labels, value } of before.samples)
      if (/_(?:total|count|sum|bucket)$/.test(name))
        expect(seen.value(name, labels), name).toBeGreaterThanOrEqual(value)
    return seen.value('sluice_processes') === 2
  }, 20_000)
  await call(10)
  const after = await scraped(30)
  expect(after.value('sluice_request_duration_seconds_count', { operation: 'chat' })).toBe(30)
}, 60_000)

test('live events cover the calls of all workers', async () => {
  await using events = await openEvents(`${program.url}/admin/v1/requests/live`, adminKey)
  const told = (name: string) => events.seen.filter(({ event }) => event === name).length
  // The other worker knows a moment later that somebody looks on here.
  await until(async () => {
    const [before, asked] = [told('begin'), upstream.seen.length]
    await call(4)
    return told('begin') - before === upstream.seen.length - asked
  }, 20_000)
  const [before, asked] = [told('begin'), upstream.seen.length]
  await call(20)
  await until(() => told('begin') - before === upstream.seen.length - asked, 20_000)
  await until(() => told('request') === upstream.seen.length, 20_000)
  await until(() => workersOf('/v1/chat/completions').size === 2)
}, 90_000)

test('refused calls of all workers are streamed live and counted together', async () => {
  await using events = await openEvents(`${program.url}/admin/v1/requests/live`, adminKey)
  const refuse = () => program.ask('/v1/chat/completions', { body: { ...chat, model: 'none/m' } })
  let asked = 0
  // The other worker knows a moment later that somebody looks on here.
  await until(async () => {
    const before = events.seen.length
    for (let count = 0; count < 6; count++) await refuse()
    asked += 6
    await new Promise((resolve) => setTimeout(resolve, 100))
    return events.seen.length - before === 6 && workersOf('/v1/chat/completions').size === 2
  }, 20_000)
  expect(new Set(events.seen.map(({ event }) => event))).toEqual(new Set(['refused']))
  await until(async () => {
    const answer = await program.ask('/admin/v1/refusals', { key: adminKey })
    const { data } = answer.json as { readonly data: readonly { count: number }[] }
    return data[0]?.count === asked
  }, 20_000)
}, 60_000)

test('a provider’s limit of concurrent calls covers all workers', async () => {
  let [open, most] = [0, 0]
  const held: (() => void)[] = []
  upstream.answer((_seen, response) => {
    open += 1
    most = Math.max(most, open)
    held.push(() => {
      open -= 1
      json(response, chatReply('Hello'))
    })
  })
  const up = { type: 'openai', baseUrl: upstream.url, key: 'k' } as const
  program.configure({
    prices: { '*': { input: 1, output: 1 } },
    providers: { up: { ...up, maxConcurrent: 3, queueMs: 30_000 } },
  })
  const taken = () =>
    program.lines().filter(({ msg }) => msg === 'the settings have changed').length
  await until(() => taken() === 2, 20_000)
  const calls = Array.from({ length: 20 }, () =>
    program.ask('/v1/chat/completions', { body: chat }),
  )
  const waiting = async () =>
    (await scrape()).value('sluice_queue_length', { queue: 'upstream:up' }) ?? 0
  await until(async () => (await waiting()) === 17, 20_000)
  expect((await scrape()).value('sluice_upstream_calls_in_flight')).toBe(3)
  const explained = await program.ask('/admin/v1/explain', {
    key: adminKey,
    body: { request: chat },
  })
  expect(explained.json).toMatchObject({
    targets: [{ places: [{ of: 'up', most: 3, inside: 3, waiting: 17 }] }],
  })
  // Those of a worker that is gone are free.
  const [victim = 0] = program.workers()
  process.kill(victim, 'SIGKILL')
  const draining = setInterval(() => held.splice(0).forEach((answer) => answer()), 5)
  const ended = await Promise.allSettled(calls)
  clearInterval(draining)
  expect(most).toBeLessThanOrEqual(3 + 3)
  const answered = ended.filter(
    (one) => one.status === 'fulfilled' && one.value.status === 200,
  ).length
  expect(answered).toBeGreaterThan(0)
  await until(() => program.workers().length === 2 && !program.workers().includes(victim), 20_000)
  upstream.answer((_seen, response) => json(response, chatReply('Hello')))
  await call(6)
  await until(async () => (await scrape()).value('sluice_upstream_calls_in_flight') === 0, 20_000)
}, 90_000)

test('the limit of failed sign-ins covers all workers', async () => {
  const tried = Array.from({ length: 30 }, () =>
    program.ask('/admin/v1/session', { body: { key: 'sk-wrong' } }),
  )
  const statuses = (await Promise.all(tried)).map(({ status }) => status)
  expect(statuses.filter((status) => status === 429)).toHaveLength(10)
  await until(() => workersOf('/admin/v1/session').size === 2, 10_000)
}, 60_000)
