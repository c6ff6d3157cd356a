// Fields by which an upstream would choose another model than the one the gateway has checked, reserved and recorded.
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import '../../support/property-limits.ts'
import { routingFieldIn } from '../../../packages/gateway/src/route/routing-field.ts'
import { providers } from '../../../packages/gateway/src/providers/index.ts'
import { granted } from '../../support/administrate.ts'
import { type FakeUpstream, fakeUpstream, json } from '../../support/fakes/fake-upstream.ts'
import { chatReply } from '../../support/fakes/openai-wire.ts'
import { at } from '../../support/routes.ts'
import { type Started, start } from '../../support/start.ts'

const chat = { model: 'only/cheap', messages: [{ role: 'user', content: 'Hi' }] }
const routings: readonly object[] = [
  { models: ['dear'] },
  { models: ['dear'], route: 'fallback' },
  { preset: 'dear' },
  { provider: { order: ['dear'] } },
  { plugins: [{ id: 'web' }] },
  { fallbacks: [{ model: 'dear' }] },
  { api_base: 'http://elsewhere.example' },
]

describe('a field that selects another model', () => {
  let upstream: FakeUpstream
  let gateway: Started
  const keys = new Map<string, string>()
  beforeAll(async () => {
    upstream = await fakeUpstream((_seen, response) => json(response, chatReply('Hello')))
    const only = { type: 'openai' as const, baseUrl: `${upstream.url}/v1`, models: ['cheap'] }
    gateway = await start({
      providers: { only, open: { ...only, routingFields: 'allow' as const } },
      prices: { '*': { input: 1, output: 1 } },
    })
    const budgets = [{ limitMicroUsd: 1_000_000, window: 'month' }]
    const poor = await granted(gateway, 'POST /admin/v1/teams', { name: 'poor', budgets })
    const made = async (name: string, terms: object) => {
      const key = await granted(gateway, 'POST /admin/v1/keys', { name, ...terms })
      keys.set(name, key.secret)
    }
    await made('limited in models', { models: ['only/*', 'open/*'] })
    await made('with a budget', { budgets })
    await made('of a team with a budget', { ownerId: poor.id })
    await made('free', {})
    await made('with all models', { models: ['*'] })
  })
  afterAll(async () => {
    await gateway[Symbol.asyncDispose]()
    await upstream[Symbol.asyncDispose]()
  })
  const ask = (name: string, body: object, path = '/v1/chat/completions') =>
    gateway.post(path, body, { key: keys.get(name) ?? null })

  const limited = ['limited in models', 'with a budget', 'of a team with a budget']
  test.each(limited.flatMap((name) => routings.map((fields) => [name, fields] as const)))(
    'is rejected for a key %s: %j',
    async (name, fields) => {
      const before = upstream.seen.length
      const response = await ask(name, { ...chat, ...fields, max_tokens: 5 })
      expect(response.status).toBe(403)
      const [param] = Object.keys(fields)
      expect(await response.json()).toMatchObject({ error: { param } })
      expect(upstream.seen).toHaveLength(before)
    },
  )

  test.each(['free', 'with all models'])('reaches the upstream for a key %s', async (name) => {
    for (const fields of routings) {
      expect((await ask(name, { ...chat, ...fields })).status).toBe(200)
      expect(upstream.seen.at(-1)?.body).toMatchObject(fields)
    }
  })

  test('reaches an upstream for which the operator allows it', async () => {
    const body = { ...chat, model: 'open/cheap', models: ['dear'], max_tokens: 5 }
    for (const name of limited) expect((await ask(name, body)).status).toBe(200)
    expect(upstream.seen.at(-1)?.body).toMatchObject({ models: ['dear'] })
  })

  test('is ignored when it is null', async () => {
    const body = { ...chat, models: null, provider: null, max_tokens: 5 }
    expect((await ask('limited in models', body)).status).toBe(200)
  })

  test('is rejected in embeddings and text completions, too', async () => {
    const model = 'only/cheap'
    const embed = { model, input: 'a', models: ['dear'] }
    expect((await ask('limited in models', embed, '/v1/embeddings')).status).toBe(403)
    const complete = { model, prompt: 'a', models: ['dear'] }
    expect((await ask('limited in models', complete, '/v1/completions')).status).toBe(403)
  })
})

describe('rejects a field name in different case', () => {
  const bodies = [
    ['/v1/chat/completions', { ...chat, Model: 'dear' }, 'Model'],
    ['/v1/chat/completions', { ...chat, MAX_TOKENS: 100_000 }, 'MAX_TOKENS'],
    ['/v1/chat/completions', { ...chat, max_toKens: 100_000 }, 'max_toKens'],
    ['/v1/chat/completions', { ...chat, meſſages: [] }, 'meſſages'],
    ['/v1/embeddings', { model: 'only/cheap', input: 'a', INPUT: 'b' }, 'INPUT'],
    [
      '/v1/responses',
      { model: 'only/cheap', input: 'a', Max_Output_Tokens: 9 },
      'Max_Output_Tokens',
    ],
    ['/v1/messages', { ...chat, max_tokens: 5, Max_tokens: 9 }, 'Max_tokens'],
    [
      '/v1beta/models/only/cheap:generateContent',
      { contents: [{ parts: [{ text: 'a' }] }], GenerationConfig: { maxOutputTokens: 9 } },
      'GenerationConfig',
    ],
  ] as const
  test.each(bodies)('%s: %j', async (path, body, name) => {
    await using only = await fakeUpstream((_seen, response) => json(response, chatReply('Hello')))
    await using gateway = await start(at({ only }))
    const response = await gateway.post(path, body)
    expect(response.status).toBe(400)
    expect(JSON.stringify(await response.json())).toContain(name)
    expect(only.seen).toHaveLength(0)
  })
})

describe('routing fields of a provider', () => {
  test('are known for OpenRouter and absent for OpenAI', () => {
    const of = (id: string) => providers.get(id)?.routingFields
    expect(routingFieldIn({ model: 'a', models: ['b'] }, of('openrouter'))).toBe('models')
    expect(routingFieldIn({ model: 'a', models: ['b'] }, of('openai'))).toBeUndefined()
    expect(routingFieldIn({ fallbacks: [] }, of('anthropic'))).toBe('fallbacks')
  })

  test('that are nested are found at their path only', () => {
    const inside = { generationConfig: { routingConfig: { autoMode: {} } } }
    expect(routingFieldIn(inside, undefined)).toBe('generationConfig.routingConfig')
    expect(routingFieldIn({ generationConfig: {} }, undefined)).toBeUndefined()
  })

  test('never match other fields', () => {
    const name = fc
      .string()
      .filter((text) => routingFieldIn({ [text]: 1 }, undefined) === undefined)
    fc.assert(
      fc.property(fc.dictionary(name, fc.jsonValue()), (request) => {
        expect(routingFieldIn(request, undefined)).toBeUndefined()
      }),
    )
  })
})
