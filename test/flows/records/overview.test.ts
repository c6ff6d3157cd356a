// The overview of the administration: the sums of a period and of the one before it.
import { describe, expect, test } from 'vitest'
import {
  closeFirstTokenBounds,
  firstTokenBounds,
  percentileOf,
} from '../../../packages/gateway/src/ports/first-token.ts'
import { fakeUpstream } from '../../support/fakes/fake-upstream.ts'
import { ask, at, error, good, streams } from '../../support/routes.ts'
import { adminKey, start } from '../../support/start.ts'
import { sampleUsage } from '../../support/store-samples.ts'

const hour = 3_600_000
const day = 24 * hour

test('sums calls, failures, tokens and costs by step, model and provider', async () => {
  await using first = await fakeUpstream(good)
  await using second = await fakeUpstream(error(503))
  await using gateway = await start({
    ...at({ first, second }),
    prices: { 'first/*': { input: 2, output: 10 } },
    defaults: { retries: { attempts: 1 } },
  })
  const now = Date.now()
  // Of the day before: the same hour, and one that is too old to count.
  for (const startedAt of [now - day - hour, now - 3 * day])
    gateway.gateway.store.recordUsage(sampleUsage({ startedAt, inputTokens: 100 }))
  const chat = (body: object) => gateway.post('/v1/chat/completions', { ...ask, ...body })
  await chat({ model: 'first/a' })
  await chat({ model: 'second/b' })
  first.answer(streams)
  await (await chat({ model: 'first/a', stream: true })).text()

  const response = await gateway.request('/admin/v1/overview', { key: adminKey })
  const body = (await response.json()) as Record<string, unknown> & {
    total: { firstTokenP50Ms: number; firstTokenP95Ms: number }
  }
  expect(response.status, JSON.stringify(body)).toBe(200)
  expect(body).toMatchObject({
    step: 'hour',
    total: { calls: 3, failed: 1, completed: 2 },
    before: { calls: 1, inputTokens: 100 },
    series: [{ hour: expect.any(String), calls: 3 }],
    models: [
      { model: 'a', calls: 2 },
      { model: 'b', calls: 1, failed: 1 },
    ],
    providers: [
      { provider: 'first', calls: 2 },
      { provider: 'second', calls: 1 },
    ],
    teams: [{ team: null, calls: 3 }],
    pending: 0,
  })
  expect(body.total.firstTokenP50Ms).toBeGreaterThan(0)
  expect(body.total.firstTokenP95Ms).toBeGreaterThanOrEqual(body.total.firstTokenP50Ms)
})

test('returns the chosen period in the requested steps', async () => {
  await using gateway = await start()
  for (const [startedAt, firstTokenMs] of [
    [Date.UTC(2026, 2, 1, 5), 120],
    [Date.UTC(2026, 2, 1, 7), 480],
    [Date.UTC(2026, 2, 3), undefined],
  ] as const)
    gateway.gateway.store.recordUsage(
      sampleUsage({ startedAt, ...(firstTokenMs !== undefined && { firstTokenMs }) }),
    )
  const path = '/admin/v1/overview?from=2026-03-01&to=2026-03-05'
  const answer = await gateway.request(path, { key: adminKey })
  expect(await answer.json()).toMatchObject({
    step: 'day',
    series: [
      { day: '2026-03-01T00:00:00Z', calls: 2, firstTokenP50Ms: 120, firstTokenP95Ms: 496 },
      { day: '2026-03-03T00:00:00Z', calls: 1, firstTokenP50Ms: null },
    ],
  })
  const hours = await gateway.request(`${path}&step=hour`, { key: adminKey })
  expect(((await hours.json()) as { series: object[] }).series).toHaveLength(3)
})

test.each([
  ['step=week', 'step'],
  ['step=hour&from=2025-01-01&to=2026-01-01', 'step'],
  ['from=2026-01-01T00:30:00Z', 'from'],
  ['colour=red', 'colour'],
])('rejects ?%s and names the parameter', async (query, param) => {
  await using gateway = await start()
  const answer = await gateway.request(`/admin/v1/overview?${query}`, { key: adminKey })
  expect(answer.status).toBe(400)
  expect(((await answer.json()) as { error: { param: string } }).error.param).toBe(param)
})

describe.each([
  ['wide', firstTokenBounds],
  ['close', closeFirstTokenBounds],
])('a percentile estimated from counts in %s buckets', (_name, bounds: readonly number[]) => {
  const counted = (times: readonly number[]) => ({
    bounds,
    counts: [...bounds, Number.POSITIVE_INFINITY].map(
      (to, place) => times.filter((ms) => ms <= to && ms > (bounds[place - 1] ?? -1)).length,
    ),
  })

  test('is null without counts, and the highest bound beyond it', () => {
    expect(percentileOf(counted([]), 0.5)).toBeNull()
    expect(percentileOf(counted([90_000]), 0.5)).toBe(60_000)
  })

  test('lies within the bucket of the true percentile', () => {
    const times = Array.from({ length: 1_000 }, (_, n) => (n * 7_919) % 9_973)
    const sorted = times.toSorted((one, other) => one - other)
    for (const share of [0.01, 0.25, 0.5, 0.95, 0.99]) {
      const truly = sorted[Math.ceil(share * sorted.length) - 1] ?? 0
      const place = bounds.findIndex((to) => truly <= to)
      const told = percentileOf(counted(times), share)
      expect(told).toBeGreaterThanOrEqual(bounds[place - 1] ?? 0)
      expect(told).toBeLessThanOrEqual(bounds[place] ?? 0)
    }
  })
})

test('close buckets divide the wide ones, by a tenth where most first tokens come', () => {
  for (const bound of firstTokenBounds) expect(closeFirstTokenBounds).toContain(bound)
  for (const [at, to] of closeFirstTokenBounds.entries()) {
    const from = closeFirstTokenBounds[at - 1] ?? 0
    expect(to).toBeGreaterThan(from)
    if (from >= 100 && to <= 5_000) expect(to / from).toBeLessThanOrEqual(1.11)
  }
})
