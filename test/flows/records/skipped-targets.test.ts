// The record of a call names the targets that were not asked in their turn, and why.
import { expect, test } from 'vitest'
import { granted } from '../../support/administrate.ts'
import { fakeUpstream } from '../../support/fakes/fake-upstream.ts'
import { ask, error, good, type Routes } from '../../support/routes.ts'
import { adminKey, type Started, start } from '../../support/start.ts'

const routed = { model: 'main', ...ask, max_tokens: 1 }

const routes = (urls: Readonly<Record<string, string>>, further: Routes = {}): Routes => ({
  providers: Object.fromEntries(
    Object.entries(urls).map(([id, baseUrl]) => [id, { type: 'openai', baseUrl, key: 'k' }]),
  ),
  models: {
    main: {
      targets: [{ target: 'first/m' }],
      fallback: Object.keys(urls)
        .filter((id) => id !== 'first')
        .map((id) => `${id}/m`),
    },
  },
  defaults: {
    retries: { attempts: 1 },
    breaker: { failures: 1, windowMs: 60_000, cooldownMs: 60_000 },
  },
  ...further,
})

/** What the record of the call says. */
async function skippedBy(gateway: Started, body: object = routed, key?: string) {
  const answer = await gateway.post('/v1/chat/completions', body, { ...(key && { key }) })
  await answer.text()
  const id = answer.headers.get('x-request-id') ?? ''
  const { skipped, timeline } = await granted(gateway, `GET /admin/v1/requests/${id}`)
  const asked = (timeline as readonly { readonly provider: string }[]).map(
    ({ provider }) => provider,
  )
  return { status: answer.status, asked, skipped }
}

test('none where each was asked in its turn', async () => {
  await using first = await fakeUpstream(error(500))
  await using second = await fakeUpstream(good)
  await using gateway = await start(routes({ first: first.url, second: second.url }))
  expect(await skippedBy(gateway)).toEqual({ status: 200, asked: ['first', 'second'], skipped: [] })
})

test('those with an open breaker, and not those that were asked after all', async () => {
  await using first = await fakeUpstream(error(500))
  await using second = await fakeUpstream(good)
  await using gateway = await start(routes({ first: first.url, second: second.url }))
  const reason = 'first/m: Its breaker is open after failures'
  await skippedBy(gateway, routed, adminKey)
  for (const _ of ['once', 'again'])
    expect(await skippedBy(gateway, routed, adminKey)).toEqual({
      status: 200,
      asked: ['second'],
      skipped: [reason],
    })
  const { targets } = await granted(gateway, 'POST /admin/v1/explain', { request: routed })
  expect(targets).toMatchObject([
    { target: 'second/m', available: true, unavailable: null },
    { target: 'first/m', available: false, unavailable: 'Its breaker is open after failures' },
  ])
  second.answer(error(500))
  expect(await skippedBy(gateway, routed, adminKey)).toEqual({
    status: 503,
    asked: ['second', 'first'],
    skipped: [],
  })
})

test('those whose rate is used up', async () => {
  await using first = await fakeUpstream(error(429, {}, { 'retry-after': '30' }))
  await using second = await fakeUpstream(good)
  await using gateway = await start(routes({ first: first.url, second: second.url }))
  await skippedBy(gateway)
  expect(await skippedBy(gateway)).toEqual({
    status: 200,
    asked: ['second'],
    skipped: ['first/m: Its rate is used up'],
  })
})

test('those whose price is unknown, for a call that a budget counts', async () => {
  await using upstream = await fakeUpstream(good)
  const urls = { first: upstream.url, second: upstream.url, third: upstream.url }
  const prices = { 'third/m': { input: 1, output: 1 } }
  await using gateway = await start(routes(urls, { prices }))
  const budgets = [{ limitMicroUsd: 1_000_000, window: 'day' }]
  const { secret } = await granted(gateway, 'POST /admin/v1/keys', { name: 'limited', budgets })
  const reason = 'Its price is unknown, and a budget counts the call'
  expect(await skippedBy(gateway, routed, secret)).toEqual({
    status: 200,
    asked: ['third'],
    skipped: [`first/m: ${reason}`, `second/m: ${reason}`],
  })
  expect(await skippedBy(gateway)).toEqual({ status: 200, asked: ['first'], skipped: [] })
})

test('those that are full', async () => {
  const held = Promise.withResolvers<void>()
  await using first = await fakeUpstream(async (...call) => {
    await held.promise
    await good(...call)
  })
  await using second = await fakeUpstream(good)
  const given = routes({ first: first.url, second: second.url })
  await using gateway = await start({
    ...given,
    models: {
      main: { targets: [{ target: 'first/m', maxConcurrent: 1 }], fallback: ['second/m'] },
    },
    providers: {
      ...given.providers,
      first: { type: 'openai', baseUrl: first.url, key: 'k', whenFull: 'next' },
    },
  })
  const waiting = gateway.post('/v1/chat/completions', routed)
  await expect.poll(() => first.seen.length).toBe(1)
  const found = await skippedBy(gateway)
  held.resolve()
  await (await waiting).text()
  expect(found).toMatchObject({ status: 200, asked: ['second'] })
  expect(found.skipped).toEqual([
    expect.stringMatching(/^first\/m: .*(slot|full|limit|concurren)/i),
  ])
})

test('those for which the prompt is too long, and those at a limit of the route', async () => {
  await using upstream = await fakeUpstream(good)
  const at = { type: 'openai', baseUrl: upstream.url, key: 'k' } as const
  await using gateway = await start({
    providers: {
      small: { ...at, models: [{ id: 'm', inputTokenLimit: 100 }] },
      first: at,
      large: at,
    },
    models: {
      long: { targets: ['small/m'], longer: ['large/m'] },
      limited: { targets: [{ target: 'first/m', requestsPerMinute: 1 }], fallback: ['large/m'] },
    },
  })
  const words = [{ role: 'user', content: 'word '.repeat(500) }]
  expect(await skippedBy(gateway, { model: 'long', messages: words })).toEqual({
    status: 200,
    asked: ['large'],
    skipped: ['small/m: The prompt is too long for it'],
  })
  expect(await skippedBy(gateway, { ...routed, model: 'limited' })).toMatchObject({
    asked: ['first'],
    skipped: [],
  })
  const second = await skippedBy(gateway, { ...routed, model: 'limited' })
  expect(second).toMatchObject({ status: 200, asked: ['large'] })
  expect(second.skipped).toEqual([expect.stringMatching(/^first\/m: .*(limit|minute)/i)])
})

test('not one that a hedge asks after all', async () => {
  await using first = await fakeUpstream(error(500))
  const held = Promise.withResolvers<void>()
  await using second = await fakeUpstream(good)
  const given = routes({ first: first.url, second: second.url })
  await using gateway = await start({
    ...given,
    defaults: { ...given.defaults, hedge: { enabled: true, delayMs: 1 } },
  })
  await skippedBy(gateway, routed, adminKey)
  first.answer(good)
  second.answer(async (...call) => {
    await held.promise
    await good(...call)
  })
  const found = await skippedBy(gateway, routed, adminKey)
  held.resolve()
  expect(found).toMatchObject({ status: 200, skipped: [] })
  expect(found.asked).toContain('first')
})
