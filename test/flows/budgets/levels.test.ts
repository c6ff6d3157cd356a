// The cost of a call is reserved on all levels before an upstream is called, and replaced by the actual cost
// afterwards.
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import type { ConfigFile } from '../../../packages/sluice/src/config/schema.ts'
import type { Budget } from '../../../packages/gateway/src/ports/account.ts'
import { fakeUpstream, json } from '../../support/fakes/fake-upstream.ts'
import { chatReply } from '../../support/fakes/openai-wire.ts'
import { reservedTokens } from '../../support/formats/reserved-tokens.ts'
import { type Levels, ownedKey, siblingKey, writeOwners } from '../../support/gateways/owners.ts'
import { ledger } from '../../support/ledger.ts'
import { start, until } from '../../support/start.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

/** One millionth of a dollar for each token. The fake upstream's answers have used ten. */
const prices = { 'up/*': { input: 1, output: 1 }, 'other/*': { input: 3, output: 3 } }
const used = 10

const budget = (limitMicroUsd: number, further: Partial<Budget> = {}): Budget => ({
  id: 'b1',
  window: 'month',
  limitMicroUsd,
  ...further,
})

const chat = (max_tokens: number, model = 'up/m') => ({
  model,
  max_tokens,
  messages: [{ role: 'user', content: 'Hi' }],
})

async function stage(levels: Levels, content: ConfigFile = {}) {
  await using opened = new AsyncDisposableStack()
  const { path: dataFolder } = opened.use(temporaryFolder())
  await writeOwners(dataFolder, levels)
  const upstream = opened.use(
    await fakeUpstream((_seen, response) => json(response, chatReply('Hello'))),
  )
  const provider = { type: 'openai' as const, baseUrl: upstream.url, key: 'k' }
  const gateway = opened.use(
    await start(
      {
        prices,
        defaults: { retries: { attempts: 1 } },
        providers: { up: provider, other: provider },
        ...content,
      },
      { dataFolder },
    ),
  )
  const moved = opened.move()
  return {
    upstream,
    gateway,
    post: (body: object, { key = ownedKey, headers = {}, path = '/v1/chat/completions' } = {}) =>
      gateway.post(path, body, { key, headers }),
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  }
}

const messageOf = async (answer: Response) =>
  ((await answer.json()) as { error: { message: string } }).error.message

describe.each(['key', 'user', 'team', 'organization'] as const)('a budget of the %s', (level) => {
  test('is reserved before the upstream is called and settled with the cost', async () => {
    await using staged = await stage({ [level]: { budgets: [budget(1_000)] } })
    const { upstream, post } = staged
    const open: (() => void)[] = []
    upstream.answer((_seen, response) => {
      open.push(() => json(response, chatReply('Hello')))
    })
    const first = post(chat(600))
    await until(() => open.length === 1)
    const refused = await post(chat(600))
    expect(refused.status).toBe(429)
    expect(upstream.seen).toHaveLength(1)
    open[0]?.()
    expect((await first).status).toBe(200)
    await (await first).arrayBuffer()
    upstream.answer((_seen, response) => json(response, chatReply('Hello')))
    // What was not used is back.
    await expect.poll(async () => (await post(chat(800))).status).toBe(200)
    expect((await post(chat(900 - used))).status).toBe(429)
  })

  test('names its owner and its reset time when it is spent', async () => {
    await using staged = await stage({ [level]: { budgets: [budget(5)] } })
    const refused = await staged.post(chat(100))
    expect(refused.status).toBe(429)
    expect(refused.headers.get('x-should-retry')).toBe('false')
    const message = await messageOf(refused)
    const whose = level === 'key' ? 'this key' : `the ${level} some ${level}`
    expect(message).toMatch(`The monthly budget of $0.000005 of ${whose} has $0.000005 left`)
    expect(staged.upstream.seen).toEqual([])
  })
})

test('budgets and limits of all levels apply, and a refused call uses none of them', async () => {
  await using staged = await stage({
    key: { budgets: [budget(1_000)], requestsPerMinute: 100 },
    team: { requestsPerMinute: 3, tokensPerMinute: 100_000 },
    organization: { budgets: [budget(2 * used + reservedTokens(chat(10)))], concurrentRequests: 5 },
  })
  const { post } = staged
  const first = await post(chat(10))
  expect(first.status).toBe(200)
  expect(first.headers.get('x-ratelimit-limit-requests')).toBe('3')
  expect(first.headers.get('x-ratelimit-limit-tokens')).toBe('100000')
  await first.arrayBuffer()
  for (let count = 0; count < 5; count += 1) expect((await post(chat(500))).status).toBe(429)
  expect((await post(chat(1), { key: siblingKey })).status).toBe(200)
  const third = await post(chat(1))
  expect(third.headers.get('x-ratelimit-remaining-requests')).toBe('0')
  const fourth = await post(chat(1))
  expect(fourth.status).toBe(429)
  expect(Number(fourth.headers.get('retry-after'))).toBeGreaterThan(0)
})

