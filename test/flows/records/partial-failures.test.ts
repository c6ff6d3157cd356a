import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { GatewayError } from '../../../packages/contract/src/core/errors.ts'
import { untilAborted } from '../../../packages/gateway/src/call/until-aborted.ts'
import { openSqlite } from '../../../packages/store/src/sqlite/open-sqlite.ts'
import { type Answering, fakeUpstream, json, sse } from '../../support/fakes/fake-upstream.ts'
import { chunk } from '../../support/fakes/openai-wire.ts'
import { ask, at, error, good } from '../../support/routes.ts'
import { type Started, start, until } from '../../support/start.ts'
import { upstreamStreams } from '../../support/fakes/upstream-streams.ts'
import { records, settled } from '../../support/measures/usage-records.ts'

const anthropic = upstreamStreams.find(({ type }) => type === 'anthropic')
const begun: Answering = (_seen, response) =>
  sse(response, [...(anthropic?.preamble ?? []), anthropic?.content[0] ?? ''], { end: false })
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

const toAnthropic = (url: string) => ({
  providers: { an: { type: 'anthropic' as const, baseUrl: url, key: 'k' } },
})

describe('n choices from an upstream that returns one per request', () => {
  const asked = { model: 'an/m', n: 3, max_tokens: 9, ...ask }

  test('a broken stream cancels the others, and each has its record', async () => {
    let calls = 0
    await using upstream = await fakeUpstream(async (seen, response, request) => {
      calls += 1
      const breaks = calls === 1
      await begun(seen, response, request)
      if (breaks) {
        await until(() => upstream.seen.length === 3)
        setTimeout(() => response.destroy(), 100)
      }
    })
    await using gateway = await start(toAnthropic(upstream.url))
    const response = await gateway.post('/v1/chat/completions', { ...asked, stream: true })
    const text = await response.text()
    expect(text).toContain('stream_interrupted')
    expect(text).not.toContain('[DONE]')
    await until(() => upstream.seen.every(({ closedAt }) => closedAt !== undefined))
    expect(await settled(gateway, 3)).toEqual([
      'an chat cancelled 7',
      'an chat cancelled 7',
      'an chat incomplete 7',
    ])
  })

  test('a caller that disconnects cancels all, and each has its record', async () => {
    await using upstream = await fakeUpstream(begun)
    await using gateway = await start(toAnthropic(upstream.url))
    const leaving = new AbortController()
    const response = await gateway.post(
      '/v1/chat/completions',
      { ...asked, stream: true },
      { signal: leaving.signal },
    )
    await response.body?.getReader().read()
    leaving.abort()
    await until(() => upstream.seen.every(({ closedAt }) => closedAt !== undefined))
    expect(await settled(gateway, 3)).toEqual(Array(3).fill('an chat cancelled 7'))
  })

  test('a failed request keeps the cost of those that completed', async () => {
    let calls = 0
    await using upstream = await fakeUpstream((seen, response) => {
      calls += 1
      if (calls !== 2) return json(response, message)
      setTimeout(() => error(400)(seen, response), 100)
    })
    await using gateway = await start(toAnthropic(upstream.url))
    const response = await gateway.post('/v1/chat/completions', asked)
    expect(response.status).toBe(400)
    expect(await records(gateway)).toEqual([
      'an chat completed 7',
      'an chat completed 7',
      'an chat failed',
    ])
  })
})

