// Resetting a budget: who may do it, what counts afterwards, and how it is recorded.
import { expect, test } from 'vitest'
import { asked, granted } from '../../support/administrate.ts'
import { fakeUpstream, json } from '../../support/fakes/fake-upstream.ts'
import { chatReply } from '../../support/fakes/openai-wire.ts'
import { onEachDatabase, type SharedData } from '../../support/servers/databases.ts'
import { type Started, start, until } from '../../support/start.ts'

const prices = { '*': { input: 1, output: 1 } }
/** More than any call reserves. */
const used = 1_000
const usage = { prompt_tokens: used - 10, completion_tokens: 10, total_tokens: used }
const body = { model: 'up/m', max_tokens: 10, messages: [{ role: 'user', content: 'Hi' }] }
const reset = 'POST /admin/v1/budgets/reset'

async function ask(gateway: Started, key: string): Promise<number> {
  const answer = await gateway.post('/v1/chat/completions', body, { key })
  await answer.arrayBuffer()
  return answer.status
}

onEachDatabase((newData) => {
  async function stage() {
    const opened = new AsyncDisposableStack()
    const upstream = opened.use(
      await fakeUpstream((_seen, response) => json(response, chatReply('Hello', { usage }))),
    )
    const data: SharedData = opened.use(await newData())
    const content = {
      prices,
      providers: { up: { type: 'openai', baseUrl: upstream.url, key: 'k' } as const },
    }
    return {
      open: async () => opened.use(await start(content, data.options)),
      [Symbol.asyncDispose]: () => opened.disposeAsync(),
    }
  }

  const budgets = (limit: number) => [
    { id: 'first', window: 'month', limitMicroUsd: limit },
    { id: 'second', window: 'lifetime', limitMicroUsd: 100 * limit },
  ]
  const left = async (gateway: Started, holder: string) => {
    const { data } = await granted(gateway, `GET /admin/v1/budgets?holder=${holder}`)
    return data.map(({ id, remainingMicroUsd }) => [id, remainingMicroUsd])
  }

  test('a reset budget forgets what was spent, at all gateways and after a restart', async () => {
    await using staged = await stage()
    const limit = 3 * used
    const first = await staged.open()
    const team = await granted(first, 'POST /admin/v1/teams', {
      name: 't',
      budgets: budgets(limit),
    })
    const key = await granted(first, 'POST /admin/v1/keys', { name: 'k', ownerId: team.id })
    for (let turn = 0; turn < 2; turn += 1) {
      let calls = 0
      while ((await ask(first, key.secret)) === 200) calls += 1
      expect(calls).toBeGreaterThan(1)
      expect(await ask(first, key.secret)).toBe(429)
      const done = await granted(first, reset, { holder: team.id, budget: 'first' })
      expect(done).toMatchObject({ holder: team.id, budgets: ['first'] })
      expect(await left(first, team.id)).toContainEqual(['first', limit])
      expect(await left(first, team.id)).not.toContainEqual(['second', 100 * limit])
    }
    expect(await ask(first, key.secret)).toBe(200)
    // A change of its limit, and of other terms, keeps the reset.
    const changed = await granted(first, `PATCH /admin/v1/teams/${team.id}`, {
      budgets: budgets(2 * limit),
      tags: ['a'],
    })
    expect(changed['budgets']).toMatchObject([{ id: 'first', resetAt: expect.any(Number) }, {}])
    await first.gateway.store.flush()
    const other = await staged.open()
    expect(await left(other, team.id)).toContainEqual(['first', 2 * limit - used])
    await granted(other, reset, { holder: team.id })
    await until(async () =>
      (await left(first, team.id)).every(([, amount]) => Number(amount) % limit === 0),
    )
    const { data } = await granted(first, 'GET /admin/v1/audit?limit=50')
    const entries = data.filter(({ action }) => action === 'team.reset-budgets')
    expect(entries).toHaveLength(3)
    for (const entry of entries) expect(entry).toMatchObject({ target: team.id })
  })

  test('a reset requires the permission to change the budget', async () => {
    await using staged = await stage()
    const gateway = await staged.open()
    const team = await granted(gateway, 'POST /admin/v1/teams', { name: 't', budgets: budgets(9) })
    const other = await granted(gateway, 'POST /admin/v1/teams', { name: 'o', budgets: budgets(9) })
    const keyOf = (ownerId: string) =>
      granted(gateway, 'POST /admin/v1/keys', { name: 'k', ownerId, budgets: budgets(9) })
    const [own, foreign] = [await keyOf(team.id), await keyOf(other.id)]
    const admin = async (adminRole: string, ownerId?: string) =>
      (
        await granted(gateway, 'POST /admin/v1/keys', {
          name: adminRole,
          role: 'administrator',
          adminRole,
          ...(ownerId !== undefined && { ownerId }),
        })
      ).secret
    const operator = await admin('operator')
    const viewer = await admin('viewer')
    const ofTeam = await admin('team', team.id)
    const statusOf = async (holder: string, key: string, budget?: string) =>
      (await asked(gateway, reset, { holder, ...(budget !== undefined && { budget }) }, key)).status
    expect(await statusOf(team.id, operator)).toBe(200)
    expect(await statusOf(own.id, ofTeam)).toBe(200)
    // What bounds a team is set from above it.
    expect(await statusOf(team.id, ofTeam)).toBe(403)
    expect(await statusOf(foreign.id, ofTeam)).toBe(404)
    expect(await statusOf(other.id, ofTeam)).toBe(404)
    for (const holder of [team.id, own.id]) {
      expect(await statusOf(holder, viewer)).toBe(403)
      expect(await statusOf(holder, own.secret)).toBe(403)
    }
    expect(await statusOf('nobody', operator)).toBe(404)
    expect(await statusOf(own.id, operator, 'none')).toBe(404)
    await granted(gateway, `POST /admin/v1/keys/${own.id}/revoke`)
    expect(await statusOf(own.id, operator)).toBe(409)
  })

  test('resetAt cannot be set by changing or creating a key', async () => {
    await using staged = await stage()
    const gateway = await staged.open()
    const mine = [{ id: 'b', window: 'day', limitMicroUsd: 9, resetAt: Date.now() + 1e9 }]
    const made = await granted(gateway, 'POST /admin/v1/keys', { name: 'k', budgets: mine })
    const changed = await granted(gateway, `PATCH /admin/v1/keys/${made.id}`, { budgets: mine })
    for (const { budgets: its } of [made, changed])
      expect(its).not.toMatchObject([{ resetAt: expect.any(Number) }])
  })

  test('a daily budget uses its own time zone, or that of the settings', async () => {
    await using staged = await stage()
    const gateway = await staged.open()
    const wrong = async (more: object) =>
      (
        await asked(gateway, 'POST /admin/v1/keys', {
          name: 'k',
          budgets: [{ window: 'day', limitMicroUsd: 9, ...more }],
        })
      ).body.error.param
    expect(await wrong({ timeZone: 'Europe/Nowhere' })).toBe('budgets[0].timeZone')
    expect(await wrong({ window: 24, timeZone: 'UTC' })).toBe('budgets[0].timeZone')
    const key = await granted(gateway, 'POST /admin/v1/keys', {
      name: 'k',
      budgets: [
        { id: 'utc', window: 'day', limitMicroUsd: 9 },
        { id: 'own', window: 'day', limitMicroUsd: 9, timeZone: 'Asia/Kolkata' },
      ],
    })
    const { data } = await granted(gateway, `GET /admin/v1/budgets?holder=${key.id}`)
    const day = 86_400_000
    const [utc, own] = data.map(({ resetMs }) => Number(resetMs))
    const apart = ((((utc ?? 0) - (own ?? 0)) % day) + day) % day
    // 5 hours and a half; a moment passes between the two.
    expect(Math.abs(apart - 5.5 * 3_600_000)).toBeLessThan(1_000)
    expect(data.map(({ timeZone }) => timeZone)).toEqual([null, 'Asia/Kolkata'])
  })
})
