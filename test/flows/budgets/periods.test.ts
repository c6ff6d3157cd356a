// When the period of a budget ends, and what counts after a budget changes in the middle of one.
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Budget } from '../../../packages/gateway/src/ports/account.ts'
import { granted } from '../../support/administrate.ts'
import { fakeDate } from '../../support/fake-date.ts'
import { fakeUpstream, json } from '../../support/fakes/fake-upstream.ts'
import { chatReply } from '../../support/fakes/openai-wire.ts'
import { reservedTokens } from '../../support/formats/reserved-tokens.ts'
import { ownedKey, writeOwners } from '../../support/gateways/owners.ts'
import { type Started, start, until } from '../../support/start.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

/** One millionth of a dollar for each token. The fake upstream's answers have used ten. */
const prices = { 'up/*': { input: 1, output: 1 } }
const used = 10
const limit = 1_000

/** A gateway whose team has a budget, and whose upstream answers when it is told to. */
async function stage(window: Budget['window'], at: number) {
  await using opened = new AsyncDisposableStack()
  const date = opened.use(fakeDate(at))
  const folder = opened.use(temporaryFolder())
  const budget: Budget = { id: 'b1', window, limitMicroUsd: limit }
  await writeOwners(folder.path, { team: { budgets: [budget] } })
  const held: (() => void)[] = []
  let holds = false
  const upstream = opened.use(
    await fakeUpstream((_seen, response) => {
      if (holds) held.push(() => json(response, chatReply('Hello')))
      else json(response, chatReply('Hello'))
    }),
  )
  const moved = opened.move()
  onTestFinished(() => moved.disposeAsync())
  const open = () =>
    start(
      {
        prices,
        defaults: { retries: { attempts: 1 } },
        providers: { up: { type: 'openai', baseUrl: upstream.url, key: 'k' } },
      },
      { dataFolder: folder.path },
    )
  return {
    date,
    open,
    held,
    hold: () => {
      holds = true
    },
    /** Answers what was held, and all that is asked from now on at once. */
    release: () => {
      holds = false
      for (const answer of held.splice(0)) answer()
    },
  }
}

const body = (max_tokens: number) => ({
  model: 'up/m',
  max_tokens,
  messages: [{ role: 'user', content: 'Hi' }],
})

const ask = (gateway: Started, max_tokens = 50, tags = '') =>
  gateway.post('/v1/chat/completions', body(max_tokens), {
    key: ownedKey,
    headers: { 'x-sluice-tags': tags },
  })

async function asked(gateway: Started, max_tokens = 50, tags = ''): Promise<void> {
  const answer = await ask(gateway, max_tokens, tags)
  expect(answer.status, await answer.text()).toBe(200)
}

/** What is gone of each budget. */
async function spent(gateway: Started): Promise<readonly number[]> {
  const said = await gateway.request('/v1/usage', { key: ownedKey })
  const { limits } = (await said.json()) as {
    limits: { kind: string; limit: number; remaining: number }[]
  }
  return limits.flatMap((one) => (one.kind === 'budget' ? [one.limit - one.remaining] : []))
}

/** How many calls of the key are in the ledger. */
async function recorded(gateway: Started): Promise<number> {
  const { data } = await granted(gateway, 'GET /admin/v1/requests')
  return data.length
}