describe('records a call once when its caller disconnects', () => {
  const leave = async (gateway: Started, body: object, when: () => unknown) => {
    const leaving = new AbortController()
    const answer = gateway
      .post('/v1/chat/completions', body, { signal: leaving.signal })
      .then((response) => response.text())
      .catch(() => 'left')
    await until(() => when() === true)
    leaving.abort()
    expect(await answer).toBe('left')
    await until(() =>
      gateway.logged.find(({ message: line, fields }) => line === 'request' && fields['left']),
    )
  }

  test('while the upstream is silent', async () => {
    await using only = await fakeUpstream(() => {})
    await using gateway = await start(at({ only }))
    await leave(gateway, { model: 'only/m', ...ask }, () => only.seen.length === 1)
    await until(() => only.seen[0]?.closedAt)
    expect(await records(gateway)).toEqual(['only chat cancelled'])
  })

  test('before a retry, which is not made', async () => {
    await using only = await fakeUpstream(error(503, {}, { 'retry-after': '2' }))
    await using gateway = await start(at({ only }, { models: { m: 'only/m' } }))
    await leave(gateway, { model: 'm', ...ask }, () => only.seen.length === 1)
    expect(await settled(gateway, 1)).toEqual(['only chat failed'])
    expect(only.seen.length).toBe(1)
  })

  test('during a hedge', async () => {
    await using first = await fakeUpstream(() => {})
    await using second = await fakeUpstream(() => {})
    await using gateway = await start(
      at(
        { first, second },
        {
          models: {
            m: {
              targets: [{ target: 'first/m' }],
              fallback: ['second/m'],
              hedge: { enabled: true, delayMs: 10 },
            },
          },
        },
      ),
    )
    await leave(gateway, { model: 'm', ...ask }, () => second.seen.length === 1)
    await until(() => first.seen[0]?.closedAt && second.seen[0]?.closedAt)
    expect(await settled(gateway, 2)).toEqual(['first chat cancelled', 'second chat cancelled'])
  })

  test('before a fallback, which is not called', async () => {
    await using first = await fakeUpstream(() => {})
    await using second = await fakeUpstream(good)
    await using gateway = await start(
      at(
        { first, second },
        { models: { m: { targets: [{ target: 'first/m' }], fallback: ['second/m'] } } },
      ),
    )
    await leave(gateway, { model: 'm', ...ask }, () => first.seen.length === 1)
    expect(await settled(gateway, 1)).toEqual(['first chat cancelled'])
    expect(second.seen.length).toBe(0)
  })

  test('while images wait for a worker', async () => {
    await using gateway = await start()
    const leaving = new AbortController()
    const body = { model: 'builtin-image', prompt: 'a red circle', size: '1024x1024', n: 4 }
    const answers = Array.from({ length: 6 }, () =>
      gateway
        .post('/v1/images/generations', body, { signal: leaving.signal })
        .then(({ status }) => status)
        .catch(() => 'left'),
    )
    setTimeout(() => leaving.abort(), 60)
    expect(await Promise.all(answers)).toContain('left')
    const left = () => gateway.logged.filter(({ message: line }) => line === 'request')
    await until(() => left().length === 6, 10_000)
    const lines = left().filter(({ fields }) => fields['provider'] === 'builtin').length
    expect((await settled(gateway, lines)).length).toBe(lines)
    expect(gateway.logged.filter(({ level }) => level !== 'info')).toEqual([])
  })

  test('during streamed audio', async () => {
    await using only = await fakeUpstream((_seen, response) => {
      response.writeHead(200, { 'content-type': 'audio/mpeg' })
      response.write('abc')
    })
    await using gateway = await start(at({ only }))
    const leaving = new AbortController()
    const response = await gateway.post(
      '/v1/audio/speech',
      { model: 'only/m', input: 'a', voice: 'alloy' },
      { signal: leaving.signal },
    )
    await response.body?.getReader().read()
    leaving.abort()
    await until(() => only.seen[0]?.closedAt)
    expect(await settled(gateway, 1)).toEqual(['only speak cancelled'])
  })
})

test('shutdown that closes connections writes the records of their calls', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-test-'))
  await using only = await fakeUpstream((_seen, response) =>
    sse(response, [chunk({ role: 'assistant', content: 'Hel' })], { end: false }),
  )
  const gateway = await start(at({ only }), { dataFolder: folder })
  const leaving = new AbortController()
  const running = await gateway.post(
    '/v1/chat/completions',
    { model: 'only/m', stream: true, ...ask },
    { signal: leaving.signal },
  )
  await running.body?.getReader().read()
  const stopping = gateway[Symbol.asyncDispose]()
  leaving.abort()
  await stopping
  await using store = openSqlite({ file: join(folder, 'sluice.db') })
  expect(await store.listUsage({ limit: 9 })).toMatchObject([{ outcome: 'cancelled' }])
  rmSync(folder, { recursive: true, force: true })
})

describe('slow credentials', () => {
  const slowly = async () => {
    const only = await fakeUpstream(good)
    const gateway = await start({
      ...at({ only }),
      defaults: { timeouts: { headersMs: 200 }, retries: { attempts: 1 } },
    })
    const upstream = gateway.gateway.current.routing.upstreams.get('only')
    Object.assign(upstream?.provider ?? {}, { credentials: () => new Promise(() => {}) })
    return { only, gateway }
  }

  test('time out with the call', async () => {
    const { only, gateway } = await slowly()
    await using _only = only
    await using _gateway = gateway
    const response = await gateway.post(
      '/v1/chat/completions',
      { model: 'only/m', ...ask },
      { signal: AbortSignal.timeout(4_000) },
    )
    expect(response.status).toBe(504)
    expect(only.seen.length).toBe(0)
  })

  test('do not block the list of models', async () => {
    const { only, gateway } = await slowly()
    await using _only = only
    await using _gateway = gateway
    const response = await gateway.request('/v1/models', { signal: AbortSignal.timeout(4_900) })
    expect(response.status).toBe(200)
  })

  test('are abandoned when the caller disconnects, without an unhandled rejection', async () => {
    const late = Promise.withResolvers<never>()
    const leaving = new AbortController()
    const waiting = untilAborted(late.promise, leaving.signal)
    leaving.abort(new GatewayError('cancelled', 'The caller went away'))
    await expect(waiting).rejects.toMatchObject({ code: 'cancelled' })
    late.reject(new Error('too late'))
    expect(await untilAborted('at once', leaving.signal)).toBe('at once')
  })
})
