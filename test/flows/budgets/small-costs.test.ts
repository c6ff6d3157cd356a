// Costs below a millionth of a dollar are added without rounding.
import { afterAll, describe, expect, test } from 'vitest'
import { costOf, joinMoney, microUsdOf } from '../../../packages/contract/src/core/money.ts'
import type { ConfigFile } from '../../../packages/sluice/src/config/schema.ts'
import type { Budget } from '../../../packages/gateway/src/ports/account.ts'
import { fakeUpstream, json } from '../../support/fakes/fake-upstream.ts'
import { addOwners, ownedKey } from '../../support/gateways/owners.ts'
import { leaveOut } from '../../support/leave-out.ts'
import { onEachDatabase } from '../../support/servers/databases.ts'
import { noRedis, openRedisServer } from '../../support/servers/redis-server.ts'
import { adminKey, type Started, start, testKey, until } from '../../support/start.ts'

const redis = await openRedisServer()
afterAll(() => redis?.[Symbol.asyncDispose]())
test('Redis is available', (context) => {
  if (!redis) leaveOut(context, noRedis)
})

/** $0.02 for a million tokens, and 12 tokens a call: 0.24 millionths of a dollar. */
const prices: ConfigFile['prices'] = { 'up/*': { input: 0.02 } }
const each = 240_000n
const limitMicroUsd = 10
const admittedMax = 41
const leftAfter = (calls: number) => microUsdOf(joinMoney(limitMicroUsd) - each * BigInt(calls))

/** For which the estimate of a budget is no less than it uses, and little more. */
const input = 'Twelve tokens in all'
const embed = (gateway: Started, key: string) =>
  gateway.post('/v1/embeddings', { model: 'up/m', input }, { key })

async function left(gateway: Started): Promise<number | undefined> {
  const said = await gateway.request('/admin/v1/budgets', { key: adminKey })
  const { data } = (await said.json()) as {
    data: { holder: { id: string }; remainingMicroUsd: number }[]
  }
  return data.find(({ holder }) => holder.id === 'key_owned')?.remainingMicroUsd
}

async function total(gateway: Started, key: string): Promise<unknown> {
  const said = await gateway.request('/v1/usage', { key })
  const { total: sums } = (await said.json()) as { total: { costMicroUsd: number } }
  return sums.costMicroUsd
}

onEachDatabase((newData) => {
  describe.each(redis ? ['memory', 'Redis'] : ['memory'])('with limits in %s', (limits) => {
    test('a hundred embeddings cost the sum of their tokens, and the budget stops where it is spent', async () => {
      await using data = await newData()
      {
        await using store = await data.openStore()
        const budgets: readonly Budget[] = [{ id: 'b', window: 'month', limitMicroUsd }]
        await addOwners(store, { key: { budgets, inputBound: 'estimate' } })
      }
      if (limits === 'Redis') {
        await redis?.kill()
        await redis?.start({ empty: true })
      }
      await using upstream = await fakeUpstream((_, response) =>
        json(response, {
          object: 'list',
          model: 'm',
          data: [{ object: 'embedding', index: 0, embedding: [0.5] }],
          usage: { prompt_tokens: 12, total_tokens: 12 },
        }),
      )
      const content: ConfigFile = {
        prices,
        providers: { up: { type: 'openai', baseUrl: upstream.url, key: 'k' } },
        ...(limits === 'Redis' && { redis: { url: redis?.url ?? '', timeoutMs: 3_000 } }),
      }
      const open = async () => start(content, { ...data.options, store: await data.openStore() })
      let admitted = 0
      {
        await using gateway = await open()
        for (let call = 0; call < 100; call++) {
          const answer = await embed(gateway, testKey)
          expect(answer.headers.get('x-sluice-cost')).toBe('0.00000024')
          await answer.arrayBuffer()
        }
        expect(await total(gateway, testKey)).toBe(24)

        for (let tries = 0; tries < 2 * admittedMax; tries++) {
          const answer = await embed(gateway, ownedKey)
          const text = await answer.text()
          if (answer.status === 200) admitted += 1
          else expect(text).toMatch(/budget of \$0\.000010 .* has \$0\.0000\d+ left/)
          // A settlement may still be on its way to Redis.
          await until(async () => (await left(gateway)) === leftAfter(admitted))
        }
        expect(admitted).toBe(admittedMax)
        const records = await gateway.gateway.store.listUsage({ limit: 999 })
        expect(records.map(costOf)).toEqual(records.map(() => each))
      }
      if (limits === 'Redis') {
        await redis?.kill()
        await redis?.start({ empty: true })
      }
      await using again = await open()
      expect(await left(again)).toBe(leftAfter(admitted))
      expect(await total(again, ownedKey)).toBe(microUsdOf(each * BigInt(admitted)))
      for (let tries = 0; tries < admittedMax; tries++)
        if ((await embed(again, ownedKey)).status === 200) admitted += 1
      expect(admitted).toBeLessThanOrEqual(admittedMax)
    }, 60_000)
  })
})
