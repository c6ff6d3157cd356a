// The budget of a model counts the cost of the attempts at that model, at this gateway, at another one, and after a
// restart.
import { afterAll, describe, expect, test } from 'vitest'
import type { UsageRecord } from '../../../packages/contract/src/core/usage.ts'
import type { ConfigFile } from '../../../packages/sluice/src/config/schema.ts'
import type { Budget } from '../../../packages/gateway/src/ports/account.ts'
import { type Answering, fakeUpstream, json } from '../../support/fakes/fake-upstream.ts'
import { chatReply } from '../../support/fakes/openai-wire.ts'
import { addOwners, ownedKey } from '../../support/gateways/owners.ts'
import { leaveOut } from '../../support/leave-out.ts'
import { type NewData, onEachDatabase } from '../../support/servers/databases.ts'
import { noRedis, openRedisServer } from '../../support/servers/redis-server.ts'
import { type Started, start, until } from '../../support/start.ts'

const limit = 1_000_000
const models = [undefined, 'up/a', 'b', 'fast', 'up/*', 'other/*', undefined] as const
const budgets: readonly Budget[] = models.map((model, at) => ({
  id: `b${at}`,
  window: 'month',
  limitMicroUsd: limit,
  ...(model !== undefined && { model }),
  ...(at === models.length - 1 && { tag: 'trial' }),
}))

/** What each budget counts of the ledger. */
const counts: readonly ((record: UsageRecord) => boolean)[] = [
  () => true,
  ({ model }) => model === 'a',
  ({ model }) => model === 'b',
  ({ requestedModel }) => requestedModel === 'fast',
  () => true,
  () => false,
  ({ tags }) => tags?.includes('trial') === true,
]

const targets = [{ target: 'up/a' }, { target: 'up/b', priority: 1 }]
const content: ConfigFile = {
  prices: { 'up/a': { input: 1, output: 1 }, 'up/b': { input: 100, output: 100 } },
  defaults: {
    retries: { attempts: 2, baseMs: 1, maxMs: 1 },
    timeouts: { headersMs: 1_500 },
  },
  models: {
    fast: { targets },
    hedged: { targets, retries: { attempts: 1 }, hedge: { enabled: true, delayMs: 20 } },
  },
}
const good: Answering = (_seen, response) => json(response, chatReply('Hello'))
const fails: Answering = (_seen, response) =>
  json(response, { error: { message: 'no' } }, { status: 500 })
const silent: Answering = () => {}

const redis = await openRedisServer()
afterAll(() => redis?.[Symbol.asyncDispose]())
test('Redis is available', (context) => {
  if (!redis) leaveOut(context, noRedis)
})

async function spent(gateway: Started): Promise<readonly number[]> {
  const said = await gateway.request('/v1/usage', { key: ownedKey })
  const { limits } = (await said.json()) as { limits: { kind: string; remaining: number }[] }
  return limits.flatMap(({ kind, remaining }) => (kind === 'budget' ? [limit - remaining] : []))
}

/** Calls that fell back, hedged and were tried again. */
const calls: readonly (readonly [model: string, answers: readonly Answering[], tag?: string])[] = [
  ['fast', [fails, fails, good], 'trial'],
  ['hedged', [silent, good]],
  ['fast', [silent, good]],
  ['up/b', [good], 'trial'],
  ['up/a', [fails, good]],
]

async function makeCalls(gateway: Started, upstream: Awaited<ReturnType<typeof fakeUpstream>>) {
  for (const [model, answers, tag] of calls) {
    let asked = 0
    upstream.answer((seen, response, request) =>
      answers[Math.min(asked++, answers.length - 1)]?.(seen, response, request),
    )
    const body = { model, max_tokens: 50, messages: [{ role: 'user', content: 'Hi' }] }
    const headers = tag === undefined ? {} : { 'x-sluice-tags': tag }
    const answer = await gateway.post('/v1/chat/completions', body, { key: ownedKey, headers })
    expect(answer.status).toBe(200)
    await answer.arrayBuffer()
  }
}

onEachDatabase((newData: NewData) => {
  describe.each(redis ? ['memory', 'Redis'] : ['memory'])('with limits in %s', (limits) => {
    test('each budget agrees with the ledger, after calls, after a restart and at a second gateway', async () => {
      await using data = await newData()
      {
        await using store = await data.openStore()
        await addOwners(store, { team: { budgets } })
      }
      const afresh = async () => {
        await redis?.kill()
        await redis?.start({ empty: true })
      }
      if (limits === 'Redis') await afresh()
      await using upstream = await fakeUpstream(good)
      const whole: ConfigFile = {
        ...content,
        providers: { up: { type: 'openai', baseUrl: upstream.url, key: 'k' } },
        ...(limits === 'Redis' && { redis: { url: redis?.url ?? '', timeoutMs: 2_000 } }),
      }
      const open = async () => start(whole, { ...data.options, store: await data.openStore() })
      const before = await open()
      await makeCalls(before, upstream)
      const records = await until(async () => {
        await before.gateway.store.flush()
        const found = await before.gateway.store.listUsage({ limit: 99 })
        return found.length === 10 && found
      }, 20_000)
      const expected = counts.map((isCounted) =>
        records.filter(isCounted).reduce((sum, one) => sum + (one.costMicroUsd ?? Number.NaN), 0),
      )
      // Each is another sum, but that of all targets.
      expect(new Set(expected).size).toBe(counts.length - 1)
      await expect.poll(() => spent(before), { timeout: 20_000 }).toEqual(expected)
      {
        await using beside = await open()
        expect(await spent(beside)).toEqual(expected)
      }
      await before[Symbol.asyncDispose]()
      if (limits === 'Redis') await afresh()
      await using after = await open()
      expect(await spent(after)).toEqual(expected)
    })
  })
})
