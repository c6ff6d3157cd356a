// What is wrong at the moment is told in one place, the worst first.
import { expect, test } from 'vitest'
import { asked, granted } from '../../support/administrate.ts'
import { fakeUpstream, json } from '../../support/fakes/fake-upstream.ts'
import { chatReply } from '../../support/fakes/openai-wire.ts'
import { leaveOut } from '../../support/leave-out.ts'
import { ask, error, good, type Routes } from '../../support/routes.ts'
import { noRedis, openRedisServer } from '../../support/servers/redis-server.ts'
import { type Started, start, until } from '../../support/start.ts'

interface Told {
  readonly parts: readonly { readonly name: string; readonly isFine: boolean }[]
  readonly problems: readonly {
    readonly severity: string
    readonly kind: string
    readonly subject: string
    readonly message: string
    readonly until: string | null
  }[]
}

async function told(gateway: Started): Promise<Told> {
  return (await granted(gateway, 'GET /admin/v1/problems')) as unknown as Told
}

const kinds = ({ problems }: Told) => problems.map(({ kind, subject }) => `${kind} ${subject}`)
const chat = (gateway: Started, model: string, key?: string) =>
  gateway.post('/v1/chat/completions', { model, ...ask, max_tokens: 1 }, { ...(key && { key }) })

const priced = { 'bad/*': { input: 1, output: 1 }, 'two/*': { input: 1, output: 1 } }
const routes = (badUrl: string, twoUrl: string, further: Routes = {}): Routes => ({
  providers: {
    bad: { type: 'openai', baseUrl: badUrl, key: 'k' },
    two: { type: 'openai', baseUrl: twoUrl, keys: ['first-key', 'second-key'] },
  },
  prices: priced,
  defaults: {
    retries: { attempts: 1 },
    breaker: { failures: 1, windowMs: 60_000, cooldownMs: 60_000 },
  },
  ...further,
})

test('nothing is wrong with a new gateway', async () => {
  await using gateway = await start()
  expect(await told(gateway)).toMatchObject({
    parts: [
      { name: 'database', isFine: true },
      { name: 'journal', isFine: true },
    ],
    problems: [],
  })
})

test('open breakers, refused and used up keys are told', async () => {
  await using bad = await fakeUpstream(error(500))
  await using two = await fakeUpstream((seen, response, request) =>
    (seen.headers['authorization'] === 'Bearer first-key' ? limit : good)(seen, response, request),
  )
  let limit = error(429, {}, { 'retry-after': '30' })
  await using gateway = await start(routes(bad.url, two.url))
  await chat(gateway, 'bad/m')
  for (const _ of [1, 2]) expect((await chat(gateway, 'two/m')).status).toBe(200)
  const found = await told(gateway)
  expect(kinds(found)).toEqual(['breaker_open bad/m', 'key_limited two'])
  const [, limited] = found.problems
  expect(limited?.message).toBe('The rate of key 1 of two is used up for m')
  expect(Date.parse(limited?.until ?? '') - Date.now()).toBeGreaterThan(20_000)
  limit = error(401)
  for (const _ of [1, 2, 3, 4]) expect((await chat(gateway, 'two/n')).status).toBe(200)
  expect(kinds(await told(gateway))).toEqual(
    expect.arrayContaining(['breaker_open bad/m', 'key_refused two', 'key_limited two']),
  )
  expect(JSON.stringify(await told(gateway))).not.toContain('first-key')
})

test('budgets are told from 80 % on, and as errors once they are spent', async () => {
  const usage = (completion_tokens: number) => ({
    usage: { prompt_tokens: 0, completion_tokens, total_tokens: completion_tokens },
  })
  let used = 0
  await using upstream = await fakeUpstream((_seen, response) =>
    json(response, chatReply('Hello', usage(used))),
  )
  await using gateway = await start(routes(upstream.url, upstream.url))
  const spend = async (name: string, tokens: number) => {
    const budgets = [{ limitMicroUsd: 100_000, window: 'month' }]
    const { secret } = await granted(gateway, 'POST /admin/v1/keys', { name, budgets })
    used = tokens
    const answer = await chat(gateway, 'bad/m', String(secret))
    expect(answer.status).toBe(200)
  }
  await spend('below', 79_999)
  await spend('near', 80_000)
  await spend('almost', 99_999)
  await spend('spent', 100_000)
  await spend('over', 123_000)
  const { problems } = await told(gateway)
  expect(problems.map(({ kind, message }) => [kind, message])).toEqual([
    ['budget_spent', 'The key over has spent its 0.1 USD per month'],
    ['budget_spent', 'The key spent has spent its 0.1 USD per month'],
    ['budget_near', 'The key almost has used 99 % of its 0.1 USD per month'],
    ['budget_near', 'The key near has used 80 % of its 0.1 USD per month'],
  ])
})

test('unknown prices, routes that lead nowhere and providers that are off are told', async () => {
  await using upstream = await fakeUpstream(good)
  await using gateway = await start(
    routes(upstream.url, upstream.url, {
      prices: { 'two/*': { input: 1, output: 1 } },
      models: { main: { targets: [{ target: 'two/m' }, { target: 'bad/m' }] } },
    }),
  )
  expect(kinds(await told(gateway))).toEqual([])
  const budgets = [{ limitMicroUsd: 1_000_000, window: 'day' }]
  await granted(gateway, 'POST /admin/v1/keys', { name: 'limited', budgets })
  expect(kinds(await told(gateway))).toEqual(['price_unknown main'])
  await chat(gateway, 'bad/other')
  await until(async () => (await told(gateway)).problems.length === 2)
  const [route, called] = (await told(gateway)).problems
  expect(route?.message).toContain('the price of bad/m is unknown')
  expect(called?.message).toBe('The cost of 1 calls to bad/other in the last day is unknown')
})

test('Redis that does not answer is told', async (context) => {
  const redis = await openRedisServer()
  if (!redis) return leaveOut(context, noRedis)
  await using server = redis
  await using gateway = await start({ redis: { url: server.url, timeoutMs: 2_000 } })
  expect((await told(gateway)).parts).toContainEqual({ name: 'redis', isFine: true, detail: null })
  await server.kill()
  await until(async () => kinds(await told(gateway)).includes('redis redis'))
})

test('it is for those who may read everything', async () => {
  await using gateway = await start()
  const { body: team } = await asked(gateway, 'POST /admin/v1/teams', { name: 'a' })
  const { secret } = await granted(gateway, 'POST /admin/v1/keys', {
    name: 'of a team',
    role: 'administrator',
    adminRole: 'team',
    ownerId: team.id,
  })
  const refused = await asked(gateway, 'GET /admin/v1/problems', undefined, String(secret))
  expect(refused.status).toBe(403)
})
