// Many concurrent calls without an output limit, to a model that writes the most it may, cost no more than the budget
// together.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { startGateway } from '../../prove/gateway-process.ts'
import { type Answering, fakeUpstream, json } from '../../support/fakes/fake-upstream.ts'
import { chatReply } from '../../support/fakes/openai-wire.ts'
import { ownedKey, writeOwners } from '../../support/gateways/owners.ts'
import { leaveOut } from '../../support/leave-out.ts'
import { noRedis, openRedisServer } from '../../support/servers/redis-server.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const redis = await openRedisServer()
afterAll(() => redis?.[Symbol.asyncDispose]())
test('Redis is available', (context) => {
  if (!redis) leaveOut(context, noRedis)
})

const limitMicroUsd = 1_000_000
/** Dollars for a million tokens. */
const prices = { 'up/*': { input: 3, output: 15 } }
const messages = [{ role: 'user', content: 'Write as much as you can.' }]
const modelMax = 30_000

/** Counts a token for each four bytes, and writes as much as it may. */
const writesAll: Answering = async (seen, response) => {
  const asked = seen.body['max_completion_tokens'] ?? seen.body['max_tokens'] ?? modelMax
  const [prompt, completion] = [Math.ceil(JSON.stringify(seen.body).length / 4), Number(asked)]
  await new Promise((resolve) => setTimeout(resolve, 50))
  const usage = { prompt_tokens: prompt, completion_tokens: completion }
  const total_tokens = prompt + completion
  return json(response, { ...chatReply('Hi'), usage: { ...usage, total_tokens } })
}

const ways: readonly (readonly [string, object])[] = [
  ['in memory', {}],
  ...(redis ? ([['in Redis', { redis: { url: redis.url } }]] as const) : []),
  ['of two workers', { server: { workers: 2 } }],
]

describe.each(ways)(
  'a budget whose calls set no output limit, with limits %s',
  (_name, content) => {
    async function stage() {
      await using opened = new AsyncDisposableStack()
      const { path: dataFolder } = opened.use(temporaryFolder())
      const budgets = [{ id: 'b', window: 'month', limitMicroUsd }] as const
      await writeOwners(dataFolder, { team: { budgets } })
      const upstream = opened.use(await fakeUpstream(writesAll))
      const config = join(dataFolder, 'sluice.yaml')
      const providers = { up: { type: 'openai', baseUrl: upstream.url, key: 'k' } }
      writeFileSync(config, JSON.stringify({ prices, providers, ...content }))
      const { child, url } = await startGateway({
        PATH: process.env['PATH'],
        HOME: process.env['HOME'],
        SLUICE_PORT: '0',
        SLUICE_DATA: dataFolder,
        SLUICE_CONFIG: config,
        SLUICE_LOG_LEVEL: 'fatal',
      })
      opened.defer(async () => {
        const ended = new Promise((resolve) => child.once('close', resolve))
        child.kill('SIGTERM')
        await ended
      })
      const headers = { authorization: `Bearer ${ownedKey}`, 'content-type': 'application/json' }
      const moved = opened.move()
      return {
        async ask(further: object): Promise<number> {
          const body = JSON.stringify({ model: 'up/m', messages, ...further })
          const answer = await fetch(`${url}/v1/chat/completions`, {
            method: 'POST',
            headers,
            body,
          })
          await answer.arrayBuffer()
          return answer.status
        },
        /** Once everything is settled. */
        async spent(): Promise<number> {
          const { limits } = (await (await fetch(`${url}/v1/usage`, { headers })).json()) as {
            limits: { kind: string; remaining: number }[]
          }
          return limitMicroUsd - (limits.find(({ kind }) => kind === 'budget')?.remaining ?? 0)
        },
        [Symbol.asyncDispose]: () => moved.disposeAsync(),
      }
    }

    test('is not overspent by forty concurrent calls after short answers', async () => {
      await using staged = await stage()
      const allowed: number[] = []
      for (let count = 0; count < 3; count += 1) allowed.push(await staged.ask({ max_tokens: 5 }))
      expect(allowed).toEqual([200, 200, 200])
      const statuses = await Promise.all(Array.from({ length: 40 }, () => staged.ask({})))
      expect(new Set(statuses)).toEqual(new Set([200, 429]))
      const spent = await staged.spent()
      expect(spent).toBeLessThanOrEqual(limitMicroUsd)
      expect(spent).toBeGreaterThan(limitMicroUsd / 2)
    })

    test('is nearly used up by callers that limit their output', async () => {
      await using staged = await stage()
      let refused = 0
      const ask = async () => {
        while (refused < 4) if ((await staged.ask({ max_tokens: 1_000 })) === 429) refused += 1
      }
      await Promise.all(Array.from({ length: 4 }, ask))
      await expect.poll(() => staged.spent()).toBeGreaterThan(0.95 * limitMicroUsd)
      expect(await staged.spent()).toBeLessThanOrEqual(limitMicroUsd)
    })
  },
)
