import { describe, expect, test } from 'vitest'
import { parseConfig } from '../../../packages/sluice/src/config/file.ts'
import { answerHeaders } from '../../../packages/gateway/src/answer/answer.ts'
import { type Call, openTrail } from '../../../packages/gateway/src/call/call.ts'
import { createHealth } from '../../../packages/gateway/src/route/health.ts'
import { readRetryAfter } from '../../../packages/gateway/src/attempt/failures.ts'
import { fakeUpstream, json } from '../../support/fakes/fake-upstream.ts'
import { chatReply } from '../../support/fakes/openai-wire.ts'
import { ask, at, error, good } from '../../support/routes.ts'
import { type Started, start } from '../../support/start.ts'

const chat = (gateway: Started, model: string, key?: string) =>
  gateway.post(
    '/v1/chat/completions',
    { model, ...ask },
    { signal: AbortSignal.timeout(5_000), ...(key !== undefined && { key }) },
  )

describe('model names', () => {
  test.each([
    ['an emoji', '🦊', 200],
    ['slashes', 'meta/llama/3', 200],
    ['spaces', 'my model', 200],
    ['several scripts', 'モデル é', 200],
    ['a lone surrogate', '\ud83e', 404],
    ['a line break', 'a\r\nx-injected: yes', 404],
    ['a zero byte', 'a\u0000b', 404],
    ['an empty name', '', 404],
    ['a parent path', '..', 404],
    ['600 characters', 'a'.repeat(600), 404],
    ['100,000 characters', 'a'.repeat(100_000), 404],
  ])('%s', async (_name, name, status) => {
    await using only = await fakeUpstream(good)
    await using gateway = await start(at({ only }))
    const response = await chat(gateway, `only/${name}`)
    expect(response.status).toBe(status)
    expect(response.headers.get('x-injected')).toBeNull()
    expect((await response.text()).length).toBeLessThan(2_000)
    expect(only.seen.map(({ body }) => body['model'])).toEqual(status === 200 ? [name] : [])
    expect(JSON.stringify(gateway.logged).length).toBeLessThan(2_000)
  })

  test('an unusual model name is encoded in the headers of an upstream error', async () => {
    await using only = await fakeUpstream(error(400))
    await using gateway = await start(at({ only }))
    const response = await chat(gateway, 'only/🦊')
    expect(response.status).toBe(400)
    expect(response.headers.get('x-sluice-model')).toBe('%F0%9F%A6%8A')
  })

  test('dropped fields are listed in valid, bounded headers', async () => {
    await using gateway = await start()
    const trail = openTrail(0)
    for (let index = 0; index < 3_000; index += 1) trail.dropped.add(`messages[${index}].näme`)
    trail.model = `${'🦊'.repeat(3_000)}\ud83e`
    const headers = answerHeaders(gateway.gateway, { trail, format: {} } as Call)
    expect(headers['x-sluice-dropped']).toMatch(/^messages\[0\]\.n%C3%A4me, [\x20-\x7e]*\.\.\.$/)
    for (const value of Object.values(headers)) expect(value.length).toBeLessThan(2_100)
  })
})

describe('route targets that do not exist', () => {
  const models = {
    one: { targets: [{ target: 'only/m' }], fallback: ['gone/m', 'nobody-lists-this'] },
    two: { targets: [{ target: 'gone/m' }, { target: 'only/m' }] },
    three: { targets: [{ target: 'gone/m' }], fallback: ['one'] },
    none: { targets: [{ target: 'gone/m' }], fallback: ['none', 'gone/n'] },
  }

  test.each(['one', 'two', 'three'])('are skipped by route %s', async (model) => {
    await using only = await fakeUpstream((seen, response) =>
      seen.path.endsWith('/models')
        ? json(response, { object: 'list', data: [] })
        : json(response, chatReply('Hello')),
    )
    await using gateway = await start(at({ only }, { models }))
    expect((await chat(gateway, model)).status).toBe(200)
  })

  test('make a route without any other target answer 404', async () => {
    await using only = await fakeUpstream(good)
    await using gateway = await start(at({ only }, { models }))
    const response = await chat(gateway, 'none')
    expect(response.status).toBe(404)
    expect(await response.text()).toContain('gone')
  })
})

