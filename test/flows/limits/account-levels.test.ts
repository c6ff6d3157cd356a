// Every kind of limit on every level, under concurrent requests: one below the limit, at it, and one above it.
import type { ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import type { Terms } from '../../../packages/gateway/src/ports/account.ts'
import { fakeUpstream, json } from '../../support/fakes/fake-upstream.ts'
import { chatReply } from '../../support/fakes/openai-wire.ts'
import { reservedTokens } from '../../support/formats/reserved-tokens.ts'
import { ownedKey, siblingKey, writeOwners } from '../../support/gateways/owners.ts'
import { start, until } from '../../support/start.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

/** No more than 98 tokens of answer. */
const body = { model: 'up/m', max_tokens: 98, messages: [{ role: 'user', content: 'Hi' }] }
const prices = { 'up/*': { input: 1, output: 1 } }

const kinds: readonly (readonly [string, (calls: number, each: number) => Terms])[] = [
  ['requests per minute', (calls) => ({ requestsPerMinute: calls })],
  ['tokens per minute', (calls, each) => ({ tokensPerMinute: calls * each })],
  ['concurrent requests', (calls) => ({ concurrentRequests: calls })],
  [
    'a budget',
    (calls) => ({
      budgets: [{ id: 'b', window: 'month', limitMicroUsd: calls * reservedTokens(body) }],
    }),
  ],
]
const levels = ['key', 'user', 'team', 'organization'] as const
const room = 4

async function stage(terms: Parameters<typeof writeOwners>[1]) {
  await using opened = new AsyncDisposableStack()
  const { path: dataFolder } = opened.use(temporaryFolder())
  await writeOwners(dataFolder, terms)
  const held: ServerResponse[] = []
  const upstream = opened.use(
    await fakeUpstream((_seen, response) => {
      held.push(response)
    }),
  )
  const gateway = opened.use(
    await start(
      {
        prices,
        defaults: { retries: { attempts: 1 } },
        providers: { up: { type: 'openai', baseUrl: upstream.url, key: 'k' } },
      },
      { dataFolder },
    ),
  )
  const moved = opened.move()
  return { gateway, upstream, held, [Symbol.asyncDispose]: () => moved.disposeAsync() }
}

/** What one call puts aside, in tokens. */
const each = await (async () => {
  await using staged = await stage({ key: { tokensPerMinute: 1 } })
  const refused = await staged.gateway.post('/v1/chat/completions', body, { key: ownedKey })
  const [, amount = ''] = /may take (\d+)/.exec(await refused.text()) ?? []
  return Number(amount)
})()

describe.each(kinds)('the limit on %s', (_kind, termsOf) => {
  describe.each(levels)('of the %s', (level) => {
    test.each([room - 1, room, room + 1])(
      'grants as many of %i concurrent calls as the limit allows',
      async (asked) => {
        expect(each).toBeGreaterThan(98)
        await using staged = await stage({ [level]: termsOf(room, each) })
        const { gateway, upstream, held } = staged
        // A key's limit is its own; above it all keys share one.
        const keys = level === 'key' ? [ownedKey] : [ownedKey, siblingKey]
        const calls = Array.from({ length: asked }, (_, at) =>
          gateway.post('/v1/chat/completions', body, { key: keys[at % keys.length] ?? ownedKey }),
        )
        const granted = Math.min(asked, room)
        await until(() => upstream.seen.length === granted, 15_000)
        const refused = await Promise.all(
          asked > room ? [Promise.race(calls).then(({ status }) => status)] : [],
        )
        expect(refused).toEqual(asked > room ? [429] : [])
        for (const response of held) json(response, chatReply('Hello'))
        const statuses = (await Promise.all(calls)).map(({ status }) => status)
        expect(statuses.filter((status) => status === 200)).toHaveLength(granted)
        expect(statuses.filter((status) => status === 429)).toHaveLength(asked - granted)
        expect(upstream.seen).toHaveLength(granted)
      },
    )
  })
})

test('an exhausted token rate blocks calls, but not the list of models', async () => {
  await using staged = await stage({ team: { tokensPerMinute: 2 * each } })
  const { gateway, upstream, held } = staged
  const call = gateway.post('/v1/chat/completions', body, { key: ownedKey })
  await until(() => upstream.seen.length === 1)
  const usage = { prompt_tokens: 2, completion_tokens: 40 * each, total_tokens: 40 * each + 2 }
  for (const response of held) json(response, { ...chatReply('Hello'), usage })
  expect((await call).status).toBe(200)
  await until(async () => {
    const said = await gateway.request('/v1/usage', { key: ownedKey })
    expect(said.status).toBe(200)
    const { limits } = (await said.json()) as { limits: { remaining: number }[] }
    return limits[0]?.remaining === 0
  })
  expect((await gateway.post('/v1/chat/completions', body, { key: ownedKey })).status).toBe(429)
  expect((await gateway.request('/v1/models', { key: ownedKey })).status).toBe(200)
})
