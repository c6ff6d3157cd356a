import { describe, expect, test } from 'vitest'
import { fakeDate } from '../../support/fake-date.ts'
import {
  type Answering,
  fakeUpstream,
  json,
  type SeenRequest,
} from '../../support/fakes/fake-upstream.ts'
import { chatReply } from '../../support/fakes/openai-wire.ts'
import { ask, at, error, good, type Routes } from '../../support/routes.ts'
import { granted } from '../../support/administrate.ts'
import { startProgram } from '../../support/gateways/program.ts'
import { leaveOut } from '../../support/leave-out.ts'
import { noRedis, openRedisServer } from '../../support/servers/redis-server.ts'
import { start, type Started } from '../../support/start.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const keyOf = ({ headers }: SeenRequest) => headers['authorization']?.replace('Bearer ', '')

/** Limits these keys and serves the others. */
const limiting =
  (limited: readonly string[], answer: Answering): Answering =>
  (seen, ...rest) =>
    limited.includes(keyOf(seen) ?? '') ? answer(seen, ...rest) : good(seen, ...rest)

const asked = (seen: readonly SeenRequest[]) => seen.map(keyOf)

const askedOnce = (seen: readonly SeenRequest[]) => new Set(asked(seen))

function withKeys(url: string, keys: readonly string[], further: Routes = {}): Routes {
  return {
    providers: { first: { type: 'openai', baseUrl: url, keys: [...keys] } },
    defaults: { retries: { attempts: 2, baseMs: 1 } },
    ...further,
  }
}

function advancing() {
  let at = Date.now()
  const date = fakeDate(at)
  return {
    advance(ms: number) {
      at += ms
      date.set(at)
    },
    [Symbol.dispose]: () => date[Symbol.dispose](),
  }
}

const once = { model: 'first/m', ...ask }

