// When Redis has lost its data, no call is admitted until all gateways have restored what they have settled.
import { beforeEach, describe, expect, test } from 'vitest'
import { granted } from '../../support/administrate.ts'
import { type Answering, fakeUpstream, json } from '../../support/fakes/fake-upstream.ts'
import { chatReply } from '../../support/fakes/openai-wire.ts'
import { startProgram } from '../../support/gateways/program.ts'
import { openWay } from '../../support/servers/cuttable-proxy.ts'
import { openPostgresAndRedis } from '../../support/servers/postgres-and-redis.ts'
import { adminKey, type Started, start, until } from '../../support/start.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const { postgres, redis } = await openPostgresAndRedis()

/** One millionth of a dollar for each token; the answers have used ten. */
const prices = { '*': { input: 1, output: 1 } }
const used = 10
const body = { model: 'up/m', max_tokens: 10, messages: [{ role: 'user', content: 'Hi' }] }
const answering: Answering = (_seen, response) => json(response, chatReply('Hello'))
const later: Answering = (_seen, response) =>
  void setTimeout(() => json(response, chatReply('Hello')), 20)

/** Without ending it, as a flush by mistake does. */
const flush = async () => redis?.empty()

const settings = (upstream: string, whenDown: 'refuse' | 'local' = 'refuse') => ({
  prices,
  defaults: { retries: { attempts: 1 } },
  providers: { up: { type: 'openai', baseUrl: upstream, key: 'k' } as const },
  redis: {
    url: redis?.url ?? '',
    timeoutMs: 5_000,
    whenDown,
    ...(whenDown === 'local' && { processes: 2 }),
  },
})

const budgeted = (gateway: Started, limitMicroUsd: number) =>
  granted(gateway, 'POST /admin/v1/keys', {
    name: 'k',
    budgets: [{ id: 'b', window: 'month', limitMicroUsd }],
  })

async function ask(gateway: Started, key: string): Promise<number> {
  const answer = await gateway.post('/v1/chat/completions', body, { key })
  await answer.arrayBuffer()
  return answer.status
}

describe.runIf(postgres && redis)('two gateways at one PostgreSQL and an emptied Redis', () => {
  beforeEach(flush)

  test('wait for settled usage that a gateway has not yet written, and count it', async () => {
    await using upstream = await fakeUpstream(answering)
    const databaseUrl = (await postgres?.newSchema()) ?? ''
    await using way = await openWay(new URL(databaseUrl))
    await using slow = await start(settings(upstream.url), { databaseUrl: way.url })
    await using other = await start(settings(upstream.url), { databaseUrl })
    const key = await budgeted(slow, 100 * used)
    expect(await ask(other, key.secret)).toBe(200)
    way.freeze()
    for (let call = 0; call < 5; call += 1) expect(await ask(slow, key.secret)).toBe(200)
    await flush()
    // Nobody is admitted while it cannot count, however often they ask.
    const seen = upstream.seen.length
    for (let call = 0; call < 10; call += 1) {
      expect(await ask(other, key.secret)).toBe(503)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    expect(upstream.seen).toHaveLength(seen)
    way.mend()
    await until(async () => (await ask(other, key.secret)) === 200, 25_000)
    const shown = await other.request('/v1/usage', { key: key.secret })
    expect(await shown.json()).toMatchObject({
      limits: [{ kind: 'budget', remaining: 100 * used - 7 * used }],
    })
  }, 60_000)

  test.each(['refuse', 'local'] as const)(
    'never overspend a budget while Redis is emptied repeatedly under load (%s)',
    async (whenDown) => {
      await using upstream = await fakeUpstream(later)
      const databaseUrl = (await postgres?.newSchema()) ?? ''
      await using first = await start(settings(upstream.url, whenDown), { databaseUrl })
      await using second = await start(settings(upstream.url, whenDown), { databaseUrl })
      const calls = 200
      const { secret } = await budgeted(first, calls * used)
      let isOver = false
      const asking = Array.from({ length: 30 }, async (_, client) => {
        while (!isOver) {
          const status = await ask(client % 2 ? first : second, secret)
          if (status !== 200) await new Promise((resolve) => setTimeout(resolve, 20))
        }
      })
      for (const share of [0.2, 0.4, 0.6, 0.9]) {
        await until(() => upstream.seen.length >= share * calls, 20_000)
        await flush()
      }
      // Until nothing more is admitted for a while.
      let before = -1
      await until(async () => {
        const isQuiet = before === upstream.seen.length
        before = upstream.seen.length
        await new Promise((resolve) => setTimeout(resolve, 2_000))
        return isQuiet
      }, 40_000)
      isOver = true
      await Promise.all(asking)
      expect(upstream.seen.length).toBeLessThanOrEqual(calls)
      expect(upstream.seen.length).toBeGreaterThanOrEqual(0.9 * calls - 30)
    },
    90_000,
  )

  test('read the journal of a killed gateway before admitting calls', async () => {
    await using upstream = await fakeUpstream(answering)
    const databaseUrl = (await postgres?.newSchema()) ?? ''
    await using way = await openWay(new URL(databaseUrl))
    using folder = temporaryFolder()
    const content = settings(upstream.url)
    const open = (url: string) =>
      startProgram({ folder: folder.path, content, variables: { DATABASE_URL: url } })
    await using other = await start(content, { databaseUrl })
    const key = await budgeted(other, 100 * used)
    {
      await using killed = await open(way.url)
      const call = () => killed.ask('/v1/chat/completions', { body, key: key.secret })
      expect((await call()).status).toBe(200)
      way.freeze()
      for (let count = 0; count < 5; count += 1) expect((await call()).status).toBe(200)
      await killed.end('SIGKILL')
    }
    await flush()
    for (let call = 0; call < 5; call += 1) expect(await ask(other, key.secret)).toBe(503)
    await using next = await open(databaseUrl)
    await until(async () => (await ask(other, key.secret)) === 200, 25_000)
    const shown = await next.ask('/v1/usage', { key: key.secret })
    expect(shown.json).toMatchObject({
      limits: [{ kind: 'budget', remaining: 100 * used - 7 * used }],
    })
    expect((await next.ask('/admin/v1/keys', { key: adminKey })).status).toBe(200)
  }, 90_000)

  test('let a sequential caller spend its whole budget', async () => {
    await using upstream = await fakeUpstream(answering)
    const databaseUrl = (await postgres?.newSchema()) ?? ''
    await using opened = new AsyncDisposableStack()
    const content = settings(upstream.url)
    const variables = { DATABASE_URL: databaseUrl }
    // Processes of their own: in one of them a call is settled before its caller can go on.
    const gateways = await Promise.all(
      [0, 1, 2].map(async () => {
        const { path: folder } = opened.use(temporaryFolder())
        return opened.use(await startProgram({ folder, content, variables }))
      }),
    )
    const calls = 31
    // There is room for what all of them use and for what one may use at most, but not for two of those.
    const mayUse = 1_000
    const budgets = [{ id: 'b', window: 'month', limitMicroUsd: calls * used + 1.5 * mayUse }]
    const made = await gateways[0]?.ask('/admin/v1/keys', {
      key: adminKey,
      body: { name: 'k', budgets },
    })
    const { secret: key } = made?.json as { secret: string }
    const statuses: (number | undefined)[] = []
    for (let call = 0; call < calls; call += 1) {
      const asked = { body: { ...body, max_tokens: mayUse }, key }
      statuses.push((await gateways[call % 3]?.ask('/v1/chat/completions', asked))?.status)
    }
    expect(statuses).toEqual(Array(calls).fill(200))
  }, 60_000)
})