test('a budget may be restricted to one model or one tag', async () => {
  await using staged = await stage({
    key: {
      budgets: [
        budget(5, { id: 'model', model: 'other/*' }),
        budget(5, { id: 'tag', tag: 'nightly', window: 'lifetime' }),
      ],
    },
  })
  const { post } = staged
  expect((await post(chat(100))).status).toBe(200)
  const model = await post(chat(100, 'other/m'))
  expect(model.status).toBe(429)
  expect(await messageOf(model)).toContain('budget of $0.000005 for other/* of this key')
  const tagged = await post(chat(100), { headers: { 'x-sluice-tags': 'nightly' } })
  expect(tagged.status).toBe(429)
  expect(await messageOf(tagged)).toContain('for the tag nightly of this key')
})

test('reserves the cost of the most expensive target of a route', async () => {
  const models = { both: { targets: [{ target: 'up/m' }, { target: 'other/m', priority: 1 }] } }
  await using staged = await stage({ key: { budgets: [budget(1_000)] } }, { models })
  const { post, upstream } = staged
  expect((await post(chat(300, 'both'))).status).toBe(429)
  expect(upstream.seen).toEqual([])
  expect((await post(chat(150, 'both'))).status).toBe(200)
})

test('reserves the cost of both legs of a hedge', async () => {
  const models = {
    raced: {
      targets: [{ target: 'up/m' }, { target: 'other/m', priority: 1 }],
      hedge: { enabled: true, delayMs: 1 },
    },
  }
  await using staged = await stage({ key: { budgets: [budget(1_000)] } }, { models })
  const { post, upstream } = staged
  // Twice three hundred and more are more than there is.
  expect((await post(chat(200, 'raced'))).status).toBe(429)
  upstream.answer((seen, response) => {
    if (seen.body['model'] === 'm') setTimeout(() => json(response, chatReply('Hello')), 50)
  })
  expect((await post(chat(10, 'raced'))).status).toBe(200)
  expect(upstream.seen.length).toBe(2)
})

describe('settles the cost of all attempts of a call:', () => {
  const limit = 100_000
  const levels = { key: { budgets: [budget(limit)] } }
  /** What is gone of the budget once nothing is under way, and what the ledger says of each attempt. */
  async function settled({ gateway }: Awaited<ReturnType<typeof stage>>) {
    const records = await ledger(gateway)
    const said = await gateway.request('/v1/usage', { key: ownedKey })
    const { limits } = (await said.json()) as { limits: { kind: string; remaining: number }[] }
    const left = limits.find(({ kind }) => kind === 'budget')?.remaining ?? Number.NaN
    return {
      spent: limit - left,
      costs: records.map(({ costMicroUsd }) => costMicroUsd).toReversed(),
    }
  }
  const targets = [{ target: 'up/m' }, { target: 'other/m', priority: 1 }]

  test('a timed-out attempt costs its prompt', async () => {
    const timeouts = { headersMs: 1_000 }
    const models = { again: { targets, retries: { attempts: 1 }, timeouts } }
    await using staged = await stage(levels, { models })
    const { upstream, post } = staged
    upstream.answer((_seen, response) => {
      if (upstream.seen.length > 1) json(response, chatReply('Hello'))
    })
    expect((await post(chat(97, 'again'))).status).toBe(200)
    await expect.poll(() => settled(staged)).toEqual({ spent: 31, costs: [1, 30] })
  })

  test('an attempt answered with an error costs nothing', async () => {
    const models = { again: { targets, retries: { attempts: 1 } } }
    await using staged = await stage(levels, { models })
    const { upstream, post } = staged
    const statuses = [500, 200]
    upstream.answer((_seen, response) =>
      json(response, chatReply('Hello'), { status: statuses.shift() ?? 200 }),
    )
    expect((await post(chat(100, 'again'))).status).toBe(200)
    await expect.poll(() => settled(staged)).toEqual({ spent: 3 * used, costs: [0, 30] })
  })

  test('the loser of a hedge costs its prompt when it reports no usage', async () => {
    const models = { raced: { targets, hedge: { enabled: true, delayMs: 1 } } }
    await using staged = await stage(levels, { models })
    const { upstream, post } = staged
    let count = 0
    upstream.answer((_seen, response) => {
      count += 1
      if (count === 2) json(response, chatReply('Hello'))
    })
    expect((await post(chat(97, 'raced'))).status).toBe(200)
    const { costs } = await settled(staged)
    // Of the first target a token costs one, of the second three; the answer was one of ten.
    const [small = 0, large = 0] = costs.map((cost = Number.NaN) => cost).toSorted((a, b) => a - b)
    expect([10, 30]).toContain(large)
    expect(small).toBeGreaterThan(0)
    expect(small).toBeLessThan(10)
    await expect.poll(async () => (await settled(staged)).spent).toBe(small + large)
  })

  test('each request for one of n choices is charged', async () => {
    const claude = (url: string) => ({ type: 'anthropic' as const, baseUrl: url, key: 'k' })
    await using claudes = await fakeUpstream((_seen, response) =>
      json(response, {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'm',
        content: [{ type: 'text', text: 'Hello' }],
        stop_reason: 'end_turn',
        stop_sequence: null,
        usage: { input_tokens: 7, output_tokens: 3 },
      }),
    )
    await using staged = await stage(levels, { providers: { other: claude(claudes.url) } })
    const answer = await staged.post({ ...chat(100, 'other/m'), n: 3 })
    expect(answer.status).toBe(200)
    const cost = 3 * used
    await expect.poll(() => settled(staged)).toEqual({ spent: 3 * cost, costs: [cost, cost, cost] })
  })
})

