// A call that looks smaller than it is, or looks like another one, reserves what it can actually cost.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Budget } from '../../../packages/gateway/src/ports/account.ts'
import { granted } from '../../support/administrate.ts'
import { type FakeUpstream, fakeUpstream, json } from '../../support/fakes/fake-upstream.ts'
import { chatReply } from '../../support/fakes/openai-wire.ts'
import { type Started, start } from '../../support/start.ts'

/** One millionth of a dollar for each token. */
const price = { input: 1, output: 1, serviceTiers: { priority: 3, flex: 0.5, fast: 2, us: 1.5 } }

let upstream: FakeUpstream
let gateway: Started
beforeAll(async () => {
  upstream = await fakeUpstream((_seen, response) => json(response, chatReply('Hello')))
  const provider = { type: 'openai' as const, baseUrl: upstream.url, key: 'k' }
  gateway = await start({
    prices: { 'up/*': price, 'other/*': price },
    defaults: { retries: { attempts: 1 } },
    providers: {
      up: { ...provider, models: [{ id: 'mine', upstream: 'gpt-real' }, 'm'] },
      other: provider,
    },
    models: { main: { targets: [{ target: 'up/m' }] }, short: 'up/m' },
  })
})
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await upstream[Symbol.asyncDispose]()
})

async function keyWith(budget: Partial<Budget>, further: object = {}): Promise<string> {
  const budgets = [{ id: 'b', window: 'month', limitMicroUsd: 1_500, ...budget }]
  return (await granted(gateway, 'POST /admin/v1/keys', { name: 'k', budgets, ...further })).secret
}

const messages = [{ role: 'user', content: 'Hi' }]
const contents = [{ role: 'user', parts: [{ text: 'Hi' }] }]
const chat = '/v1/chat/completions'
const gemini = '/v1beta/models/up%2Fm:generateContent'

describe('rejects a call that may cost more than the budget:', () => {
  test.each<[string, string, object]>([
    ['two limits', chat, { model: 'up/m', messages, max_completion_tokens: 1, max_tokens: 2_000 }],
    [
      'two limits in the other order',
      chat,
      { model: 'up/m', messages, max_completion_tokens: 2_000, max_tokens: 1 },
    ],
    [
      'a limit in another format’s field',
      gemini,
      { contents, max_tokens: 1, generationConfig: { maxOutputTokens: 2_000 } },
    ],
    [
      'n in another format’s field',
      gemini,
      { contents, n: 1, generationConfig: { maxOutputTokens: 500, candidateCount: 4 } },
    ],
    ['best_of', '/v1/completions', { model: 'up/m', prompt: 'Hi', max_tokens: 100, best_of: 20 }],
    [
      'several prompts',
      '/v1/completions',
      { model: 'up/m', prompt: Array(10).fill('Hi'), max_tokens: 100, n: 2 },
    ],
    [
      'several prompts of token ids',
      '/v1/completions',
      { model: 'up/m', prompt: Array(20).fill([17, 18]), max_tokens: 100 },
    ],
    [
      'a more expensive service tier',
      chat,
      { model: 'up/m', messages, max_tokens: 600, service_tier: 'priority' },
    ],
    [
      'a more expensive speed',
      '/v1/messages',
      { model: 'up/m', messages, max_tokens: 800, speed: 'fast' },
    ],
    [
      'a more expensive region',
      '/v1/messages',
      { model: 'up/m', messages, max_tokens: 1_100, inference_geo: 'us' },
    ],
    [
      'a more expensive speed and region',
      '/v1/messages',
      { model: 'up/m', messages, max_tokens: 600, speed: 'fast', inference_geo: 'us' },
    ],
    [
      'a more expensive service tier of Gemini',
      gemini,
      {
        contents,
        generationConfig: { maxOutputTokens: 600 },
        serviceTier: 'PRIORITY',
      },
    ],
    ['several choices', chat, { model: 'up/m', messages, max_tokens: 500, n: 4 }],
  ])('%s', async (_name, path, body) => {
    const key = await keyWith({})
    const before = upstream.seen.length
    const answer = await gateway.post(path, body, { key })
    expect(answer.status, await answer.text()).toBe(429)
    expect(upstream.seen.length).toBe(before)
  })

  test('grants a call within the budget', async () => {
    const key = await keyWith({})
    const body = { model: 'up/m', messages, max_tokens: 1_250, service_tier: 'flex' }
    expect((await gateway.post(chat, body, { key })).status).toBe(200)
  })
})

describe('a budget for a model', () => {
  test.each<[string, string, boolean]>([
    ['m', 'up/m', true],
    ['m', 'other/m', true],
    ['m', 'main', true],
    ['m', 'short', true],
    ['up/m', 'main', true],
    ['up/*', 'short', true],
    ['main', 'main', true],
    ['gpt-real', 'up/mine', true],
    ['mine', 'up/mine', true],
    ['main', 'up/m', false],
    ['up/m', 'other/m', false],
    ['gpt-*', 'up/m', false],
  ])('%s counts a call of %s: %s', async (model, asked, isCounted) => {
    const key = await keyWith({ model, limitMicroUsd: 10 })
    const answer = await gateway.post(chat, { model: asked, messages, max_tokens: 100 }, { key })
    expect(answer.status, await answer.text()).toBe(isCounted ? 429 : 200)
  })
})

describe('a budget for a tag', () => {
  const body = { model: 'up/m', messages, max_tokens: 100 }
  const budget = { tag: 'nightly', limitMicroUsd: 10 }

  test.each<[string, Record<string, string>]>([
    ['without the tags header', {}],
    ['with other tags in the header', { 'x-sluice-tags': 'daily' }],
    ['with an empty tags header', { 'x-sluice-tags': '' }],
  ])('counts calls of a key with that tag, %s', async (_name, headers) => {
    const key = await keyWith(budget, { tags: ['nightly'] })
    expect((await gateway.post(chat, body, { key, headers })).status).toBe(429)
  })

  test('counts calls with that tag in their header, and no others', async () => {
    const key = await keyWith(budget)
    const headers = { 'x-sluice-tags': 'nightly' }
    expect((await gateway.post(chat, body, { key, headers })).status).toBe(429)
    expect((await gateway.post(chat, body, { key })).status).toBe(200)
  })
})