describe.each<[Budget['window'], string]>([
  ['day', '2026-11-18'],
  ['week', '2026-11-23'],
  ['month', '2027-03-01'],
  ['month', '2028-03-01'],
  ['month', '2027-01-01'],
])('a budget of a %s whose period ends at the start of %s', (window, ends) => {
  const turn = Date.parse(`${ends}T00:00:00Z`)

  test('counts calls in the period they began in, and the next period starts at zero', async () => {
    const { date, open, hold, held, release } = await stage(window, turn - 90_000)
    {
      await using gateway = await open()
      await asked(gateway)
      await until(async () => (await spent(gateway))[0] === used)
      // Less than the budget, and more than it has left.
      const refused = await ask(gateway, limit - reservedTokens(body(0)) - used + 1)
      expect(refused.status).toBe(429)
      expect(refused.headers.get('retry-after')).toBe('90')
      expect(await refused.text()).toContain(`the budget resets at ${ends}T00:00:00Z`)
      date.set(turn - 1)
      hold()
      const late = ask(gateway)
      await until(() => held.length === 1)
      expect((await spent(gateway))[0]).toBeGreaterThan(used)
      date.set(turn)
      expect(await spent(gateway)).toEqual([0])
      release()
      expect((await late).status).toBe(200)
      await asked(gateway)
      await until(async () => (await spent(gateway))[0] === used)
    }
    await using again = await open()
    expect(await spent(again)).toEqual([used])
    date.set(turn - 1)
    await using before = await open()
    expect((await spent(before))[0]).toBeGreaterThanOrEqual(2 * used)
  })
})

test.each(['day', 24] as const)(
  'a budget of %s counts spending recorded by a gateway whose clock is ahead',
  async (window) => {
    const at = Date.parse('2026-11-18T12:56:00Z')
    const { date, open } = await stage(window, at + 10 * 60_000)
    {
      await using ahead = await open()
      await asked(ahead)
    }
    date.set(at)
    await using gateway = await open()
    expect(await spent(gateway)).toEqual([used])
  },
)

describe('a budget changed within its period', () => {
  const at = Date.parse('2026-11-18T12:00:00Z')

  test('keeps the reservation of a running call when only its limit changes', async () => {
    const { open, hold, held, release } = await stage('day', at)
    await using gateway = await open()
    hold()
    const under = ask(gateway)
    await until(() => held.length === 1)
    const reserved = await spent(gateway)
    const budgets = [{ window: 'day', limitMicroUsd: 5 * limit }]
    await granted(gateway, 'PATCH /admin/v1/teams/team_1', { budgets })
    expect(await spent(gateway)).toEqual(reserved)
    release()
    expect((await under).status).toBe(200)
    await until(async () => (await spent(gateway))[0] === used)
  })

  test.each(['month', 'lifetime', 24] as const)(
    'keeps what was spent when its period becomes %s',
    async (window) => {
      const { open } = await stage('day', at)
      await using gateway = await open()
      await asked(gateway)
      await until(async () => (await spent(gateway))[0] === used)
      await granted(gateway, 'PATCH /admin/v1/teams/team_1', {
        budgets: [{ id: 'b1', window, limitMicroUsd: limit }],
      })
      expect(await spent(gateway)).toEqual([used])
    },
  )

  test.each([undefined, 'b1'])(
    'counts what was spent while it was removed, also with its old id: %s',
    async (id) => {
      const { open } = await stage('day', at)
      await using gateway = await open()
      await asked(gateway)
      await until(async () => (await spent(gateway))[0] === used)
      await granted(gateway, 'PATCH /admin/v1/teams/team_1', { budgets: null })
      await asked(gateway)
      // The ledger is told a moment after the answer.
      await until(async () => (await recorded(gateway)) === 2)
      await granted(gateway, 'PATCH /admin/v1/teams/team_1', {
        budgets: [{ ...(id && { id }), window: 'day', limitMicroUsd: limit }],
      })
      await until(async () => (await spent(gateway))[0] === 2 * used)
    },
  )

  test('starts at zero when it is moved to another tag', async () => {
    const { open } = await stage('day', at)
    await using gateway = await open()
    const tagged = (tag: string) => ({ id: 'b1', window: 'day', limitMicroUsd: limit, tag })
    await granted(gateway, 'PATCH /admin/v1/teams/team_1', { budgets: [tagged('a')] })
    const { budgets } = await granted(gateway, 'GET /admin/v1/teams/team_1')
    await asked(gateway, 50, 'a')
    await until(async () => (await spent(gateway))[0] === used)
    const [budget] = budgets as readonly Budget[]
    await granted(gateway, 'PATCH /admin/v1/teams/team_1', {
      budgets: [{ ...budget, tag: 'b' }],
    })
    expect(await spent(gateway)).toEqual([0])
  })
})
