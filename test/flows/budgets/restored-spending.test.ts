// A limiter that does not know the spending of a budget restores it from the ledger.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { costOf, joinMoney, microUsdOf } from '../../../packages/contract/src/core/money.ts'
import type { UsageRecord } from '../../../packages/contract/src/core/usage.ts'
import type { ConfigFile } from '../../../packages/sluice/src/config/schema.ts'
import type { Budget } from '../../../packages/gateway/src/ports/account.ts'
import type { Store } from '../../../packages/gateway/src/ports/store.ts'
import { openPostgres } from '../../../packages/store/src/postgres/open-postgres.ts'
import { openSqlite } from '../../../packages/store/src/sqlite/open-sqlite.ts'
import type { StoreOptions } from '../../../packages/store/src/store.ts'
import { startGateway } from '../../prove/gateway-process.ts'
import { fakeUpstream, json } from '../../support/fakes/fake-upstream.ts'
import { chatReply } from '../../support/fakes/openai-wire.ts'
import { reservedTokens } from '../../support/formats/reserved-tokens.ts'
import { addOwners, ownedKey } from '../../support/gateways/owners.ts'
import { openPostgresAndRedis } from '../../support/servers/postgres-and-redis.ts'
import { type Started, start, until } from '../../support/start.ts'
import { sampleUsage } from '../../support/store-samples.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const hourMs = 3_600_000
/** One millionth of a dollar for each token. The fake upstream's answers have used ten. */
const prices = { 'up/*': { input: 1, output: 1 } }
const used = 10
const limit = 1_000

const budget = (further: Partial<Budget> = {}): Budget => ({
  id: 'b1',
  window: 'lifetime',
  limitMicroUsd: limit,
  ...further,
})

const { postgres, redis } = await openPostgresAndRedis()

interface Stage extends AsyncDisposable {
  readonly upstream: Awaited<ReturnType<typeof fakeUpstream>>
  /** Opens a gateway, which knows nothing, on the data that the others had. */
  open(content?: ConfigFile): Promise<Started>
  openStore(options?: StoreOptions): Promise<Store>
  readonly dataFolder: string
  /** Undefined where the data are in the folder. */
  readonly databaseUrl: string | undefined
}

async function stage(kind: 'SQLite' | 'PostgreSQL', budgets: readonly Budget[]): Promise<Stage> {
  await using opened = new AsyncDisposableStack()
  const folder = opened.use(temporaryFolder())
  const url = kind === 'PostgreSQL' ? await postgres?.newSchema() : undefined
  const openStore = async (options: StoreOptions = {}) =>
    url === undefined
      ? openSqlite({ file: join(folder.path, 'sluice.db'), ...options })
      : openPostgres({ url, ...options })
  {
    await using store = await openStore()
    await addOwners(store, { team: { budgets } })
  }
  const upstream = opened.use(
    await fakeUpstream((_seen, response) => json(response, chatReply('Hello'))),
  )
  const gateways = opened.use(new AsyncDisposableStack())
  const moved = opened.move()
  return {
    upstream,
    openStore,
    dataFolder: folder.path,
    databaseUrl: url,
    open: async (content = {}) =>
      gateways.use(
        await start(
          {
            prices,
            defaults: { retries: { attempts: 1 } },
            providers: { up: { type: 'openai', baseUrl: upstream.url, key: 'k' } },
            models: { fast: 'up/m' },
            ...content,
          },
          { dataFolder: folder.path, store: await openStore() },
        ),
      ),
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  }
}

const body = (model = 'up/m', max_tokens = 50) => ({
  model,
  max_tokens,
  messages: [{ role: 'user', content: 'Hi' }],
})
/** What one of them reserves. */
const each = reservedTokens(body())
const ask = async (gateway: Started, model = 'up/m', max_tokens = 50) => {
  const answer = await gateway.post('/v1/chat/completions', body(model, max_tokens), {
    key: ownedKey,
  })
  await answer.arrayBuffer()
  return answer.status
}

/** What is gone of the budgets, in their order. */
async function spent(gateway: Started): Promise<readonly number[]> {
  const said = await gateway.request('/v1/usage', { key: ownedKey })
  const { limits } = (await said.json()) as { limits: { kind: string; remaining: number }[] }
  return limits.flatMap(({ kind, remaining }) => (kind === 'budget' ? [limit - remaining] : []))
}

