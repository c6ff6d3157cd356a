// The order and number of attempts at several upstreams, and the keys they use.
import { describe, expect, test } from 'vitest'
import {
  type Answering,
  type FakeUpstream,
  fakeUpstream,
  json,
} from '../../support/fakes/fake-upstream.ts'
import { type Expected, expectOrder } from '../../support/fakes/scripted-targets.ts'
import { expectRecords, expectRecordsMatch, ledger } from '../../support/ledger.ts'
import { ask, at, error, good } from '../../support/routes.ts'
import { start, until } from '../../support/start.ts'

describe('the order of attempts', () => {
  test.each<[string, Expected]>([
    [
      'the first target that works answers',
      {
        script: () => ({ first: [error(500)], second: [error(404)], third: [good] }),
        status: 200,
        by: 'third',
        asked: ['first', 'second', 'third'],
        records: ['first chat failed', 'second chat failed', 'third chat completed 7+3'],
      },
    ],
    [
      'each failing target is called once, and the last failure is returned',
      {
        script: () => ({ first: [error(503)], second: [error(401)], third: [error(429)] }),
        status: 429,
        by: 'third',
        asked: ['first', 'second', 'third'],
        records: ['first chat failed', 'second chat failed', 'third chat failed'],
      },
    ],
    [
      'a 400 ends the call at once',
      {
        script: () => ({ first: [error(500)], second: [error(400)], third: [good] }),
        status: 400,
        by: 'second',
        asked: ['first', 'second'],
        records: ['first chat failed', 'second chat failed'],
      },
    ],
    [
      'retries come before the next target',
      {
        script: () => ({ first: [error(500), error(502), error(503)], second: [error(500), good] }),
        options: { retries: { attempts: 3, baseMs: 1, maxMs: 5 } },
        status: 200,
        by: 'second',
        asked: ['first', 'first', 'first', 'second', 'second'],
        records: [
          'first chat failed',
          'first chat failed',
          'first chat failed',
          'second chat failed',
          'second chat completed 7+3',
        ],
      },
    ],
    [
      'a target that asks for a longer pause than allowed is not retried',
      {
        script: () => ({ first: [error(429, {}, { 'retry-after': '9' })], second: [good] }),
        options: { retries: { attempts: 3, baseMs: 1, maxMs: 5 } },
        status: 200,
        by: 'second',
        asked: ['first', 'second'],
        records: ['first chat failed', 'second chat completed 7+3'],
      },
    ],
  ])('%s', (_name, expected) => expectOrder(expected))
})

describe('a provider with several keys', () => {
  const keyOf = ({ headers }: { headers: Readonly<Record<string, string>> }) =>
    headers['authorization']?.slice('Bearer '.length)

  async function withKeys(keys: readonly string[], answering: Answering, attempts: number) {
    const only = await fakeUpstream(answering)
    const spare = await fakeUpstream(good)
    const gateway = await start({
      providers: {
        only: { type: 'openai', baseUrl: only.url, keys: [...keys] },
        spare: { type: 'openai', baseUrl: spare.url, key: 'k' },
      },
      models: {
        m: {
          targets: [{ target: 'only/m' }],
          fallback: ['spare/m'],
          retries: { attempts, baseMs: 1, maxMs: 5 },
        },
      },
    })
    return {
      gateway,
      upstreams: { only, spare },
      async [Symbol.asyncDispose]() {
        await gateway[Symbol.asyncDispose]()
        await only[Symbol.asyncDispose]()
        await spare[Symbol.asyncDispose]()
      },
    }
  }

  test('does not count a rejected key as a retry', async () => {
    let busy = 0
    await using staged = await withKeys(
      ['bad', 'good'],
      (seen, response, request) => {
        if (keyOf(seen) === 'bad') return error(401)(seen, response)
        busy += 1
        return (busy === 1 ? error(503) : good)(seen, response, request)
      },
      2,
    )
    const { gateway, upstreams } = staged
    const response = await gateway.post('/v1/chat/completions', { model: 'm', ...ask })
    expect(response.headers.get('x-sluice-provider')).toBe('only')
    expect(upstreams.only.seen.map(keyOf)).toEqual(['bad', 'good', 'good'])
    await expectRecordsMatch(gateway, upstreams, [
      'only chat failed',
      'only chat failed',
      'only chat completed 7+3',
    ])
  })

  test('falls back to the next target when two keys were rejected', async () => {
    await using staged = await withKeys(['a', 'b', 'c'], error(401), 2)
    const { gateway, upstreams } = staged
    const response = await gateway.post('/v1/chat/completions', { model: 'm', ...ask })
    expect(response.headers.get('x-sluice-provider')).toBe('spare')
    expect(upstreams.only.seen.map(keyOf)).toEqual(['a', 'b'])
    await expectRecordsMatch(gateway, upstreams, [
      'only chat failed',
      'only chat failed',
      'spare chat completed 7+3',
    ])
  })

  test('rotates its keys on every retry', async () => {
    await using staged = await withKeys(['a', 'b'], error(503), 3)
    const { gateway, upstreams } = staged
    await gateway.post('/v1/chat/completions', { model: 'm', ...ask })
    expect(upstreams.only.seen.map(keyOf)).toEqual(['a', 'b', 'a'])
    expect(upstreams.spare.seen.length).toBe(1)
  })
})