test('refuses a model without a price, unless unknownPrices is allow', async () => {
  const levels = { key: { budgets: [budget(1_000)] } }
  const onlyUp = { prices: { 'up/*': { input: 1, output: 1 } } }
  await using refusing = await stage(levels, onlyUp)
  const refused = await refusing.post(chat(1, 'other/m'))
  expect(refused.status).toBe(403)
  expect(await messageOf(refused)).toContain('the price of other/m is unknown')
  expect(refusing.upstream.seen).toEqual([])
  await using allowing = await stage(levels, { ...onlyUp, limits: { unknownPrices: 'allow' } })
  expect((await allowing.post(chat(1, 'other/m'))).status).toBe(200)
})

test('remembers what was spent after a restart', async () => {
  using folder = temporaryFolder()
  const budgets = [budget(reservedTokens(chat(95)) + used - 1, { model: 'up/*' })]
  await writeOwners(folder.path, { team: { budgets } })
  await using upstream = await fakeUpstream((_seen, response) => json(response, chatReply('Hello')))
  const settings = {
    prices,
    providers: { up: { type: 'openai' as const, baseUrl: upstream.url, key: 'k' } },
  }
  const ask = async () => {
    await using gateway = await start(settings, { dataFolder: folder.path })
    const answer = await gateway.post('/v1/chat/completions', chat(95), { key: ownedKey })
    await answer.arrayBuffer()
    return answer.status
  }
  expect(await ask()).toBe(200)
  // Ten were spent, and what this one may cost is more than is left.
  expect(await ask()).toBe(429)
})

test('built-in models cost nothing, and are refused only once a budget is spent', async () => {
  await using staged = await stage({
    key: { budgets: [budget(5)] },
    team: { budgets: [budget(0, { id: 'spent', tag: 'spent' })] },
  })
  const builtin = { ...chat(5, 'builtin-chat') }
  for (let count = 0; count < 10; count += 1) expect((await staged.post(builtin)).status).toBe(200)
  const spent = await staged.post(builtin, { headers: { 'x-sluice-tags': 'spent' } })
  expect(spent.status).toBe(429)
})

describe('reports a spent budget in each client format', () => {
  const spent = { key: { budgets: [budget(0)] } }
  const messages = [{ role: 'user', content: 'Hi' }]
  test.each<[string, object, object]>([
    [
      '/v1/chat/completions',
      chat(1),
      { error: { code: 'insufficient_quota', type: 'insufficient_quota' } },
    ],
    [
      '/v1/responses',
      { model: 'up/m', input: 'Hi' },
      { error: { code: 'insufficient_quota', type: 'insufficient_quota' } },
    ],
    [
      '/v1/messages',
      { model: 'up/m', max_tokens: 1, messages },
      { type: 'error', error: { type: 'rate_limit_error' } },
    ],
    [
      '/v1beta/models/up%2Fm:generateContent',
      { contents: [{ parts: [{ text: 'Hi' }] }] },
      { error: { code: 429, status: 'RESOURCE_EXHAUSTED' } },
    ],
    [
      '/v2/rerank',
      { model: 'up/m', query: 'Hi', documents: ['a'] },
      { error: { code: 'insufficient_quota' } },
    ],
  ])('%s', async (path, body, said) => {
    await using staged = await stage(spent)
    const refused = await staged.post(body, { path })
    expect(refused.status).toBe(429)
    expect(refused.headers.get('x-should-retry')).toBe('false')
    expect(await refused.json()).toMatchObject(said)
    expect(staged.upstream.seen).toEqual([])
  })
})

describe('official clients do not retry after a spent budget', () => {
  const spent = { key: { budgets: [budget(0)] } }
  const count = (gateway: { logged: readonly { message: string }[] }) =>
    gateway.logged.filter(({ message }) => message === 'request').length

  test('openai', async () => {
    await using staged = await stage(spent)
    const client = new OpenAI({ apiKey: ownedKey, baseURL: `${staged.gateway.url}/v1` })
    const asked = client.chat.completions.create({
      model: 'up/m',
      messages: [{ role: 'user', content: 'Hi' }],
    })
    await expect(asked).rejects.toMatchObject({ status: 429, code: 'insufficient_quota' })
    expect(count(staged.gateway)).toBe(1)
  })

  test('anthropic', async () => {
    await using staged = await stage(spent)
    const client = new Anthropic({ apiKey: ownedKey, baseURL: staged.gateway.url })
    const asked = client.messages.create({
      model: 'up/m',
      max_tokens: 5,
      messages: [{ role: 'user', content: 'Hi' }],
    })
    await expect(asked).rejects.toMatchObject({ status: 429 })
    expect(count(staged.gateway)).toBe(1)
  })
})
