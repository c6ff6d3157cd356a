// Who may read which budgets, bills and own keys, and with what content.
import { afterEach, beforeEach, expect, test } from 'vitest'
import { asked, granted } from '../../support/administrate.ts'
import { type FakeUpstream, fakeUpstream } from '../../support/fakes/fake-upstream.ts'
import { ask, at, good } from '../../support/routes.ts'
import { type Started, start } from '../../support/start.ts'

let upstream: FakeUpstream
let gateway: Started
beforeEach(async () => {
  upstream = await fakeUpstream(good)
  const prices = { 'acme/priced': { input: 2000, output: 10_000 } }
  gateway = await start({ ...at({ acme: upstream }), prices })
})
afterEach(async () => {
  await gateway[Symbol.asyncDispose]()
  await upstream[Symbol.asyncDispose]()
})

/** Two teams with a budget each, a user in the first, and keys. */
async function twoTeams() {
  const budgets = [{ id: 'all', limitMicroUsd: 1_000_000, window: 'month' }]
  const first = await granted(gateway, 'POST /admin/v1/teams', { name: 'first', budgets })
  const second = await granted(gateway, 'POST /admin/v1/teams', { name: 'second', budgets })
  const user = await granted(gateway, 'POST /admin/v1/users', { name: 'Ada', parentId: first.id })
  const key = await granted(gateway, 'POST /admin/v1/keys', { name: 'mine', ownerId: user.id })
  const lead = await granted(gateway, 'POST /admin/v1/keys', {
    name: 'lead',
    ownerId: first.id,
    role: 'administrator',
    adminRole: 'team',
  })
  const chat = await gateway.post(
    '/v1/chat/completions',
    { model: 'acme/priced', ...ask, max_completion_tokens: 3 },
    { key: key.secret },
  )
  expect(chat.status).toBe(200)
  return { first, second, user, key, lead }
}

test('lists what is left of each budget, to a team administrator only the team’s own', async () => {
  const { first, second, lead } = await twoTeams()
  // 7 tokens in and 3 out: 14,000 + 30,000 millionths.
  const shown = (holder: { readonly id: string; readonly name?: unknown }, left: number) => ({
    id: 'all',
    holder: { kind: 'team', id: holder.id, name: holder.name },
    window: 'month',
    limitMicroUsd: 1_000_000,
    remainingMicroUsd: left,
  })
  const all = await granted(gateway, 'GET /admin/v1/budgets')
  expect(all.data).toMatchObject([shown(first, 956_000), shown(second, 1_000_000)])
  expect(Number(all.data[0]?.['resetMs'])).toBeGreaterThan(0)
  const one = await granted(gateway, `GET /admin/v1/budgets?holder=${second.id}`)
  expect(one.data).toMatchObject([shown(second, 1_000_000)])
  const own = await granted(gateway, 'GET /admin/v1/budgets', undefined, lead.secret)
  expect(own.data).toMatchObject([shown(first, 956_000)])
})

test('compares a bill with the ledger for administrators who may see all usage', async () => {
  const { lead } = await twoTeams()
  const day = new Date().toISOString().slice(0, 10)
  const billed = (usd: number) => ({
    csv: `start_time_iso,amount_value,line_item\n${day}T00:00:00Z,${usd},"priced, input"\n`,
    provider: 'acme',
  })
  const address = 'POST /admin/v1/usage/reconcile'
  expect(await granted(gateway, address, billed(0.044))).toMatchObject({
    from: day,
    to: day,
    rows: 1,
    differences: [],
  })
  expect(await granted(gateway, address, billed(2))).toMatchObject({
    differences: [{ day, model: 'priced', of: 'USD', billed: 2, ledger: 0.044 }],
  })
  expect((await asked(gateway, address, billed(2), lead.secret)).status).toBe(403)
  for (const body of [{}, { csv: 'a,b\n1,2\n' }, { csv: 3 }]) {
    const { status, body: refused } = await asked(gateway, address, body)
    expect([status, refused.error.param]).toEqual([400, 'csv'])
  }
})

test('lists a user’s own keys without secrets', async () => {
  const { user, key } = await twoTeams()
  const other = await granted(gateway, 'POST /admin/v1/keys', { name: 'other', ownerId: user.id })
  await granted(gateway, 'POST /admin/v1/keys', { name: 'strange' })
  const own = await granted(gateway, 'GET /v1/usage/keys', undefined, key.secret)
  expect(own.data).toMatchObject([
    { id: key.id, name: 'mine' },
    { id: other.id, name: 'other' },
  ])
  expect(JSON.stringify(own)).not.toMatch(/secret|hash/)
})
