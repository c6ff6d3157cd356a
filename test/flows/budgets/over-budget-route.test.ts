// A call that exceeds its budget can fall back to a cheaper route.
import { describe, expect, test } from 'vitest'
import type { ConfigFile } from '../../../packages/sluice/src/config/schema.ts'
import type { Budget } from '../../../packages/gateway/src/ports/account.ts'
import { type Answering, fakeUpstream, json } from '../../support/fakes/fake-upstream.ts'
import { chatReply } from '../../support/fakes/openai-wire.ts'
import { reservedTokens } from '../../support/formats/reserved-tokens.ts'
import { type Levels, ownedKey, writeOwners } from '../../support/gateways/owners.ts'
import { ledger } from '../../support/ledger.ts'
import { start, until } from '../../support/start.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

/** Millionths of a dollar for a token. */
const prices = {
  'dear/*': { input: 10, output: 10 },
  'cheap/*': { input: 1, output: 1 },
}
const budget = (limitMicroUsd: number, further: Partial<Budget> = {}): Budget => ({
  id: 'b1',
  window: 'month',
  limitMicroUsd,
  overBudget: { route: 'cheap/m' },
  ...further,
})

const chat = {
  model: 'dear/m',
  max_tokens: 97,
  messages: [{ role: 'user', content: 'Hi there!' }],
}
/** What is put aside for it. */
const tokens = reservedTokens(chat)

const answers: Answering = (_seen, response) => json(response, chatReply('Hello'))

async function stage(levels: Levels, content: ConfigFile = {}) {
  await using opened = new AsyncDisposableStack()
  const { path: dataFolder } = opened.use(temporaryFolder())
  await writeOwners(dataFolder, levels)
  const dear = opened.use(await fakeUpstream(answers))
  const cheap = opened.use(await fakeUpstream(answers))
  const provider = (baseUrl: string) => ({ type: 'openai' as const, baseUrl, key: 'k' })
  const gateway = opened.use(
    await start(
      {
        prices,
        defaults: { retries: { attempts: 1 } },
        providers: { dear: provider(dear.url), cheap: provider(cheap.url) },
        ...content,
      },
      { dataFolder },
    ),
  )
  const moved = opened.move()
  return {
    dear,
    cheap,
    gateway,
    ask: (body: object = chat, path = '/v1/chat/completions') =>
      gateway.post(path, body, { key: ownedKey }),
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  }
}

describe('a call goes to its own route while the budget covers it', () => {
  test.each([
    ['one above its cost', 10 * tokens + 1, 'dear', null],
    ['exactly its cost', 10 * tokens, 'dear', null],
    ['one below its cost', 10 * tokens - 1, 'cheap', 'cheap/m'],
    ['the cost of the fallback route', tokens, 'cheap', 'cheap/m'],
  ])('budget: %s', async (_name, limit, provider, header) => {
    await using staged = await stage({ team: { budgets: [budget(limit)] } })
    const answer = await staged.ask()
    expect(answer.status).toBe(200)
    expect(answer.headers.get('x-sluice-provider')).toBe(provider)
    expect(answer.headers.get('x-sluice-over-budget')).toBe(header)
    await answer.arrayBuffer()
    expect([staged.dear.seen.length, staged.cheap.seen.length]).toEqual(
      provider === 'dear' ? [1, 0] : [0, 1],
    )
  })

  test('budget below the cost of the fallback route: rejected as without a route', async () => {
    await using staged = await stage({ team: { budgets: [budget(tokens - 1)] } })
    const refused = await staged.ask()
    expect(refused.status).toBe(429)
    expect(refused.headers.get('x-sluice-over-budget')).toBe(null)
    const { error } = (await refused.json()) as { error: { code: string; message: string } }
    expect(error.code).toBe('insufficient_quota')
    expect(error.message).toContain(
      `this request may cost up to $${((10 * tokens) / 1_000_000).toFixed(6)}`,
    )
    expect([...staged.dear.seen, ...staged.cheap.seen]).toEqual([])
  })
})