test('the pause before a retry ends when the caller disconnects, and frees its slot', async () => {
  await using only = await fakeUpstream(error(503, {}, { 'retry-after': '25' }))
  await using gateway = await start(
    at(
      { only },
      {
        models: {
          m: {
            targets: [{ target: 'only/m' }],
            retries: { attempts: 2, baseMs: 1, maxMs: 60_000 },
          },
        },
        limits: { concurrentRequests: 1 },
      },
    ),
  )
  const leaving = new AbortController()
  const left = gateway
    .post('/v1/chat/completions', { model: 'm', ...ask }, { signal: leaving.signal })
    .catch(() => 'left')
  await until(() => only.seen[0]?.isOver)
  only.answer(good)
  const refused = await gateway.post('/v1/chat/completions', { model: 'only/other', ...ask })
  expect(refused.status).toBe(503)
  leaving.abort()
  expect(await left).toBe('left')
  const end = Date.now() + 5_000
  let status = 503
  while (status === 503 && Date.now() < end)
    ({ status } = await gateway.post('/v1/chat/completions', { model: 'only/other', ...ask }))
  expect(status).toBe(200)
})

describe('n choices from an upstream that returns one per request', () => {
  const message = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [{ type: 'text', text: 'Hello' }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 7, output_tokens: 3 },
  }

  /** Three requests, of which the last is refused once all of them have come. */
  async function refused(keys: readonly string[], status: number) {
    const an: FakeUpstream = await fakeUpstream((seen, response) => {
      if (an.seen.indexOf(seen) === 2) error(status)(seen, response)
    })
    const gateway = await start({
      providers: { an: { type: 'anthropic', baseUrl: an.url, keys: [...keys] } },
    })
    return {
      an,
      gateway,
      async [Symbol.asyncDispose]() {
        await gateway[Symbol.asyncDispose]()
        await an[Symbol.asyncDispose]()
      },
    }
  }
  const asked = { model: 'an/m', n: 3, max_tokens: 9, ...ask }

  test.each([false, true])(
    'cancel the others when one request is rejected (stream %s)',
    async (stream) => {
      await using staged = await refused(['k'], 400)
      const { an, gateway } = staged
      const response = await gateway.post('/v1/chat/completions', { ...asked, stream })
      expect(response.status).toBe(400)
      await until(() => an.seen.filter(({ closedAt }) => closedAt !== undefined).length === 2)
      expect(an.seen.length).toBe(3)
      expect((await ledger(gateway)).length).toBe(3)
    },
  )

  test('record the canceled requests as cancelled, not as failed', async () => {
    await using staged = await refused(['k'], 400)
    const { an, gateway } = staged
    await gateway.post('/v1/chat/completions', asked)
    await expectRecords(gateway, { an }, [
      'an chat cancelled',
      'an chat cancelled',
      'an chat failed',
    ])
  })

  test('retry only the request whose key was rejected, with another key', async () => {
    await using staged = await refused(['a', 'b', 'c'], 401)
    const { an, gateway } = staged
    an.answer((seen, response) => {
      if (seen.headers['x-api-key'] === 'c') error(401)(seen, response)
      else json(response, message)
    })
    const response = await gateway.post('/v1/chat/completions', asked)
    expect(response.status).toBe(200)
    const used = an.seen.map(({ headers }) => headers['x-api-key'])
    expect(new Set(used.slice(0, 3))).toEqual(new Set(['a', 'b', 'c']))
    expect(used).toHaveLength(4)
    expect(['a', 'b']).toContain(used[3])
  })

  test('retry all requests when one fails with 503', async () => {
    let turn = 0
    await using an = await fakeUpstream((seen, response) => {
      turn += 1
      return turn === 2 ? error(503)(seen, response) : json(response, message)
    })
    await using gateway = await start({
      providers: { an: { type: 'anthropic', baseUrl: an.url, key: 'k' } },
      defaults: { retries: { attempts: 2, baseMs: 1 } },
    })
    const body = { model: 'an/m', n: 2, max_tokens: 9, ...ask }
    const response = await gateway.post('/v1/chat/completions', body)
    expect(response.status).toBe(200)
    expect(((await response.json()) as { choices: unknown[] }).choices.length).toBe(2)
    expect(an.seen.length).toBe(4)
  })
})
