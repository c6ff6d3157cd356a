// Concurrency limits of a provider or one of its models: which calls wait, in which order, and how long.
import type { ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import type { ConfigFile } from '../../../packages/sluice/src/config/schema.ts'
import type { ProviderConfig } from '../../../packages/gateway/src/settings/schema-provider.ts'
import { granted } from '../../support/administrate.ts'
import { anthropicMessage, textBlock } from '../../support/fakes/anthropic-wire.ts'
import { fakeUpstream, json, type SeenRequest, sse } from '../../support/fakes/fake-upstream.ts'
import { chatReply, textStream } from '../../support/fakes/openai-wire.ts'
import { scrape } from '../../support/measures/metrics.ts'
import { type Started, start, until } from '../../support/start.ts'

const other = 'sk-other0123456789abcdef'
const messages = [{ role: 'user', content: 'Hi' }]

/** Answers when it is told to, and knows how many calls were open at most. */
async function heldUpstream() {
  const open: { readonly seen: SeenRequest; readonly response: ServerResponse }[] = []
  let most = 0
  const isGone = (seen: SeenRequest) => seen.isOver
  const upstream = await fakeUpstream((seen, response) => {
    open.push({ seen, response })
    most = Math.max(most, open.filter((one) => !isGone(one.seen)).length)
  })
  return {
    upstream,
    most: () => most,
    waiting: () => open.filter((one) => !isGone(one.seen)).length,
    /** The oldest that is still wanted. */
    answer(body: object = chatReply('Hello'), status = 200): void {
      const next = open.find((one) => !one.seen.isOver && !one.response.writableEnded)
      if (next) json(next.response, body, { status })
    },
    respond: () =>
      open.find((one) => !one.seen.isOver && !one.response.headersSent)?.response ?? undefined,
    [Symbol.asyncDispose]: () => upstream[Symbol.asyncDispose](),
  }
}

type Held = Awaited<ReturnType<typeof heldUpstream>>

const settings = (held: Held, provider: ProviderConfig, more: ConfigFile = {}): ConfigFile => ({
  providers: { up: { type: 'openai', baseUrl: held.upstream.url, key: 'k', ...provider } },
  defaults: { retries: { attempts: 1 } },
  keys: [{ name: 'other', key: other }],
  ...more,
})

const ask = (gateway: Started, body: object = {}, key?: string) =>
  gateway.post(
    '/v1/chat/completions',
    { model: 'up/m', messages, ...body },
    key === undefined ? {} : { key },
  )

/** Answers whatever is there until all are answered. */
async function drained(
  held: Held,
  calls: readonly Promise<Response>[],
): Promise<readonly number[]> {
  const draining = setInterval(() => held.answer(), 2)
  const statuses = (await Promise.all(calls)).map(({ status }) => status)
  clearInterval(draining)
  return statuses
}

describe.each<[string, ProviderConfig]>([
  ['maxConcurrent of a provider', { maxConcurrent: 3 }],
  ['maxConcurrent of a model', { models: [{ id: 'm', maxConcurrent: 3 }] }],
  [
    'the smaller maxConcurrent of provider and model',
    { maxConcurrent: 9, models: [{ id: 'm', maxConcurrent: 3 }] },
  ],
])('%s', (_name, provider) => {
  test('limits concurrent upstream calls, and others wait', async () => {
    await using held = await heldUpstream()
    await using gateway = await start(settings(held, { ...provider, queueMs: 20_000 }))
    const calls = Array.from({ length: 20 }, () => ask(gateway))
    await until(() => held.waiting() === 3)
    const seen = await until(async () => {
      const now = await scrape(gateway)
      return (now.value('sluice_queue_length') ?? 0) >= 17 && now
    })
    const of = provider.models ? 'up/m' : 'up'
    expect(seen.value('sluice_queue_length', { queue: `upstream:${of}` })).toBe(17)
    expect(seen.value('sluice_upstream_calls_in_flight', { upstream: of })).toBe(3)
    const explained = await granted(gateway, 'POST /admin/v1/explain', {
      request: { model: 'up/m', messages },
    })
    expect(explained['targets']).toMatchObject([
      { places: expect.arrayContaining([{ of, most: 3, inside: 3, waiting: 17 }]) },
    ])
    expect(new Set(await drained(held, calls))).toEqual(new Set([200]))
    expect(held.most()).toBe(3)
    await until(async () => {
      const now = await scrape(gateway)
      return now.value('sluice_upstream_calls_in_flight', { upstream: of }) === 0
    })
  })
})

test('a route target’s limit applies within the route, and the provider’s limit overall', async () => {
  await using held = await heldUpstream()
  const targets = [{ target: 'up/m', maxConcurrent: 3 }]
  const models = { fast: { targets }, slow: { targets: [{ target: 'up/m' }] } }
  await using gateway = await start(
    settings(held, { maxConcurrent: 5, queueMs: 20_000 }, { models }),
  )
  const byRoute = Array.from({ length: 10 }, () => ask(gateway, { model: 'fast' }))
  await until(() => held.waiting() === 3)
  const seen = await until(async () => {
    const now = await scrape(gateway)
    return (now.value('sluice_queue_length') ?? 0) >= 7 && now
  })
  expect(seen.value('sluice_upstream_calls_in_flight', { upstream: 'fast>up/m' })).toBe(3)
  const otherwise = Array.from({ length: 2 }, () => ask(gateway, { model: 'slow' }))
  await until(() => held.waiting() === 5)
  expect(await drained(held, [...byRoute, ...otherwise])).toEqual(Array(12).fill(200))
  expect(held.most()).toBe(5)
})

test('waiting keys take turns', async () => {
  await using held = await heldUpstream()
  await using gateway = await start(settings(held, { maxConcurrent: 1, queueMs: 20_000 }))
  const many = Array.from({ length: 50 }, () => ask(gateway))
  await until(async () => ((await scrape(gateway)).value('sluice_queue_length') ?? 0) >= 49)
  let isServed = false
  const one = ask(gateway, { user: 'the other' }, other).then((answer) => {
    isServed = true
    return answer
  })
  await until(async () => ((await scrape(gateway)).value('sluice_queue_length') ?? 0) >= 50)
  let answered = 0
  while (!isServed) {
    const before = held.upstream.seen.length
    held.answer()
    answered += 1
    await until(() => held.upstream.seen.length > before || isServed)
  }
  expect((await one).status).toBe(200)
  // The one that was in, perhaps one more whose turn it was, and its own.
  expect(answered).toBeLessThanOrEqual(3)
  await drained(held, many)
})

test('a call that waits too long, or finds the queue full, is refused', async () => {
  await using held = await heldUpstream()
  await using gateway = await start(
    settings(held, { maxConcurrent: 1, queueMs: 200, queueLength: 2 }),
  )
  const first = ask(gateway)
  await until(() => held.waiting() === 1)
  const late = await Promise.all([ask(gateway), ask(gateway), ask(gateway), ask(gateway)])
  for (const answer of late) {
    expect(answer.status).toBe(503)
    expect(answer.headers.get('retry-after')).toBe('1')
    expect(await answer.text()).toContain('The concurrency limit is reached at')
  }
  held.answer()
  expect((await first).status).toBe(200)
  expect(held.upstream.seen).toHaveLength(1)
  const next = ask(gateway)
  await until(() => held.waiting() === 1)
  held.answer()
  expect((await next).status).toBe(200)
})

describe('a full target with a fallback', () => {
  const models = { main: { targets: [{ target: 'up/m' }], fallback: ['spare/m'] } }
  const spare = async (provider: ProviderConfig) => {
    const stack = new AsyncDisposableStack()
    const held = stack.use(await heldUpstream())
    const second = stack.use(
      await fakeUpstream((_seen, response) => json(response, chatReply('Spare'))),
    )
    const content = settings(held, { maxConcurrent: 1, ...provider }, { models })
    const gateway = stack.use(
      await start({
        ...content,
        providers: {
          ...content.providers,
          spare: { type: 'openai', baseUrl: second.url, key: 'k' },
        },
      }),
    )
    return { held, second, gateway, [Symbol.asyncDispose]: () => stack.disposeAsync() }
  }

  test.each<[string, ProviderConfig]>([
    ['falls back at once with whenFull: next', { whenFull: 'next', queueMs: 60_000 }],
    ['falls back after waiting for queueMs', { queueMs: 100 }],
  ])('a call %s', async (_name, provider) => {
    await using staged = await spare(provider)
    const { held, second, gateway } = staged
    const first = ask(gateway, { model: 'main' })
    await until(() => held.waiting() === 1)
    const next = await ask(gateway, { model: 'main' })
    expect(await next.text()).toContain('Spare')
    expect(second.seen).toHaveLength(1)
    held.answer()
    expect(await (await first).text()).toContain('Hello')
    expect(held.upstream.seen).toHaveLength(1)
  })

  test('a call waits with whenFull: wait and is served by the full target', async () => {
    await using staged = await spare({ queueMs: 60_000 })
    const { held, second, gateway } = staged
    const calls = [ask(gateway, { model: 'main' }), ask(gateway, { model: 'main' })]
    await until(() => held.waiting() === 1)
    expect(await drained(held, calls)).toEqual([200, 200])
    expect(second.seen).toHaveLength(0)
    expect(held.upstream.seen).toHaveLength(2)
  })
})

describe('both legs of a hedge', () => {
  /** A route that hedges, whose first target is full. */
  const hedged = async (first: ProviderConfig) => {
    const stack = new AsyncDisposableStack()
    const held = stack.use(await heldUpstream())
    const spare = stack.use(
      await fakeUpstream((_seen, response) => json(response, chatReply('Spare'))),
    )
    const targets = [{ target: 'up/m' }, { target: 'spare/m', priority: 1 }]
    const models = { main: { targets, hedge: { enabled: true, delayMs: 60_000 } } }
    const content = settings(held, { maxConcurrent: 1, queueMs: 60_000, ...first }, { models })
    const second = { type: 'openai' as const, baseUrl: spare.url, key: 'k' }
    const providers = { ...content.providers, spare: second }
    const gateway = stack.use(await start({ ...content, providers }))
    const inside = ask(gateway)
    await until(() => held.waiting() === 1)
    return { held, spare, gateway, inside, [Symbol.asyncDispose]: () => stack.disposeAsync() }
  }

  test('do not wait with whenFull: next, and the second starts at once', async () => {
    await using staged = await hedged({ whenFull: 'next' })
    const { held, gateway, inside } = staged
    expect(await (await ask(gateway, { model: 'main' })).text()).toContain('Spare')
    held.answer()
    expect((await inside).status).toBe(200)
    expect(held.upstream.seen).toHaveLength(1)
  })

  test('wait with whenFull: wait, and the first is served', async () => {
    await using staged = await hedged({ whenFull: 'wait' })
    const { held, spare, gateway, inside } = staged
    const call = ask(gateway, { model: 'main' })
    await until(async () => ((await scrape(gateway)).value('sluice_queue_length') ?? 0) >= 1)
    held.answer()
    expect((await inside).status).toBe(200)
    await until(() => held.upstream.seen.length === 2)
    held.answer()
    expect(await (await call).text()).toContain('Hello')
    expect(spare.seen).toHaveLength(0)
  })
})

describe('a slot is released', () => {
  const one = { maxConcurrent: 1, queueMs: 20_000 }

  test('when a stream has ended, and not before', async () => {
    await using held = await heldUpstream()
    await using gateway = await start(settings(held, one))
    const stream = ask(gateway, { stream: true })
    const response = await until(() => held.respond())
    await sse(response, textStream.slice(0, 2), { end: false })
    const reader = (await stream).body!.getReader()
    await reader.read()
    const next = ask(gateway)
    await until(async () => ((await scrape(gateway)).value('sluice_queue_length') ?? 0) >= 1)
    expect(held.upstream.seen).toHaveLength(1)
    for (const event of textStream.slice(2))
      response.write(typeof event === 'string' ? event : `data: ${JSON.stringify(event)}\n\n`)
    response.end()
    while (!(await reader.read()).done);
    await until(() => held.upstream.seen.length === 2)
    held.answer()
    expect((await next).status).toBe(200)
  })

  test.each<[string, (held: Held, leaving: AbortController) => void]>([
    ['its caller disconnected', (_held, leaving) => leaving.abort()],
    ['its upstream failed', (held) => held.answer({ error: { message: 'no' } }, 500)],
    ['its upstream rejected the request', (held) => held.answer({ error: { message: 'no' } }, 400)],
    ['its connection broke', (held) => held.respond()?.destroy()],
  ])('when %s', async (_name, end) => {
    await using held = await heldUpstream()
    await using gateway = await start(settings(held, one))
    const leaving = new AbortController()
    const first = gateway
      .post('/v1/chat/completions', { model: 'up/m', messages }, { signal: leaving.signal })
      .catch((error: unknown) => error)
    await until(() => held.waiting() === 1)
    const next = ask(gateway)
    await until(async () => ((await scrape(gateway)).value('sluice_queue_length') ?? 0) >= 1)
    end(held, leaving)
    await first
    await until(() => held.upstream.seen.length === 2)
    held.answer()
    expect((await next).status).toBe(200)
  })

  test('and a caller that disconnected while waiting is not sent upstream', async () => {
    await using held = await heldUpstream()
    await using gateway = await start(settings(held, one))
    const first = ask(gateway)
    await until(() => held.waiting() === 1)
    const leaving = new AbortController()
    const left = gateway
      .post('/v1/chat/completions', { model: 'up/m', messages }, { signal: leaving.signal })
      .catch((error: unknown) => error)
    await until(async () => ((await scrape(gateway)).value('sluice_queue_length') ?? 0) >= 1)
    leaving.abort()
    expect(await left).toBeInstanceOf(Error)
    await until(async () => (await scrape(gateway)).value('sluice_queue_length') === 0)
    held.answer()
    expect((await first).status).toBe(200)
    const next = ask(gateway)
    await until(() => held.upstream.seen.length === 2)
    held.answer()
    expect((await next).status).toBe(200)
  })

  test('while its call waits to retry', async () => {
    await using held = await heldUpstream()
    await using gateway = await start(
      settings(held, one, { defaults: { retries: { attempts: 2, baseMs: 1, maxMs: 60_000 } } }),
    )
    const leaving = new AbortController()
    const waiting = gateway
      .post('/v1/chat/completions', { model: 'up/m', messages }, { signal: leaving.signal })
      .catch(() => 'left')
    await until(() => held.waiting() === 1)
    const response = await until(() => held.respond())
    json(response, { error: {} }, { status: 429, headers: { 'retry-after-ms': '50000' } })
    // The key rests for the first model alone.
    const next = gateway.post('/v1/chat/completions', { model: 'up/other', messages })
    await until(() => held.upstream.seen.length === 2)
    held.answer()
    expect((await next).status).toBe(200)
    leaving.abort()
    expect(await waiting).toBe('left')
  })

  test('by the loser of a hedge', async () => {
    await using held = await heldUpstream()
    await using spare = await fakeUpstream((_seen, response) => json(response, chatReply('Spare')))
    const content = settings(held, one, {
      models: {
        main: {
          targets: [{ target: 'up/m' }, { target: 'spare/m', priority: 1 }],
          hedge: { enabled: true, delayMs: 20 },
        },
      },
    })
    const second = { type: 'openai' as const, baseUrl: spare.url, key: 'k' }
    await using gateway = await start({
      ...content,
      providers: { ...content.providers, spare: second },
    })
    expect(await (await ask(gateway, { model: 'main' })).text()).toContain('Spare')
    const next = ask(gateway)
    await until(() => held.upstream.seen.length === 2)
    held.answer()
    expect((await next).status).toBe(200)
  })
})

describe('n choices requested one by one', () => {
  const provider = { type: 'anthropic' as const, maxConcurrent: 4, queueMs: 20_000 }

  test('take all their slots at once', async () => {
    await using held = await heldUpstream()
    await using gateway = await start(settings(held, provider))
    const calls = Array.from({ length: 3 }, () => ask(gateway, { n: 3, max_tokens: 9 }))
    await until(() => held.waiting() === 3)
    await until(async () => ((await scrape(gateway)).value('sluice_queue_length') ?? 0) >= 2)
    const draining = setInterval(() => held.answer(anthropicMessage([textBlock('Hello')])), 2)
    for (const answer of await Promise.all(calls)) {
      expect(answer.status).toBe(200)
      expect(((await answer.json()) as { choices: unknown[] }).choices).toHaveLength(3)
    }
    clearInterval(draining)
    expect(held.most()).toBe(3)
    expect(held.upstream.seen).toHaveLength(9)
  })

  test('answer 400 if they can never fit', async () => {
    await using held = await heldUpstream()
    await using gateway = await start(settings(held, provider))
    const answer = await ask(gateway, { n: 5, max_tokens: 9 })
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({ error: { param: 'n' } })
    expect(held.upstream.seen).toHaveLength(0)
  })
})
