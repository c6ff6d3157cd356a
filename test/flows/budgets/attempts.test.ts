// An attempt that is charged does not use up the reservation of the next one: the budget covers both, or the next is
// not made.
import { afterAll, describe, expect, test } from 'vitest'
import type { ConfigFile } from '../../../packages/sluice/src/config/schema.ts'
import { type Answering, fakeUpstream, json, sse } from '../../support/fakes/fake-upstream.ts'
import { chatReply, chunk, done } from '../../support/fakes/openai-wire.ts'
import { reservedTokens } from '../../support/formats/reserved-tokens.ts'
import { ownedKey, writeOwners } from '../../support/gateways/owners.ts'
import { leaveOut } from '../../support/leave-out.ts'
import { ledger } from '../../support/ledger.ts'
import { noRedis, openRedisServer } from '../../support/servers/redis-server.ts'
import { start, until } from '../../support/start.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const redis = await openRedisServer()
afterAll(() => redis?.[Symbol.asyncDispose]())
test('Redis is available', (context) => {
  if (!redis) leaveOut(context, noRedis)
})

const good: Answering = async ({ body: { stream } }, response) => {
  if (stream !== true) return json(response, chatReply('Hello'))
  const usage = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 }
  await sse(response, [chunk({ content: 'Hello' }), { ...chunk({}, 'stop'), usage }, done])
}
/** The request is there, and no response comes in time. */
const silent: Answering = () => {}
const refuses: Answering = (_seen, response) =>
  json(response, { error: { message: 'no' } }, { status: 500 })
/** Says what it has used, and breaks off before its first content. */
const breaksOff: Answering = async (_seen, response) => {
  const usage = { prompt_tokens: 40, completion_tokens: 0, total_tokens: 40 }
  await sse(response, [{ ...chunk({}), choices: [], usage }], { end: false })
  response.destroy()
}

const body = {
  model: 'any',
  max_tokens: 100,
  messages: [{ role: 'user', content: 'Tell me of cats and of mats. '.repeat(20) }],
}

/** One millionth of a dollar for each token. The names are equally long, so that a request reserves the same with each. */
const content: ConfigFile = {
  prices: { 'up/*': { input: 1, output: 1 } },
  models: {
    two: {
      targets: [{ target: 'up/a' }, { target: 'up/b', priority: 1 }],
      hedge: { enabled: true, delayMs: 5_000 },
    },
    now: {
      targets: [{ target: 'up/a' }, { target: 'up/b', priority: 1 }],
      retries: { attempts: 2, baseMs: 1, maxMs: 1 },
      hedge: { enabled: true, delayMs: 1 },
    },
    any: {
      targets: [{ target: 'up/a' }],
      fallback: ['up/b', 'up/c'],
      retries: { attempts: 2, baseMs: 1, maxMs: 1 },
    },
  },
  defaults: { timeouts: { headersMs: 400 } },
}