const record = (hoursAgo: number, change: Partial<UsageRecord>) =>
  sampleUsage({
    keyId: 'key_owned',
    teamId: 'team_1',
    provider: 'up',
    model: 'm',
    startedAt: Date.now() - hoursAgo * hourMs,
    ...change,
  })

const kinds = postgres ? (['SQLite', 'PostgreSQL'] as const) : (['SQLite'] as const)

describe.each(kinds)('budgets recalled from %s', (kind) => {
  test('a budget of a route counts calls by that name, before and after a restart', async () => {
    await using staged = await stage(kind, [
      budget({ model: 'fast' }),
      budget({ id: 'b2', model: 'fa*' }),
      budget({ id: 'b3', model: 'up/*' }),
      budget({ id: 'b4', model: 'other/*' }),
      budget({ id: 'b5', model: 'up/m' }),
    ])
    const before = await staged.open()
    for (const model of ['fast', 'fast', 'up/m']) expect(await ask(before, model)).toBe(200)
    const expected = [2 * used, 2 * used, 3 * used, 0, 3 * used]
    await expect.poll(() => spent(before), { timeout: 15_000 }).toEqual(expected)
    await before.gateway.store.flush()
    expect(await spent(await staged.open())).toEqual(expected)
  })

  test('a rolling window counts what is in it and releases it hour by hour', async () => {
    await using staged = await stage(kind, [budget({ window: 24 }), budget({ id: 'b2' })])
    {
      await using store = await staged.openStore()
      for (const [hoursAgo, costMicroUsd] of [
        [30, 500],
        [23, 100],
        [3, 20],
        [0, 3],
      ] as const)
        store.recordUsage(record(hoursAgo, { costMicroUsd }))
    }
    const gateway = await staged.open()
    expect(await spent(gateway)).toEqual([123, 623])
    const asked = await gateway.request('/v1/usage', { key: ownedKey })
    const { limits } = (await asked.json()) as { limits: { window?: unknown; resetMs: number }[] }
    const rolling = limits.find(({ window }) => window === 24)
    // What is oldest leaves within two hours and a part of the window.
    expect(rolling?.resetMs).toBeLessThan(2.5 * hourMs)
  })

  test('a record without a cost counts with its reservation', async () => {
    await using staged = await stage(kind, [budget()])
    {
      await using store = await staged.openStore()
      store.recordUsage(record(2, { costMicroUsd: 7, reservedMicroUsd: 300 }))
      store.recordUsage(record(2, { reservedMicroUsd: 40 }))
      store.recordUsage(record(1, { unsettled: true, outcome: 'incomplete', reservedMicroUsd: 50 }))
    }
    expect(await spent(await staged.open())).toEqual([97])
  })

  test('concurrent first calls are admitted as far as the budget allows', async () => {
    await using staged = await stage(kind, [budget()])
    {
      await using store = await staged.openStore()
      store.recordUsage(record(1, { costMicroUsd: limit - 4 * each - 10 }))
    }
    staged.upstream.answer(() => {})
    const gateway = await staged.open()
    // There is room for four.
    const asked = Array.from({ length: 12 }, () => ask(gateway).catch(() => 0))
    const refused = { count: 0 }
    for (const one of asked)
      void one.then((status) => void (refused.count += Number(status === 429)))
    await until(() => refused.count === 8, 20_000)
    await until(() => staged.upstream.seen.length === 4, 20_000)
    gateway.endCalls()
    await Promise.all(asked)
  })
})