test('the record and the log name the over-budget route and the budget', async () => {
  await using staged = await stage({ team: { budgets: [budget(tokens)] } })
  expect((await staged.ask()).status).toBe(200)
  const line = await until(() => staged.gateway.logged.find(({ message }) => message === 'request'))
  expect(line.fields).toMatchObject({ model: 'dear/m', overBudget: 'b1', route: 'cheap/m' })
  expect(await ledger(staged.gateway)).toMatchObject([
    {
      provider: 'cheap',
      model: 'm',
      requestedModel: 'dear/m',
      overBudget: 'b1',
      reservedMicroUsd: tokens,
      costMicroUsd: 10,
    },
  ])
})

describe('a free route answers when the budget is spent:', () => {
  const free = budget(0, { overBudget: { route: 'builtin-chat' } })

  test.each<[string, object]>([
    ['/v1/chat/completions', chat],
    ['/v1/chat/completions', { ...chat, stream: true }],
    ['/v1/messages', { ...chat, stream: false }],
    ['/v1/responses', { model: 'dear/m', input: 'Hi' }],
    ['/v1beta/models/dear%2Fm:generateContent', { contents: [{ parts: [{ text: 'Hi' }] }] }],
  ])('%s %o', async (path, body) => {
    await using staged = await stage({ organization: { budgets: [free] } })
    const answer = await staged.ask(body, path)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('x-sluice-over-budget')).toBe('builtin-chat')
    expect(await answer.text()).toContain('builtin-chat')
    expect(staged.dear.seen).toEqual([])
  })

  test('unless another budget is spent, too', async () => {
    await using staged = await stage({
      organization: { budgets: [free] },
      key: { budgets: [{ id: 'b2', window: 'day', limitMicroUsd: 0 }] },
    })
    expect((await staged.ask()).status).toBe(429)
  })
})

describe('a call is rejected where its over-budget route is not allowed:', () => {
  test.each<[string, Levels]>([
    ['the key may not use it', { key: { budgets: [budget(tokens)], models: ['dear/*'] } }],
    [
      'the team may not use it',
      { key: { budgets: [budget(tokens)] }, team: { models: ['dear/*', 'builtin-*'] } },
    ],
    [
      'the route does not exist',
      { key: { budgets: [budget(tokens, { overBudget: { route: 'nobody/m' } })] } },
    ],
  ])('%s', async (_name, levels) => {
    await using staged = await stage(levels)
    const refused = await staged.ask()
    expect(refused.status).toBe(429)
    expect(await refused.json()).toMatchObject({ error: { code: 'insufficient_quota' } })
    const seen = [...staged.dear.seen, ...staged.cheap.seen]
    // Whether somebody has such a model is asked for.
    expect(seen.filter(({ method }) => method === 'POST')).toEqual([])
  })

  test('a route without a known price', async () => {
    await using staged = await stage(
      { key: { budgets: [budget(tokens)] } },
      { prices: { 'dear/*': { input: 10, output: 10 } } },
    )
    expect((await staged.ask()).status).toBe(429)
    expect(staged.cheap.seen).toEqual([])
  })
})

test('concurrent calls go each way as far as the budget allows', async () => {
  // Three at ten a token, then five at one.
  const limit = 3 * 10 * tokens + 5 * tokens
  await using staged = await stage({ team: { budgets: [budget(limit)] } })
  const { dear, cheap, ask } = staged
  const held: (() => void)[] = []
  const holds: Answering = (seen, response, request) =>
    void held.push(() => void answers(seen, response, request))
  for (const upstream of [dear, cheap]) upstream.answer(holds)
  const asked = Array.from({ length: 20 }, () => ask())
  await until(() => held.length === 8)
  const refused: number[] = []
  for (const one of asked) void one.then(({ status }) => status === 429 && refused.push(status))
  await until(() => refused.length === 12)
  for (const answer of held) answer()
  const statuses = await Promise.all(asked.map(async (one) => (await one).status))
  expect(statuses.filter((status) => status === 200)).toHaveLength(8)
  expect([dear.seen.length, cheap.seen.length]).toEqual([3, 5])
})