describe.each(redis ? ['memory', 'Redis'] : ['memory'])('with limits in %s', (limits) => {
  async function stage(limitMicroUsd: number, answers: readonly Answering[]) {
    await using opened = new AsyncDisposableStack()
    const { path: dataFolder } = opened.use(temporaryFolder())
    const budgets = [
      { id: 'all', window: 'month', limitMicroUsd },
      { id: 'other', window: 'month', limitMicroUsd: 1, model: 'elsewhere/*' },
    ] as const
    await writeOwners(dataFolder, { team: { budgets } })
    if (limits === 'Redis') {
      await redis?.kill()
      await redis?.start({ empty: true })
    }
    let asked = 0
    const upstream = opened.use(
      await fakeUpstream((seen, response, request) =>
        (answers[asked++] ?? good)(seen, response, request),
      ),
    )
    const settings: ConfigFile = {
      ...content,
      providers: { up: { type: 'openai', baseUrl: upstream.url, key: 'k' } },
      ...(limits === 'Redis' && { redis: { url: redis?.url ?? '', timeoutMs: 2_000 } }),
    }
    const gateway = opened.use(await start(settings, { dataFolder }))
    const left = async () => {
      const said = await gateway.request('/v1/usage', { key: ownedKey })
      const { limits: all } = (await said.json()) as {
        limits: { kind: string; remaining: number }[]
      }
      return all.find(({ kind }) => kind === 'budget')?.remaining
    }
    const moved = opened.move()
    return {
      gateway,
      upstream,
      left,
      ask: (further: object = {}) =>
        gateway.post('/v1/chat/completions', { ...body, ...further }, { key: ownedKey }),
      costs: async () =>
        (await ledger(gateway)).map(({ costMicroUsd = Number.NaN }) => costMicroUsd).toReversed(),
      [Symbol.asyncDispose]: () => moved.disposeAsync(),
    }
  }
  const whole = 100_000

  /** What one attempt reserves, and what one costs that nothing came of in time. */
  async function sizes() {
    let finish = Promise.withResolvers<void>()
    const held: Answering = async (_seen, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders()
      await finish.promise
      response.end(JSON.stringify(chatReply('Hello')))
    }
    await using staged = await stage(whole, [held, silent, held])
    const underWay = async (attempts: number) => {
      const asking = staged.ask()
      await until(() => staged.upstream.seen.length === attempts)
      const gone = whole - ((await staged.left()) ?? 0)
      finish.resolve()
      await (await asking).arrayBuffer()
      finish = Promise.withResolvers()
      return gone
    }
    const reserved = await underWay(1)
    const both = await underWay(3)
    const [first = 0, prompt = 0, last = 0] = await staged.costs()
    expect(both).toBe(first + prompt + reserved)
    await expect.poll(staged.left).toBe(whole - first - prompt - last)
    return { reserved, prompt }
  }

  test('falls back to the next target only if the budget covers both attempts', async () => {
    const { reserved, prompt } = await sizes()
    expect(prompt).toBeGreaterThan(100)
    expect(reserved).toBeGreaterThan(prompt)
    {
      await using enough = await stage(reserved + 2 * prompt, [silent, silent, good])
      expect((await enough.ask()).status).toBe(200)
      await expect.poll(enough.costs).toEqual([prompt, prompt, 10])
      await expect.poll(enough.left).toBe(reserved - 10)
    }
    await using short = await stage(reserved + 2 * prompt - 1, [silent, silent, good])
    const refused = await short.ask()
    expect(refused.status).toBe(429)
    expect(refused.headers.get('x-should-retry')).toBe('false')
    expect(await refused.json()).toMatchObject({
      error: {
        code: 'insufficient_quota',
        message: expect.stringContaining('left, and another attempt needs $0.000'),
      },
    })
    expect(short.upstream.seen).toHaveLength(2)
    expect(await short.costs()).toEqual([prompt, prompt])
    await expect.poll(short.left).toBe(reserved - 1)
  })

  test('retries the same target only if the budget covers both attempts', async () => {
    const stream = { stream: true }
    const whole = (await sizes()).reserved
    const reserved = whole + reservedTokens({ ...body, ...stream }) - reservedTokens(body)
    {
      await using enough = await stage(reserved + 40, [breaksOff, good])
      const answer = await enough.ask(stream)
      expect(answer.status).toBe(200)
      await answer.arrayBuffer()
      expect(enough.upstream.seen.map(({ body: { model } }) => model)).toEqual(['a', 'a'])
    }
    await using short = await stage(reserved + 39, [breaksOff, good])
    expect((await short.ask(stream)).status).toBe(429)
    expect(short.upstream.seen).toHaveLength(1)
    await expect.poll(short.left).toBe(reserved - 1)
  })

  test('a fallback of a hedge may use the unspent half of the reservation', async () => {
    const { reserved, prompt } = await sizes()
    await using staged = await stage(2 * reserved, [silent, good])
    expect((await staged.ask({ model: 'two' })).status).toBe(200)
    await expect.poll(staged.costs).toEqual([prompt, 10])
    await expect.poll(staged.left).toBe(2 * reserved - prompt - 10)
  })

  test('a leg of a hedge without budget for a retry does not cancel the other leg', async () => {
    const { reserved } = await sizes()
    const both = Promise.withResolvers<void>()
    const gone = Promise.withResolvers<void>()
    const first: Answering = async (seen, response, request) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
      await both.promise
      await breaksOff(seen, response, request)
      gone.resolve()
    }
    const second: Answering = async (seen, response, request) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
      both.resolve()
      await gone.promise
      await new Promise((resolve) => setTimeout(resolve, 200))
      await good(seen, response, request)
    }
    await using staged = await stage(2 * reserved + 39, [first, second, good])
    const answer = await staged.ask({ model: 'now', stream: true })
    expect(answer.status).toBe(200)
    expect(await answer.text()).toContain('Hello')
    expect(staged.upstream.seen.map(({ body: { model } }) => model)).toEqual(['a', 'b'])
    await expect.poll(staged.left).toBe(2 * reserved + 39 - 40 - 10)
  })

  test('attempts that are not charged need no further budget', async () => {
    const { reserved } = await sizes()
    await using staged = await stage(reserved, [refuses, refuses, good])
    expect((await staged.ask()).status).toBe(200)
    expect(staged.upstream.seen).toHaveLength(3)
    await expect.poll(staged.left).toBe(reserved - 10)
  })
})