test('fallbacks that name each other are each tried once without delay', async () => {
  const names = Array.from({ length: 14 }, (_, index) => `m${index}`)
  await using only = await fakeUpstream(error(404))
  await using gateway = await start(
    at(
      { only },
      {
        models: Object.fromEntries(
          names.map((name) => [name, { targets: [{ target: `only/${name}` }], fallback: names }]),
        ),
      },
    ),
  )
  expect((await chat(gateway, 'm0')).status).toBe(404)
  expect(only.seen.map(({ body }) => body['model'])).toEqual(names)
})

test('a disabled built-in engine answers under no name', async () => {
  await using gateway = await start({
    builtin: { enabled: 'never' },
    models: { mine: 'builtin/builtin-chat' },
  })
  for (const model of ['builtin-chat', 'builtin/builtin-chat', 'mine', 'gpt-4o'])
    expect((await chat(gateway, model)).status).toBe(404)
})

test('a provider cannot be named like the built-in engine', () => {
  const text = 'providers:\n  builtin:\n    type: openai\n    baseUrl: http://localhost:1\n'
  expect(() => parseConfig(text, 'sluice.yaml', {})).toThrow(
    /sluice\.yaml:2:3: providers\.builtin /,
  )
})

test.each([
  ['x y: a', 'x y'],
  ['x: "a\\nb"', 'x'],
  ['x: "€"', 'x'],
])('an invalid configured header (%s) is rejected when settings are read', (line, name) => {
  const text = `providers:\n  only:\n    type: openai\n    headers:\n      ${line}\n`
  expect(() => parseConfig(text, 'sluice.yaml', {})).toThrow(
    new RegExp(
      `^sluice\\.yaml:5:7: providers\\.only\\.headers\\W+${name}\\W+is not a valid header`,
    ),
  )
})

test('trims a line break after a provider key', async () => {
  await using only = await fakeUpstream(good)
  await using gateway = await start({
    providers: { only: { type: 'openai', baseUrl: only.url, key: 'secret\r\n' } },
  })
  expect((await chat(gateway, 'only/m')).status).toBe(200)
  expect(only.seen[0]?.headers['authorization']).toBe('Bearer secret')
})

test('a key restricted to a route may use its targets and fallbacks, and nothing else', async () => {
  await using first = await fakeUpstream(error(404))
  await using second = await fakeUpstream(good)
  await using gateway = await start(
    at(
      { first, second },
      {
        models: {
          fast: { targets: [{ target: 'first/m' }], fallback: ['spare'] },
          spare: 'second/m',
        },
        keys: [
          { name: 'narrow', key: 'sk-narrow0123456789', models: ['fast'] },
          { name: 'wide', key: 'sk-wide0123456789', models: ['second/*'] },
        ],
      },
    ),
  )
  expect((await chat(gateway, 'fast', 'sk-narrow0123456789')).status).toBe(200)
  for (const model of ['spare', 'second/m', 'first/m'])
    expect((await chat(gateway, model, 'sk-narrow0123456789')).status).toBe(403)
  expect((await chat(gateway, 'second/m', 'sk-wide0123456789')).status).toBe(200)
  for (const model of ['fast', 'spare', 'second', 'secondary/m'])
    expect((await chat(gateway, model, 'sk-wide0123456789')).status).toBe(403)
})

test('the most specific timeout applies: target, route, provider, default', async () => {
  await using gateway = await start({
    providers: {
      only: {
        type: 'openai',
        baseUrl: 'http://127.0.0.1:1',
        key: 'k',
        timeouts: { headersMs: 2_000, idleMs: 2_000, totalMs: 2_000 },
      },
    },
    defaults: {
      timeouts: { headersMs: 1_000, idleMs: 1_000, totalMs: 1_000, firstTokenMs: 1_000 },
    },
    models: {
      m: {
        targets: [{ target: 'only/m', timeouts: { totalMs: 4_000 } }],
        timeouts: { idleMs: 3_000, totalMs: 3_000 },
      },
    },
  })
  const key = gateway.gateway.keys.find('sk-test0123456789abcdef')
  expect(key).toBeDefined()
  if (!key) return
  const limitsOf = async (name: string) =>
    (await gateway.gateway.current.routing.route(name, key, 'chat')).levels[0]?.[0]?.timeouts
  expect(await limitsOf('m')).toMatchObject({
    headersMs: 2_000,
    idleMs: 3_000,
    totalMs: 4_000,
    firstTokenMs: 1_000,
  })
  expect(await limitsOf('builtin-chat')).toMatchObject({ totalMs: 1_000 })
})

