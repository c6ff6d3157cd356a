// Organizations, teams, users and keys over /admin/v1.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { asked, granted } from '../../support/administrate.ts'
import { fakeUpstream, sse } from '../../support/fakes/fake-upstream.ts'
import { clientStreams, upstreamStreams } from '../../support/fakes/upstream-streams.ts'
import { onEachDatabase, type SharedData } from '../../support/servers/databases.ts'
import { adminKey, type Started, start, until } from '../../support/start.ts'

const chat = { model: 'builtin-chat', messages: [{ role: 'user', content: 'Hello' }] }

onEachDatabase((newData) => {
  let data: SharedData
  let gateway: Started
  beforeAll(async () => {
    data = await newData()
    gateway = await start({}, data.options)
  })
  afterAll(async () => {
    await gateway[Symbol.asyncDispose]()
    await data[Symbol.asyncDispose]()
  })

  async function statusOf(key: string, at = gateway): Promise<number> {
    const response = await at.post('/v1/chat/completions', chat, { key })
    await response.arrayBuffer()
    return response.status
  }

  async function team(name: string) {
    const { id } = await granted(gateway, 'POST /admin/v1/teams', { name })
    const admin = await granted(gateway, 'POST /admin/v1/keys', {
      name: `${name} admin`,
      role: 'administrator',
      adminRole: 'team',
      ownerId: id,
    })
    return { id, adminId: admin.id, admin: admin.secret }
  }

  test('creates, reads, updates and deletes an organization, team, user and key', async () => {
    const organization = await granted(gateway, 'POST /admin/v1/organizations', {
      name: 'acme',
      budgets: [{ limitMicroUsd: 5_000_000, window: 'month' }],
    })
    expect(organization).toMatchObject({
      object: 'organization',
      id: expect.stringMatching(/^org_\w{16}$/),
      budgets: [{ id: expect.stringMatching(/^budget_/), limitMicroUsd: 5_000_000 }],
    })
    const parentId = organization.id
    const search = await granted(gateway, 'POST /admin/v1/teams', { name: 'search', parentId })
    const ada = await granted(gateway, 'POST /admin/v1/users', { name: 'ada', parentId: search.id })
    const made = await granted(gateway, 'POST /admin/v1/keys', { name: 'app', ownerId: ada.id })
    expect(made.secret).toMatch(/^sk-\w{43}$/)
    expect(JSON.stringify(made)).not.toContain('hash')
    expect(await statusOf(made.secret)).toBe(200)
    const { secret: _secret, ...shown } = made
    expect(await granted(gateway, `GET /admin/v1/keys/${made.id}`)).toEqual(shown)

    const change = { models: ['builtin-embed'], tags: ['nightly'] }
    await granted(gateway, `PATCH /admin/v1/teams/${search.id}`, change)
    expect(await statusOf(made.secret)).toBe(403)
    const back = await granted(gateway, `PATCH /admin/v1/teams/${search.id}`, { models: null })
    expect(back).toMatchObject({ name: 'search', tags: ['nightly'], parentId })
    expect(back).not.toHaveProperty('models')
    expect(await statusOf(made.secret)).toBe(200)

    for (const path of [`organizations/${parentId}`, `users/${ada.id}`, `keys/${made.id}`]) {
      expect(await granted(gateway, `POST /admin/v1/${path}/disable`)).toHaveProperty('disabledAt')
      expect(await statusOf(made.secret)).toBe(401)
      expect(await granted(gateway, `POST /admin/v1/${path}/enable`)).not.toHaveProperty(
        'disabledAt',
      )
      expect(await statusOf(made.secret)).toBe(200)
    }

    for (const path of [`organizations/${parentId}`, `teams/${search.id}`, `users/${ada.id}`])
      expect((await asked(gateway, `DELETE /admin/v1/${path}`)).status, path).toBe(409)
    await granted(gateway, `POST /admin/v1/keys/${made.id}/revoke`)
    expect(await statusOf(made.secret)).toBe(401)
    expect(await granted(gateway, `POST /admin/v1/keys/${made.id}/revoke`)).toHaveProperty(
      'revokedAt',
    )
    for (const what of ['enable', 'disable', 'rotate'])
      expect((await asked(gateway, `POST /admin/v1/keys/${made.id}/${what}`)).status).toBe(409)
    for (const path of [`users/${ada.id}`, `teams/${search.id}`, `organizations/${parentId}`]) {
      expect(await granted(gateway, `DELETE /admin/v1/${path}`)).toMatchObject({ deleted: true })
      expect((await asked(gateway, `GET /admin/v1/${path}`)).status).toBe(404)
    }
  })

  test('rotating a key issues a new secret and keeps the old one valid for the requested overlap', async () => {
    const first = await granted(gateway, 'POST /admin/v1/keys', { name: 'turning' })
    const rotate = `POST /admin/v1/keys/${first.id}/rotate`
    const second = await granted(gateway, rotate, { overlapSeconds: 60 })
    expect(second.id).toBe(first.id)
    expect(second).toMatchObject({ olderSecrets: [{ prefix: first.secret.slice(0, 8) }] })
    expect([await statusOf(first.secret), await statusOf(second.secret)]).toEqual([200, 200])
    const third = await granted(gateway, rotate)
    expect(await statusOf(first.secret)).toBe(401)
    expect(await statusOf(second.secret)).toBe(401)
    expect(await statusOf(third.secret)).toBe(200)
  })

  test.each<[string, object, string]>([
    ['organizations', {}, 'name'],
    ['organizations', { name: '' }, 'name'],
    ['organizations', { name: 'a', parentId: 'b' }, 'parentId'],
    ['teams', { name: 'a', parentId: 'org_unknown' }, 'parentId'],
    ['teams', { name: 'a', colour: 'red' }, 'colour'],
    ['users', { name: 'a', operations: ['chat', 'fly'] }, 'operations[1]'],
    ['users', { name: 'a', addresses: ['10.0.0.0/8', '10.0.0.0/33'] }, 'addresses[1]'],
    [
      'users',
      { name: 'a', budgets: [{ limitMicroUsd: -1, window: 'day' }] },
      'budgets[0].limitMicroUsd',
    ],
    ['users', { name: 'a', budgets: [{ limitMicroUsd: 1, window: 'year' }] }, 'budgets[0].window'],
    ['users', { name: 'a', tags: ['with a space'] }, 'tags[0]'],
    ['users', { name: 'a', metadata: { a: 1 } }, 'metadata.a'],
    ['keys', { name: 'a', ownerId: 'user_unknown' }, 'ownerId'],
    ['keys', { name: 'a', adminRole: 'viewer' }, 'adminRole'],
    ['keys', { name: 'a', role: 'administrator', adminRole: 'team' }, 'ownerId'],
    ['keys', { name: 'a', expiresAt: 'soon' }, 'expiresAt'],
    ['keys', { name: 'a', requestsPerMinute: 0.5 }, 'requestsPerMinute'],
  ])('rejects POST %s %j and names the invalid field', async (kind, body, param) => {
    const answer = await asked(gateway, `POST /admin/v1/${kind}`, body)
    expect(answer).toMatchObject({ status: 400, body: { error: { param } } })
  })

  test('pages a list in both directions and returns each item once', async () => {
    const parent = await granted(gateway, 'POST /admin/v1/organizations', { name: 'paged' })
    const made: string[] = []
    for (let n = 0; n < 5; n++) {
      const body = { name: `t${n}`, parentId: parent.id }
      made.push((await granted(gateway, 'POST /admin/v1/teams', body)).id)
    }
    const walk = async (order: string) => {
      const seen: string[] = []
      for (let after = ''; ; ) {
        const path = `/admin/v1/teams?parentId=${parent.id}&limit=2&order=${order}&after=${after}`
        const page = await granted(gateway, `GET ${path}`)
        seen.push(...page.data.map(({ id }) => id))
        if (!page.has_more) return seen
        after = page.last_id
      }
    }
    const ascending = await walk('asc')
    expect(ascending.toSorted()).toEqual(made.toSorted())
    expect(await walk('desc')).toEqual(ascending.toReversed())
    const unknown = await asked(gateway, 'GET /admin/v1/teams?after=team_unknown')
    expect(unknown).toMatchObject({ status: 400, body: { error: { param: 'after' } } })
  })

  describe('a team’s administrator', () => {
    test('reads and changes its own team, and nothing of another', async () => {
      const mine = await team('mine')
      const theirs = await team('theirs')
      const user = await granted(gateway, 'POST /admin/v1/users', { name: 'bob' }, mine.admin)
      expect(user).toMatchObject({ parentId: mine.id })
      const body = { name: 'k', ownerId: user.id, requestsPerMinute: 5 }
      const key = await granted(gateway, 'POST /admin/v1/keys', body, mine.admin)
      expect(await statusOf(key.secret)).toBe(200)
      const list = async (kind: string, as: string) =>
        (await granted(gateway, `GET /admin/v1/${kind}`, undefined, as)).data.map(({ id }) => id)
      expect(await list('teams', mine.admin)).toEqual([mine.id])
      expect(await list('users', mine.admin)).toEqual([user.id])
      expect(await list('organizations', mine.admin)).toEqual([])
      expect((await list('keys', mine.admin)).toSorted()).toEqual([key.id, mine.adminId].toSorted())
      expect(await list('users', theirs.admin)).toEqual([])
      expect(await list('keys', theirs.admin)).toEqual([theirs.adminId])

      for (const address of [
        `GET /admin/v1/teams/${mine.id}`,
        `PATCH /admin/v1/teams/${mine.id}`,
        `POST /admin/v1/teams/${mine.id}/disable`,
        `DELETE /admin/v1/teams/${mine.id}`,
        `GET /admin/v1/users/${user.id}`,
        `PATCH /admin/v1/users/${user.id}`,
        `DELETE /admin/v1/users/${user.id}`,
        `GET /admin/v1/keys/${key.id}`,
        `PATCH /admin/v1/keys/${key.id}`,
        `POST /admin/v1/keys/${key.id}/rotate`,
        `POST /admin/v1/keys/${key.id}/disable`,
        `POST /admin/v1/keys/${key.id}/revoke`,
      ]) {
        const change = address.startsWith('PATCH') ? { name: 'stolen' } : undefined
        const answer = await asked(gateway, address, change, theirs.admin)
        expect(answer.status, address).toBe(404)
        expect(JSON.stringify(answer.body)).not.toContain('mine')
      }
      for (const [path, asking] of [
        ['users', { name: 'a', parentId: mine.id }],
        ['keys', { name: 'a', ownerId: mine.id }],
        ['keys', { name: 'a', ownerId: user.id }],
      ] as const)
        expect((await asked(gateway, `POST /admin/v1/${path}`, asking, theirs.admin)).status).toBe(
          400,
        )
      expect(await statusOf(key.secret)).toBe(200)
    })

    test('cannot lift the restrictions of its team or create administrators', async () => {
      const { id, admin, adminId } = await team('bounded')
      await granted(gateway, `PATCH /admin/v1/teams/${id}`, { models: ['builtin-embed'] })
      const own = `/admin/v1/teams/${id}`
      for (const [address, body] of [
        [`PATCH ${own}`, { models: null }],
        [`PATCH ${own}`, { budgets: [] }],
        [`PATCH ${own}`, { tags: [] }],
        [`POST ${own}/disable`, undefined],
        [`DELETE ${own}`, undefined],
        ['POST /admin/v1/keys', { name: 'a', role: 'administrator' }],
        [`POST /admin/v1/keys/${adminId}/rotate`, {}],
      ] as const) {
        const answer = await asked(gateway, address, body, admin)
        expect(answer, address).toMatchObject({
          status: 403,
          body: { error: { type: 'permission_error' } },
        })
      }
      const renamed = await granted(
        gateway,
        `PATCH ${own}`,
        { name: 'b', metadata: { x: 'y' } },
        admin,
      )
      expect(renamed).toMatchObject({ name: 'b', metadata: { x: 'y' }, models: ['builtin-embed'] })
      const key = await granted(gateway, 'POST /admin/v1/keys', { name: 'k', models: ['*'] }, admin)
      expect(key).toMatchObject({ ownerId: id })
      expect(await statusOf(key.secret)).toBe(403)
    })
  })

  test('resolves ids to names, and searches lists by name', async () => {
    const acme = await team('Acme Search')
    const other = await team('Other')
    const key = await granted(gateway, 'POST /admin/v1/keys', { name: 'crawler', ownerId: acme.id })
    const { data: mine } = await granted(gateway, 'GET /v1/usage/keys')
    const ids = [acme.id, other.id, key.id, 'key_none', mine[0]?.id].join()
    const { data } = await granted(gateway, `GET /admin/v1/names?ids=${ids}`)
    expect(data).toHaveLength(4)
    expect(data).toEqual(
      expect.arrayContaining([
        { id: acme.id, kind: 'team', name: 'Acme Search', isFixed: false },
        { id: other.id, kind: 'team', name: 'Other', isFixed: false },
        { id: key.id, kind: 'key', name: 'crawler', isFixed: false },
        { id: mine[0]?.id, kind: 'key', name: 'SLUICE_ADMIN_KEY', isFixed: true },
      ]),
    )
    const seen = await granted(gateway, `GET /admin/v1/names?ids=${ids}`, undefined, acme.admin)
    expect(new Set(seen.data.map(({ name }) => name))).toEqual(new Set(['Acme Search', 'crawler']))
    const many = Array.from({ length: 101 }, (_, at) => `key_${at}`).join()
    const refused = await asked(gateway, `GET /admin/v1/names?ids=${many}`)
    expect([refused.status, refused.body.error.param]).toEqual([400, 'ids'])

    const found = async (query: string) =>
      (await granted(gateway, `GET /admin/v1/${query}`)).data.map(({ id }) => id)
    expect(await found('teams?search=acme%20s')).toEqual([acme.id])
    expect(await found(`teams?search=${other.id}`)).toEqual([other.id])
    expect(await found('teams?search=nothing')).toEqual([])
    expect(await found('keys?search=RAWL')).toEqual([key.id])
  })

  test('an operator may change everything except administrators', async () => {
    const body = { name: 'op', role: 'administrator', adminRole: 'operator' }
    const { secret: operator, id } = await granted(gateway, 'POST /admin/v1/keys', body)
    await granted(gateway, 'POST /admin/v1/organizations', { name: 'a' }, operator)
    for (const [address, change] of [
      ['POST /admin/v1/keys', { name: 'a', role: 'administrator' }],
      [`PATCH /admin/v1/keys/${id}`, { name: 'b' }],
      [`POST /admin/v1/keys/${id}/revoke`, {}],
    ] as const)
      expect((await asked(gateway, address, change, operator)).status, address).toBe(403)
  })

  test('revoking a key at one replica ends its running streams at another', async () => {
    const [{ type, preamble, content }] = upstreamStreams as readonly [(typeof upstreamStreams)[0]]
    const [client] = clientStreams as readonly [(typeof clientStreams)[0]]
    await using upstream = await fakeUpstream((_seen, response) =>
      sse(response, [...preamble, ...content], { end: false }),
    )
    await using shared = await newData()
    const settings = { providers: { up: { type, baseUrl: upstream.url, key: 'k' } } }
    await using here = await start(settings, shared.options)
    await using there = await start(settings, shared.options)
    const made = await granted(here, 'POST /admin/v1/keys', { name: 'k' })
    await until(() => there.gateway.keys.find(made.secret))
    const answer = await there.post(client.path('up/m'), client.body('up/m'), { key: made.secret })
    const other = await there.post(client.path('up/m'), client.body('up/m'), { key: adminKey })
    const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    while (client.text(text) !== 'Hello') text += (await reader.read()).value ?? ''
    await granted(here, `POST /admin/v1/keys/${made.id}/revoke`)
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      text += value
    }
    expect(client.isError(text), text).toBe(true)
    // Nobody else's stream has ended.
    const reading = other.body!.getReader()
    await reading.read()
    const next = Promise.race([
      (async () => {
        for (;;) if ((await reading.read()).done) return 'ended'
      })(),
      until(() => upstream.seen.filter(({ isOver }) => isOver).length === 1).then(() => 'goes on'),
    ])
    expect(await next).toBe('goes on')
    await reading.cancel()
  })
})
