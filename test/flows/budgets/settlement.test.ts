// However a call ends, its budget agrees with the ledger, and nothing stays reserved.
import { describe, expect, test } from 'vitest'
import type { ConfigFile } from '../../../packages/sluice/src/config/schema.ts'
import { granted } from '../../support/administrate.ts'
import { anthropicMessage, textBlock } from '../../support/fakes/anthropic-wire.ts'
import { type Answering, fakeUpstream, json, sse } from '../../support/fakes/fake-upstream.ts'
import { chatReply, textStream } from '../../support/fakes/openai-wire.ts'
import { type Started, start, until } from '../../support/start.ts'

const limitMicroUsd = 1_000_000
const messages = [{ role: 'user', content: 'Hi' }]
const prices = { '*': { input: 1, output: 1 } }
const good: Answering = (_seen, response) => json(response, chatReply('Hello'))
const fails: Answering = (_seen, response) =>
  json(response, { error: { message: 'no' } }, { status: 500 })

interface Case {
  readonly body?: object
  readonly first?: Answering
  /** Of the second try, or of the second target. */
  readonly then?: Answering
  readonly content?: ConfigFile
  /** Leaves after the first piece of a stream. */
  readonly leaves?: boolean
  readonly status?: number
  readonly attempts: number
}

const cases: readonly (readonly [string, Case])[] = [
  ['at once', { attempts: 1 }],
  ['at its second try', { first: fails, attempts: 2 }],
  ['at another target', { first: fails, body: { model: 'both' }, attempts: 3 }],
  ['in failures alone', { first: fails, then: fails, status: 503, attempts: 2 }],
  [
    'as a mistake of its caller, which the upstream tells',
    {
      first: (_seen, response) => json(response, { error: { message: 'no' } }, { status: 400 }),
      status: 400,
      attempts: 1,
    },
  ],
  [
    'as a stream',
    {
      body: { stream: true },
      first: (_seen, response) => sse(response, textStream),
      attempts: 1,
    },
  ],
  [
    'as a stream that its caller leaves',
    {
      body: { stream: true },
      first: (_seen, response) => sse(response, textStream.slice(0, 3), { end: false }),
      leaves: true,
      attempts: 1,
    },
  ],
  [
    'as a stream that breaks off',
    {
      body: { stream: true },
      async first(_seen, response) {
        await sse(response, textStream.slice(0, 3), { end: false })
        response.destroy()
      },
      attempts: 1,
    },
  ],
  [
    'as several answers, asked for one by one',
    {
      body: { model: 'claude/m', n: 3 },
      first: (_seen, response) => json(response, anthropicMessage([textBlock('Hello')])),
      then: (_seen, response) => json(response, anthropicMessage([textBlock('Hello')])),
      attempts: 3,
    },
  ],
]

/** A route that asks its second target when the first is silent for a moment. */
const hedged: ConfigFile = {
  models: {
    fast: {
      targets: [{ target: 'up/a' }, { target: 'up/b', priority: 1 }],
      retries: { attempts: 1 },
      hedge: { enabled: true, delayMs: 20 },
    },
  },
}
/** Says nothing before the other has answered, and then what it has used. */
const late: Answering = (_seen, response) => {
  const timer = setTimeout(() => json(response, chatReply('Hello')), 1_000)
  response.on('close', () => clearTimeout(timer))
}

const hedges: readonly (readonly [string, Case])[] = [
  [
    'at the second target of a hedge, and the first is left',
    { body: { model: 'fast' }, content: hedged, first: late, attempts: 2 },
  ],
  [
    'at the second target of a hedge, as a stream whose other one has begun',
    {
      body: { model: 'fast', stream: true },
      content: hedged,
      first: (_seen, response) => sse(response, textStream.slice(0, 1), { end: false }),
      then: (_seen, response) => sse(response, textStream),
      attempts: 2,
    },
  ],
  [
    'at the first target of a hedge, after the second has failed',
    {
      body: { model: 'fast' },
      content: hedged,
      first: (_seen, response) => void setTimeout(() => json(response, chatReply('Hello')), 200),
      then: fails,
      attempts: 2,
    },
  ],
]

async function stage(one: Case) {
  await using opened = new AsyncDisposableStack()
  let asked = 0
  const upstream = opened.use(
    await fakeUpstream((seen, response, request) => {
      asked += 1
      const { first = good, then = good } = one
      const isFirst = asked === 1 || (one.attempts === 3 && asked === 2 && first === fails)
      return (isFirst ? first : then)(seen, response, request)
    }),
  )
  const provider = { type: 'openai' as const, baseUrl: upstream.url, key: 'k' }
  const gateway = opened.use(
    await start({
      prices,
      defaults: { retries: { attempts: 2, baseMs: 1, maxMs: 1 } },
      providers: { up: provider, claude: { ...provider, type: 'anthropic' } },
      models: { both: { targets: [{ target: 'up/a' }, { target: 'up/b', priority: 1 }] } },
      ...one.content,
    }),
  )
  const moved = opened.move()
  return { gateway, [Symbol.asyncDispose]: () => moved.disposeAsync() }
}

async function left(gateway: Started, key: string): Promise<readonly number[]> {
  const own = await gateway.request('/v1/usage', { key })
  const { limits } = (await own.json()) as { limits: { kind: string; remaining: number }[] }
  return limits.map(({ remaining }) => remaining)
}

describe.each([...cases, ...hedges])('the budget of a call that ends %s', (_name, one) => {
  test('agrees with the ledger', async () => {
    await using staged = await stage(one)
    const { gateway } = staged
    const key = await granted(gateway, 'POST /admin/v1/keys', {
      name: 'k',
      // One is that of whoever asks what is left.
      concurrentRequests: 2,
      budgets: [{ id: 'b', window: 'month', limitMicroUsd }],
    })
    const body = { model: 'up/m', messages, max_tokens: 500, ...one.body }
    const leaving = new AbortController()
    const answer = await gateway.post('/v1/chat/completions', body, {
      key: key.secret,
      signal: leaving.signal,
    })
    expect(answer.status).toBe(one.status ?? 200)
    if (one.leaves === true) {
      await answer.body?.getReader().read()
      leaving.abort()
    } else await answer.text()
    const records = await until(async () => {
      await gateway.gateway.store.flush()
      const found = await gateway.gateway.store.listUsage({ limit: 99 })
      return found.length === one.attempts && found
    }, 20_000)
    const spent = records.reduce((sum, { costMicroUsd = Number.NaN }) => sum + costMicroUsd, 0)
    expect(spent).toBeLessThan(limitMicroUsd)
    await expect
      .poll(() => left(gateway, key.secret), { timeout: 20_000 })
      .toEqual([1, limitMicroUsd - spent])
  })
})