describe('a key whose rate is used up', () => {
  test.each([
    ['429 with Retry-After', error(429, {}, { 'retry-after': '30' })],
    ['429 with retry-after-ms', error(429, {}, { 'retry-after-ms': '30000' })],
    ['503 with Retry-After', error(503, {}, { 'retry-after': '30' })],
    [
      '429 with nothing left',
      error(
        429,
        {},
        {
          'retry-after': '30',
          'x-ratelimit-remaining-tokens': '0',
          'x-ratelimit-remaining-requests': '7',
        },
      ),
    ],
  ])(
    '%s: the other key serves at once, and this one rests for as long as told',
    async (_name, limited) => {
      using clock = advancing()
      await using upstream = await fakeUpstream(limiting(['a'], limited))
      await using gateway = await start(withKeys(upstream.url, ['a', 'b']))
      const startedAt = performance.now()
      for (let count = 0; count < 6; count += 1)
        expect((await gateway.post('/v1/chat/completions', once)).status).toBe(200)
      expect(performance.now() - startedAt).toBeLessThan(10_000)
      expect(asked(upstream.seen).filter((key) => key === 'a').length).toBe(1)
      clock.advance(29_000)
      await gateway.post('/v1/chat/completions', once)
      await gateway.post('/v1/chat/completions', once)
      expect(asked(upstream.seen).filter((key) => key === 'a').length).toBe(1)
      upstream.answer(good)
      clock.advance(1_001)
      await gateway.post('/v1/chat/completions', once)
      await gateway.post('/v1/chat/completions', once)
      expect(askedOnce(upstream.seen.slice(-2))).toEqual(new Set(['a', 'b']))
    },
  )

  test('rests for this model alone', async () => {
    await using upstream = await fakeUpstream((seen, ...rest) =>
      (seen.body['model'] === 'm' && keyOf(seen) === 'a'
        ? error(429, {}, { 'retry-after': '30' })
        : good)(seen, ...rest),
    )
    await using gateway = await start(withKeys(upstream.url, ['a', 'b']))
    for (const model of ['first/m', 'first/m', 'first/mm', 'first/mm'])
      expect((await gateway.post('/v1/chat/completions', { model, ...ask })).status).toBe(200)
    const others = upstream.seen.filter(({ body }) => body['model'] === 'mm')
    expect(askedOnce(others)).toEqual(new Set(['a', 'b']))
  })

  test('without a time it rests a little, and longer each time', async () => {
    using clock = advancing()
    await using upstream = await fakeUpstream(limiting(['a'], error(429)))
    await using gateway = await start(withKeys(upstream.url, ['a', 'b']))
    const ofA = () => asked(upstream.seen).filter((key) => key === 'a').length
    const twice = async () => {
      for (let count = 0; count < 2; count += 1)
        expect((await gateway.post('/v1/chat/completions', once)).status).toBe(200)
    }
    await twice()
    await twice()
    expect(ofA()).toBe(1)
    clock.advance(501)
    await twice()
    expect(ofA()).toBe(2)
    clock.advance(501)
    await twice()
    expect(ofA()).toBe(2)
    clock.advance(500)
    await twice()
    expect(ofA()).toBe(3)
  })

  test('one answer makes it rest for a minute at most, longer only if the next is the same', async () => {
    using clock = advancing()
    await using upstream = await fakeUpstream(error(429, {}, { 'retry-after': '3600' }))
    await using gateway = await start(withKeys(upstream.url, ['a']))
    const restsFor = async () => {
      const { headers, status } = await gateway.post('/v1/chat/completions', once)
      expect(status).toBe(429)
      return Number(headers.get('retry-after'))
    }
    expect(await restsFor()).toBe(60)
    expect(await restsFor()).toBe(60)
    expect(upstream.seen.length).toBe(1)
    clock.advance(60_001)
    expect(await restsFor()).toBe(300)
    clock.advance(200_000)
    expect(await restsFor()).toBe(100)
    expect(upstream.seen.length).toBe(2)
  })

  test.each([
    [
      'is larger than the whole limit',
      error(429, {
        message:
          'Request too large for m on tokens per min (TPM): Limit 30000, Requested 42,000. Visit …',
      }),
    ],
    [
      'asks for more than the limit',
      error(429, { message: 'Rate limit reached on tokens: Limit 6000, Used 0, Requested 6001' }),
    ],
    [
      'finds no room that others have',
      error(
        429,
        {},
        {
          'retry-after': '30',
          'anthropic-ratelimit-requests-remaining': '49',
          'anthropic-ratelimit-input-tokens-remaining': '200',
        },
      ),
    ],
  ])('does not rest if the request alone %s', async (_name, own) => {
    await using upstream = await fakeUpstream((seen, ...rest) =>
      (seen.text.includes('large') ? own : good)(seen, ...rest),
    )
    await using gateway = await start(withKeys(upstream.url, ['a']))
    const large = { model: 'first/m', messages: [{ role: 'user', content: 'large' }] }
    expect((await gateway.post('/v1/chat/completions', large)).status).toBe(429)
    expect((await gateway.post('/v1/chat/completions', once)).status).toBe(200)
  })
})

describe('a target all of whose keys are limited', () => {
  const twoTargets: Routes = {
    models: { m: { targets: [{ target: 'first/m' }], fallback: ['second/m'] } },
    defaults: { retries: { attempts: 2, baseMs: 1 } },
  }

  test('is left for the next at once, and not asked again before its time', async () => {
    using clock = advancing()
    await using first = await fakeUpstream(error(429, {}, { 'retry-after': '40' }))
    await using second = await fakeUpstream(good)
    await using gateway = await start(at({ first, second }, twoTargets))
    for (let count = 0; count < 8; count += 1)
      expect((await gateway.post('/v1/chat/completions', { model: 'm', ...ask })).status).toBe(200)
    expect(first.seen.length).toBe(1)
    clock.advance(40_001)
    first.answer(good)
    expect(
      (await gateway.post('/v1/chat/completions', { model: 'm', ...ask })).headers.get(
        'x-sluice-provider',
      ),
    ).toBe('first')
  })

  test('is waited for if no other serves and its time is short', async () => {
    await using first = await fakeUpstream((seen, ...rest) =>
      (first.seen.length === 1 ? error(429, {}, { 'retry-after-ms': '300' }) : good)(seen, ...rest),
    )
    await using second = await fakeUpstream(error(401))
    await using gateway = await start(at({ first, second }, twoTargets))
    const response = await gateway.post('/v1/chat/completions', { model: 'm', ...ask })
    expect([response.status, first.seen.length, second.seen.length]).toEqual([200, 2, 1])
  })

  test('is told with the time of the first that may serve again', async () => {
    await using first = await fakeUpstream(error(429, {}, { 'retry-after': '20' }))
    await using second = await fakeUpstream(error(429, {}, { 'retry-after': '50' }))
    await using gateway = await start(at({ first, second }, twoTargets))
    const response = await gateway.post('/v1/chat/completions', { model: 'm', ...ask })
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '20'])
  })
})