describe('rejected provider keys', () => {
  test('a model that a provider key may not use leaves the key usable for others', async () => {
    await using only = await fakeUpstream((seen, response) =>
      seen.body['model'] === 'forbidden'
        ? json(response, { error: { message: 'no access' } }, { status: 403 })
        : json(response, chatReply('Hello')),
    )
    await using gateway = await start(at({ only }))
    expect((await chat(gateway, 'only/forbidden')).status).toBe(502)
    expect((await chat(gateway, 'only/m')).status).toBe(200)
  })
})

describe('target health remembers', () => {
  test('the ten thousand targets used last', () => {
    let now = 0
    const health = createHealth(() => now)
    const breaker = { failures: 1, windowMs: 1_000, cooldownMs: 1_000_000 }
    health.failed('first', 'key', breaker)
    health.failed('used', 'key', breaker)
    for (let index = 0; index < 10_000; index += 1) {
      now += 1
      health.available(`read/${index}`, 'key')
      health.answered(`p/${index}`, 'key', 5)
      if (index % 1_000 === 0) health.failed('used', 'key', breaker)
    }
    expect(health.available('first', 'key')).toBe(true)
    expect(health.available('used', 'key')).toBe(false)
    expect(health.latencyMs('p/9999')).toBe(5)
  })

  describe.each([
    { ofModels: 'all', ofCallers: 'all' },
    { ofModels: 'one', ofCallers: 'all' },
    { ofModels: 'all', ofCallers: 'one' },
    { ofModels: 'one', ofCallers: 'one' },
  ] as const)('by a proof for $ofModels of the models and $ofCallers of the callers', (proof) => {
    const at = { baseUrl: 'p', format: 'responses', model: 'm', caller: 'alice' }
    const setUp = () => {
      let now = 0
      const health = createHealth(() => now)
      return {
        health,
        pass: (ms: number) => (now += ms),
        lacks: (caller: string, model = 'm', format = 'responses') =>
          health.lacksFormat('p', format, model, caller),
      }
    }

    test('a format that an upstream lacks, for ten minutes', () => {
      const { health, pass, lacks } = setUp()
      health.setFormatLacking(at, proof)
      expect(lacks('alice')).toBe(true)
      expect(lacks('alice', 'other')).toBe(proof.ofModels === 'all')
      expect(lacks('bob')).toBe(proof.ofCallers === 'all')
      expect(lacks('alice', 'm', 'messages')).toBe(false)
      expect(health.lacksFormat('q', 'responses', 'm', 'alice')).toBe(false)
      pass(600_001)
      expect(lacks('alice')).toBe(false)
    })

    test('a format that has worked before, for the caller who proved it', () => {
      const { health, lacks } = setUp()
      health.formatWorked('p', 'responses')
      health.setFormatLacking(at, proof)
      expect(lacks('alice')).toBe(true)
      expect(lacks('bob')).toBe(false)
    })
  })

  test.each([
    [
      'gemini',
      {
        error: {
          code: 404,
          status: 'NOT_FOUND',
          message: 'models/x is not found for API version v1beta',
        },
      },
    ],
    ['gemini', { error: { code: 404, status: 'NOT_FOUND', message: 'The model x was retired' } }],
  ] as const)(
    'a 404 of %s for an unknown model does not mark the format as lacking',
    async (type, body) => {
      await using only = await fakeUpstream((_seen, response) =>
        json(response, body, { status: 404 }),
      )
      await using gateway = await start({
        providers: { only: { type, baseUrl: only.url, key: 'k' } },
      })
      const response = await gateway.post('/v1beta/models/only/x:generateContent', {
        contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
      })
      expect(response.status).toBe(404)
      expect(only.seen.length).toBe(1)
    },
  )
})

test.each([
  [{ 'retry-after': '7' }, 7_000],
  [{ 'retry-after': '0.5' }, 500],
  [{ 'retry-after': '-5' }, 0],
  [{ 'retry-after': '99999999999999999999999' }, 86_400_000],
  [{ 'retry-after': 'Wed, 21 Oct 2099 07:28:00 GMT' }, 86_400_000],
  [{ 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' }, 0],
  [{ 'retry-after': '1e400' }, undefined],
  [{ 'retry-after': '' }, undefined],
  [{ 'retry-after': 'soon' }, undefined],
  [{ 'retry-after-ms': '1500', 'retry-after': '9' }, 1_500],
  [{ 'retry-after-ms': 'x', 'retry-after': '9' }, 9_000],
  [{}, undefined],
])('reads Retry-After from %j', (headers, ms) => {
  expect(readRetryAfter(headers as Record<string, string>, Date.UTC(2026, 0, 1))).toBe(ms)
})
