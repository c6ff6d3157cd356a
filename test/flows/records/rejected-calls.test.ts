// Calls that are rejected before any upstream is called: counted by key and reason, and sent to live watchers.
import { describe, expect, test } from 'vitest'
import { asked, granted } from '../../support/administrate.ts'
import { openEvents } from '../../support/clients/open-events.ts'
import { fakeUpstream } from '../../support/fakes/fake-upstream.ts'
import { ask, at, error, good } from '../../support/routes.ts'
import { adminKey, type Started, start, until } from '../../support/start.ts'

interface Refusal {
  readonly key: string
  readonly code: string
  readonly count: number
}

async function refusals(gateway: Started, query = '', key = adminKey) {
  const { body } = await asked(gateway, `GET /admin/v1/refusals${query}`, undefined, key)
  return (body as unknown as { readonly data: readonly Refusal[] }).data
}

/** A gateway with a team that has a key of its own, and an administrator of that team. */
async function withTeam(gateway: Started) {
  const team = await granted(gateway, 'POST /admin/v1/teams', { name: 'search' })
  const make = (further: object) =>
    granted(gateway, 'POST /admin/v1/keys', { ownerId: team.id, ...further })
  const key = await make({ name: 'crawler', requestsPerMinute: 3 })
  const administrator = await make({ name: 'lead', role: 'administrator', adminRole: 'team' })
  return { team, key, administrator }
}

const chatAt = (gateway: Started) => (body: object, key?: string) =>
  gateway.post('/v1/chat/completions', { ...ask, ...body }, key === undefined ? {} : { key })

describe('refused calls', () => {
  test('are counted by key and reason, without admitted calls', async () => {
    await using first = await fakeUpstream(good)
    await using gateway = await start(at({ first }))
    const chat = chatAt(gateway)
    await chat({ model: 'first/a' })
    first.answer(error(400))
    expect((await chat({ model: 'first/a' })).status).toBe(400)
    expect((await chat({ model: 'first/a' }, 'sk-nobody')).status).toBe(401)
    for (const model of ['nowhere/a', 'nowhere/b']) expect((await chat({ model })).status).toBe(404)
    expect((await chat({ model: 'first/a', temperature: 'warm' })).status).toBe(400)
    await until(async () => (await refusals(gateway)).length === 2)
    expect(await refusals(gateway)).toMatchObject([
      {
        code: 'model_not_found',
        status: 404,
        operation: 'chat',
        count: 2,
        lastModel: 'nowhere/b',
        lastMessage: expect.stringContaining('nowhere'),
        lastId: expect.stringMatching(/^req_/),
      },
      { code: 'invalid_request', status: 400, count: 1, lastModel: null },
    ])
    expect(await refusals(gateway, '?operation=embed')).toEqual([])
    expect(await refusals(gateway, '?from=2026-01-01&to=2026-01-02')).toEqual([])
  })

  test('include those over body size, concurrency and budget', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    await using first = await fakeUpstream(async (...asked) => {
      await released
      return good(...asked)
    })
    await using gateway = await start({
      ...at({ first }),
      server: { bodyLimitBytes: 20_000 },
      limits: { concurrentRequests: 1, waitMs: 0 },
      prices: { 'first/*': { input: 1000, output: 1000 } },
    })
    const chat = chatAt(gateway)
    const poor = await granted(gateway, 'POST /admin/v1/keys', {
      name: 'poor',
      budgets: [{ limitMicroUsd: 1, window: 'day' }],
    })
    const messages = [{ role: 'user', content: 'a'.repeat(30_000) }]
    expect((await chat({ model: 'first/a', messages })).status).toBe(413)
    expect((await chat({ model: 'first/a' }, poor.secret)).status).toBe(429)
    const held = chat({ model: 'first/a' })
    await until(() => first.seen.length === 1)
    expect((await chat({ model: 'first/a' })).status).toBe(503)
    release()
    expect((await held).status).toBe(200)
    await until(async () => (await refusals(gateway)).length === 3)
    const found = await refusals(gateway)
    expect(found.toSorted((one, other) => one.code.localeCompare(other.code))).toMatchObject([
      { code: 'overloaded', status: 503, operation: 'chat', count: 1 },
      {
        key: poor.id,
        code: 'quota_exceeded',
        status: 429,
        count: 1,
        lastModel: 'first/a',
        lastMessage: expect.stringContaining('budget'),
      },
      { code: 'too_large', status: 413, operation: 'chat', count: 1, lastModel: null },
    ])
  })

  test('of a team are shown to its administrator', async () => {
    await using first = await fakeUpstream(good)
    await using gateway = await start(at({ first }))
    const chat = chatAt(gateway)
    const { team, key, administrator } = await withTeam(gateway)
    const statuses: number[] = []
    for (let count = 0; count < 4; count++)
      statuses.push((await chat({ model: 'first/a' }, key.secret)).status)
    expect(statuses.at(-1)).toBe(429)
    await chat({ model: 'nowhere/a' })
    await until(async () => (await refusals(gateway)).length === 2)
    expect(await refusals(gateway, '', administrator.secret)).toMatchObject([
      { key: key.id, team: team.id, code: 'rate_limited', status: 429, lastModel: null },
    ])
    expect(await refusals(gateway, `?key=${key.id}`)).toHaveLength(1)
    const other = '/admin/v1/refusals?team=team_other'
    expect((await gateway.request(other, { key: administrator.secret })).status).toBe(403)
    expect((await gateway.request('/admin/v1/refusals', { key: key.secret })).status).toBe(403)
  })

  test('are sent to live watchers', async () => {
    await using first = await fakeUpstream(good)
    await using gateway = await start(at({ first }))
    const chat = chatAt(gateway)
    const { administrator } = await withTeam(gateway)
    const watch = (query = '', key = adminKey) =>
      openEvents(`${gateway.url}/admin/v1/requests/live${query}`, key)
    await using all = await watch()
    await using forbidden = await watch('?status=403')
    await using named = await watch('?requestedModel=nowhere/b')
    await using failed = await watch('?outcome=failed')
    await using ofTeam = await watch('', administrator.secret)
    await chat({ model: 'nowhere/a' })
    await chat({ model: 'nowhere/b' })
    await until(() => all.seen.length === 2 && named.seen.length === 1)
    expect(all.seen).toMatchObject([
      {
        event: 'refused',
        data: {
          model: 'nowhere/a',
          outcome: 'refused',
          status: 404,
          errorCode: 'model_not_found',
          message: expect.stringContaining('nowhere'),
        },
      },
      { event: 'refused', data: { model: 'nowhere/b' } },
    ])
    await chat({ model: 'first/a' })
    await until(() => all.seen.at(-1)?.event === 'request')
    for (const { seen } of [forbidden, failed, ofTeam]) expect(seen).toEqual([])
  })
})