test.each([
  ['x-ratelimit-remaining-requests', 'x-ratelimit-reset-requests', '12s'],
  ['x-ratelimit-remaining-tokens', 'x-ratelimit-reset-tokens', '0m12.0s'],
  ['anthropic-ratelimit-input-tokens-remaining', 'anthropic-ratelimit-input-tokens-reset', 'date'],
])('a response that says that %s is 0 makes other keys go first', async (name, reset, value) => {
  using clock = advancing()
  const at12s = value === 'date' ? new Date(Date.now() + 12_000).toISOString() : value
  await using upstream = await fakeUpstream((seen, response) => {
    const left = keyOf(seen) === 'a' ? { [name]: '0', [reset]: at12s } : { [name]: '7' }
    return json(response, chatReply('Hello'), { headers: left })
  })
  await using gateway = await start(withKeys(upstream.url, ['a', 'b']))
  const call = async () =>
    expect((await gateway.post('/v1/chat/completions', once)).status).toBe(200)
  for (let count = 0; count < 6; count += 1) await call()
  expect(asked(upstream.seen).filter((key) => key === 'a').length).toBe(1)
  clock.advance(12_001)
  await call()
  await call()
  expect(asked(upstream.seen).filter((key) => key === 'a').length).toBe(2)
  await using alone = await start(withKeys(upstream.url, ['a']))
  for (let count = 0; count < 3; count += 1)
    expect((await alone.post('/v1/chat/completions', once)).status).toBe(200)
})

const restingAt = async (gateway: Started) => {
  const { data } = await granted(gateway, 'GET /admin/v1/providers')
  return (data as unknown as readonly Resting[])
    .find(({ id }) => id === 'first')
    ?.restingKeys.map(({ position }) => position)
}

interface Resting {
  readonly id: string
  readonly restingKeys: readonly { readonly position: number }[]
}

test('three gateways at one Redis learn of a limited key from the one that meets it', async (context) => {
  await using redis = await openRedisServer()
  if (!redis) return leaveOut(context, noRedis)
  await using upstream = await fakeUpstream(
    limiting(['a'], error(429, {}, { 'retry-after': '30' })),
  )
  const content = { ...withKeys(upstream.url, ['a', 'b']), redis: { url: redis.url } }
  await using one = await start(content)
  await using two = await start(content)
  await using three = await start(content)
  const call = async (gateway: Started) =>
    expect((await gateway.post('/v1/chat/completions', once)).status).toBe(200)
  const ofA = () => asked(upstream.seen).filter((key) => key === 'a').length
  while (ofA() === 0) await call(one)
  for (const other of [two, three]) {
    await expect.poll(() => restingAt(other)).toEqual([1])
    await call(other)
    await call(other)
  }
  expect(ofA()).toBe(1)
})

test('workers learn of a limited key from the one that meets it', async () => {
  using folder = temporaryFolder()
  await using upstream = await fakeUpstream(
    limiting(['a'], error(429, {}, { 'retry-after': '60' })),
  )
  await using program = await startProgram({
    folder: folder.path,
    content: withKeys(upstream.url, ['a', 'b']),
    args: ['--workers', '2'],
  })
  const ofA = () => asked(upstream.seen).filter((key) => key === 'a').length
  const call = async () =>
    expect((await program.ask('/v1/chat/completions', { body: once })).status).toBe(200)
  while (ofA() === 0) await call()
  await new Promise((resolve) => setTimeout(resolve, 500))
  for (let count = 0; count < 20; count += 1) await call()
  expect(ofA()).toBe(1)
})
