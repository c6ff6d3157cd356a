// A refused call is found by the id that its caller quotes, and stands among the calls that were made.
import { describe, expect, test } from 'vitest'
import { asked, granted } from '../../support/administrate.ts'
import { openEvents } from '../../support/clients/open-events.ts'
import { ask } from '../../support/routes.ts'
import { runSluice } from '../../support/run-sluice.ts'
import { adminKey, type Started, start, until } from '../../support/start.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const served = { model: 'builtin/builtin-chat', ...ask }
const unknown = { model: 'nowhere/a', ...ask }

async function listed(gateway: Started, query = '', key = adminKey) {
  const { body } = await asked(gateway, `GET /admin/v1/requests${query}`, undefined, key)
  return body as unknown as {
    readonly data: readonly {
      readonly id: string
      readonly outcome: string
      readonly key: string
    }[]
    readonly nextCursor: string | null
  }
}

/** Waits until so many refused calls are stored. */
async function untilKept(gateway: Started, count: number): Promise<void> {
  await until(async () => (await listed(gateway, '?outcome=refused')).data.length === count)
}

describe('a refused call', () => {
  test('is found by its ids with its reason', async () => {
    await using gateway = await start()
    const headers = { 'x-request-id': 'quoted-by-caller' }
    const refused = await gateway.post('/v1/chat/completions', unknown, { headers })
    expect(refused.status).toBe(404)
    await untilKept(gateway, 1)
    const found = await granted(gateway, 'GET /admin/v1/requests/quoted-by-caller')
    expect(found).toMatchObject({
      requestId: 'quoted-by-caller',
      outcome: 'refused',
      status: 404,
      errorCode: 'model_not_found',
      reason: expect.stringContaining('nowhere/a'),
      model: 'nowhere/a',
      operation: 'chat',
      format: 'chat',
      attempts: 0,
      costMicroUsd: 0,
      timeline: [],
    })
    const same = await granted(gateway, `GET /admin/v1/requests/${found['id']}`)
    expect(same).toEqual(found)
    expect((await listed(gateway, '?id=quoted-by-caller')).data).toMatchObject(
      [found].map(({ id }) => ({ id })),
    )
    expect((await asked(gateway, 'GET /admin/v1/requests/nobody')).status).toBe(404)
  })

  test('stands in the list by time, page by page, and only where a filter means it', async () => {
    await using gateway = await start()
    for (const body of [served, unknown, served, unknown, unknown])
      await gateway.post('/v1/chat/completions', body)
    await untilKept(gateway, 3)
    const whole = (await listed(gateway)).data
    expect(whole.map(({ outcome }) => outcome)).toEqual([
      'refused',
      'refused',
      'completed',
      'refused',
      'completed',
    ])
    for (const limit of [1, 2, 3]) {
      const paged: (typeof whole)[number][] = []
      for (let cursor: string | null = ''; cursor !== null; ) {
        const page = await listed(gateway, `?limit=${limit}&cursor=${cursor}`)
        paged.push(...page.data)
        cursor = page.nextCursor
      }
      expect(paged).toEqual(whole)
    }
    const outcomes = async (query: string) =>
      (await listed(gateway, query)).data.map(({ outcome }) => outcome)
    expect(await outcomes('?status=404')).toEqual(['refused', 'refused', 'refused'])
    expect(await outcomes('?requestedModel=nowhere/a')).toHaveLength(3)
    for (const query of ['?outcome=completed', '?provider=builtin', '?status=200'])
      expect(await outcomes(query)).toEqual(['completed', 'completed'])
    expect(await outcomes('?tag=none')).toEqual([])
  })

  test('is shown to the administrator of its team alone', async () => {
    await using gateway = await start()
    const team = await granted(gateway, 'POST /admin/v1/teams', { name: 'search' })
    const make = (further: object) => granted(gateway, 'POST /admin/v1/keys', further)
    const own = await make({ name: 'crawler', ownerId: team.id })
    const lead = { name: 'lead', role: 'administrator', adminRole: 'team', ownerId: team.id }
    const { secret } = await make(lead)
    const headers = (id: string) => ({ headers: { 'x-request-id': id } })
    await gateway.post('/v1/chat/completions', unknown, {
      ...headers('of-the-team'),
      key: own.secret,
    })
    await gateway.post('/v1/chat/completions', unknown, headers('of-another'))
    await untilKept(gateway, 2)
    expect((await listed(gateway, '', secret)).data).toMatchObject([{ key: own.id }])
    const get = (id: string) => asked(gateway, `GET /admin/v1/requests/${id}`, undefined, secret)
    expect([(await get('of-the-team')).status, (await get('of-another')).status]).toEqual([
      200, 404,
    ])
  })

  test('is one of many: the first hundred of a reason, and then one in a hundred', async () => {
    await using gateway = await start()
    for (let at = 0; at < 150; at++) await gateway.post('/v1/chat/completions', unknown)
    await until(async () => {
      const { data } = await granted(gateway, 'GET /admin/v1/refusals')
      return data[0]?.['count'] === 150
    })
    expect((await listed(gateway, '?outcome=refused&limit=500')).data).toHaveLength(101)
  })

  test('is told live where refused calls are asked for', async () => {
    await using gateway = await start()
    await using events = await openEvents(
      `${gateway.url}/admin/v1/requests/live?outcome=refused`,
      adminKey,
    )
    await gateway.post('/v1/chat/completions', served)
    await gateway.post('/v1/chat/completions', unknown)
    await until(() => events.seen.some(({ event }) => event === 'refused'))
    expect(events.seen.map(({ event }) => event)).toEqual(['refused'])
  })

  test('is printed by the command line with its reason', async () => {
    using folder = temporaryFolder()
    await using gateway = await start()
    const headers = { 'x-request-id': 'quoted-by-caller' }
    await gateway.post('/v1/chat/completions', unknown, { headers })
    await untilKept(gateway, 1)
    const args = ['requests', '--id', 'quoted-by-caller', '--url', gateway.url]
    const at = { folder: folder.path, variables: { SLUICE_ADMIN_KEY: adminKey } }
    const { stdout } = await runSluice(args, at)
    expect(stdout).toMatch(/nowhere\/a +- +refused +404/)
    expect(stdout).toMatch(/\nreq_\w+ {2}model_not_found: .*nowhere\/a/)
  })
})