describe.runIf(redis)('budgets in Redis', () => {
  const shared = { redis: { url: redis?.url ?? '', timeoutMs: 2_000 } }
  const afresh = async () => {
    await redis?.kill()
    await redis?.start({ empty: true })
  }
  const isBack = (gateway: Started) =>
    until(
      () =>
        gateway.logged.findLast(({ message }) => message.startsWith('Redis'))?.message ===
        'Redis answers: limits are shared',
      10_000,
    )

  test.each(kinds)('are recalled after Redis lost its data (%s)', async (kind) => {
    await afresh()
    await using staged = await stage(kind, [budget()])
    const gateway = await staged.open(shared)
    for (let count = 0; count < 3; count += 1) expect(await ask(gateway)).toBe(200)
    // One more is under way while everything is lost.
    let answer: (() => void) | undefined
    staged.upstream.answer((_seen, response) => {
      answer = () => json(response, chatReply('Hello'))
    })
    const open = ask(gateway)
    await until(() => answer !== undefined)
    await afresh()
    staged.upstream.answer((_seen, response) => json(response, chatReply('Hello')))
    await until(async () => (await ask(gateway)) === 200, 10_000)
    await isBack(gateway)
    // It is reserved again, until it has ended.
    const [during = 0] = await spent(gateway)
    expect(during).toBeGreaterThan(4 * used)
    answer?.()
    expect(await open).toBe(200)
    await expect.poll(() => spent(gateway), { timeout: 15_000 }).toEqual([5 * used])
    // The next one reads the same from the ledger.
    await gateway.gateway.store.flush()
    await afresh()
    await isBack(gateway)
    await expect.poll(() => spent(gateway).catch(() => []), { timeout: 10_000 }).toEqual([5 * used])
  })

  test.each(kinds)(
    'are counted once when several gateways recall them together (%s)',
    async (kind) => {
      await afresh()
      await using staged = await stage(kind, [budget()])
      {
        await using store = await staged.openStore()
        store.recordUsage(record(1, { costMicroUsd: limit - 4 * each - 10 }))
      }
      const gateways = [await staged.open(shared), await staged.open(shared)]
      staged.upstream.answer(() => {})
      const asked = Array.from({ length: 16 }, (_, index) =>
        ask(gateways[index % 2] as Started).catch(() => 0),
      )
      const refused = { count: 0 }
      for (const one of asked)
        void one.then((status) => void (refused.count += Number(status === 429)))
      await until(() => refused.count === 12)
      await until(() => staged.upstream.seen.length === 4)
      for (const gateway of gateways) gateway.endCalls()
      await Promise.all(asked)
    },
  )
})

test.each(kinds)(
  'a killed gateway’s spending and reservations are known to the next one (%s)',
  async (kind) => {
    // Of all, of the target that an alias leads to, of the alias, and of neither.
    const models = [undefined, 'openai/gpt-4o', 'fast', 'openai/*', 'gpt-4o-mini']
    const budgets = models.map((model, at) => budget({ id: `b${at}`, ...(model && { model }) }))
    await using staged = await stage(kind, budgets)
    using folder = temporaryFolder()
    const config = join(folder.path, 'sluice.yaml')
    writeFileSync(config, JSON.stringify({ models: { fast: 'openai/gpt-4o' } }))
    const dataFolder = kind === 'SQLite' ? staged.dataFolder : join(folder.path, 'data')
    await using gateway = await startGateway({
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      SLUICE_PORT: '0',
      SLUICE_DATA: dataFolder,
      SLUICE_CONFIG: config,
      SLUICE_LOG_LEVEL: 'fatal',
      OPENAI_API_KEY: 'k',
      OPENAI_BASE_URL: staged.upstream.url,
      ...(staged.databaseUrl !== undefined && { DATABASE_URL: staged.databaseUrl }),
    })
    const asking = async () => {
      const body = { model: 'fast', max_tokens: 10, messages: [{ role: 'user', content: 'Hi' }] }
      const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${ownedKey}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      return answer.arrayBuffer()
    }
    await asking()
    staged.upstream.answer(() => {})
    const held = asking().catch(() => undefined)
    const posts = () => staged.upstream.seen.filter(({ method }) => method === 'POST')
    await until(() => posts().length === 2, 20_000)
    await gateway[Symbol.asyncDispose]()
    await held
    await using store = await staged.openStore({ journalFolder: join(dataFolder, 'journal') })
    await store.flush()
    const [left, settled] = await store.listUsage({ limit: 2 })
    expect(left).toMatchObject({ unsettled: true, requestedModel: 'fast', model: 'gpt-4o' })
    const reserved = joinMoney(left?.reservedMicroUsd ?? 0, left?.reservedRestPicoUsd)
    const cost = settled && costOf(settled)
    expect(reserved).toBeGreaterThan(0n)
    expect(cost).toBeGreaterThan(0n)
    const all = microUsdOf(reserved + (cost ?? 0n))
    expect(await spent(await staged.open())).toEqual([all, all, all, all, 0])
  },
  60_000,
)
