// Users who create, rotate and revoke their own keys, if their team allows it.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { asked, granted } from '../../support/administrate.ts'
import { type FakeUpstream, fakeUpstream } from '../../support/fakes/fake-upstream.ts'
import { ask, at, good } from '../../support/routes.ts'
import { type Started, start, testKey } from '../../support/start.ts'

const issuer = 'https://issuer.example'
const path = '/v1/usage/keys'

let upstream: FakeUpstream
let gateway: Started
let ada: Person
let bob: Person

interface Person {
  readonly teamId: string
  readonly userId: string
  readonly keyId: string
  readonly secret: string
}

beforeEach(async () => {
  upstream = await fakeUpstream(good)
  gateway = await start({
    ...at({ acme: upstream }),
    console: { oidc: { issuer, clientId: 'sluice' } },
    prices: { 'acme/*': { input: 2000, output: 10_000 } },
  })
  ada = await personIn('search', { ownKeys: true })
  bob = await personIn('ads', { ownKeys: true })
})
afterEach(async () => {
  await gateway[Symbol.asyncDispose]()
  await upstream[Symbol.asyncDispose]()
})

/** A user with one key, in a team of its own. */
async function personIn(name: string, terms: object): Promise<Person> {
  const team = await granted(gateway, 'POST /admin/v1/teams', { name, ...terms })
  const user = await granted(gateway, 'POST /admin/v1/users', {
    name: `user of ${name}`,
    parentId: team.id,
  })
  const key = await granted(gateway, 'POST /admin/v1/keys', { name: 'first', ownerId: user.id })
  return { teamId: team.id, userId: user.id, keyId: key.id, secret: key.secret }
}

/** Somebody who has signed in without a key. */
async function sessionOf({ userId }: Person, further: object = {}) {
  const { token } = await gateway.gateway.sessions.open({
    principal: {
      id: 'oidc_one',
      name: 'Ada',
      role: 'caller',
      hash: '',
      prefix: '',
      createdAt: 0,
      ownerId: userId,
      issuer,
      ...further,
    },
  })
  return { cookie: `sluice-session=${token}`, 'x-sluice-console': '1' }
}

const chat = async (key: string, model = 'acme/large') => {
  const body = { model, ...ask, max_completion_tokens: 3 }
  return (await gateway.post('/v1/chat/completions', body, { key })).status
}

describe('a user with ownKeys', () => {
  test('creates a working key that belongs to the user and is in the audit log', async () => {
    const made = await granted(gateway, `POST ${path}`, { name: 'laptop' }, ada.secret)
    expect(made).toMatchObject({ role: 'caller', ownerId: ada.userId, name: 'laptop' })
    expect(await chat(made.secret)).toBe(200)
    const { data } = await granted(gateway, `GET ${path}`, undefined, ada.secret)
    expect(data.map(({ name }) => name)).toEqual(['first', 'laptop'])
    const log = await granted(gateway, 'GET /admin/v1/audit?limit=1')
    expect(log.data[0]).toMatchObject({ action: 'key.create', actor: ada.keyId, target: made.id })
    const records = await granted(gateway, `GET /v1/usage?of=user&by=key`, undefined, ada.secret)
    expect(records.data).toMatchObject([{ key: made.id, calls: 1 }])
  })

  test('rotates a key with an overlap for the old secret', async () => {
    const made = await granted(gateway, `POST ${path}`, { name: 'laptop' }, ada.secret)
    const rotate = `POST ${path}/${made.id}/rotate`
    const next = await granted(gateway, rotate, { overlapSeconds: 60 }, ada.secret)
    expect(next.secret).not.toBe(made.secret)
    expect([await chat(made.secret), await chat(next.secret)]).toEqual([200, 200])
    const last = await granted(gateway, rotate, {}, ada.secret)
    expect([await chat(next.secret), await chat(last.secret)]).toEqual([401, 200])
  })

  test('revokes a key, even the one used for the request', async () => {
    const made = await granted(gateway, `POST ${path}`, { name: 'laptop' }, ada.secret)
    await granted(gateway, `POST ${path}/${made.id}/revoke`, undefined, ada.secret)
    expect(await chat(made.secret)).toBe(401)
    await granted(gateway, `POST ${path}/${ada.keyId}/revoke`, undefined, ada.secret)
    expect(await chat(ada.secret)).toBe(401)
  })

  test('may use a browser session', async () => {
    const headers = { ...(await sessionOf(ada)), 'content-type': 'application/json' }
    const options = { key: null, headers }
    const none = await gateway.post(path, { name: 'laptop' }, { key: null })
    expect(none.status).toBe(401)
    const answer = await gateway.post(path, { name: 'laptop' }, options)
    expect(answer.status).toBe(200)
    const { secret } = (await answer.json()) as { readonly secret: string }
    expect(await chat(secret)).toBe(200)
    const listed = (await (await gateway.request(path, options)).json()) as { data: object[] }
    expect(listed.data).toHaveLength(2)
    const said = await (await gateway.request('/admin/v1/session', options)).json()
    expect(said).toMatchObject({ session: { ownKeys: true } })
  })

  test('restricts a key and sees what is left of its budget', async () => {
    const made = await granted(
      gateway,
      `POST ${path}`,
      {
        name: 'laptop',
        models: ['acme/large'],
        budgets: [{ limitMicroUsd: 1_000_000, window: 'day' }],
      },
      ada.secret,
    )
    expect([await chat(made.secret), await chat(made.secret, 'acme/small')]).toEqual([200, 403])
    const { data } = await granted(gateway, `GET ${path}`, undefined, ada.secret)
    // 7 tokens in and 3 out.
    expect(data[1]).toMatchObject({
      levels: [{ limitMicroUsd: 1_000_000, remainingMicroUsd: 956_000 }],
    })
  })
})

describe('a user cannot', () => {
  const refusals: readonly (readonly [string, object])[] = [
    ['its team does not allow them', {}],
    ['its team forbids them', { ownKeys: false }],
  ]
  test.each(refusals)('create, rotate or revoke keys where %s', async (_why, terms) => {
    const eve = await personIn('other', terms)
    for (const address of [path, `${path}/${eve.keyId}/rotate`, `${path}/${eve.keyId}/revoke`]) {
      const { status, body } = await asked(gateway, `POST ${address}`, { name: 'a' }, eve.secret)
      expect([status, body.error.type]).toEqual([403, 'permission_error'])
    }
  })

  test('create keys where the organization forbids it and the team allows it', async () => {
    const organization = await granted(gateway, 'POST /admin/v1/organizations', {
      name: 'acme',
      ownKeys: false,
    })
    const team = await granted(gateway, 'POST /admin/v1/teams', {
      name: 'third',
      ownKeys: true,
      parentId: organization.id,
    })
    const user = await granted(gateway, 'POST /admin/v1/users', { name: 'c', parentId: team.id })
    const { secret } = await granted(gateway, 'POST /admin/v1/keys', {
      name: 'c',
      ownerId: user.id,
    })
    expect((await asked(gateway, `POST ${path}`, { name: 'a' }, secret)).status).toBe(403)
    await granted(gateway, `PATCH /admin/v1/organizations/${organization.id}`, { ownKeys: null })
    expect((await asked(gateway, `POST ${path}`, { name: 'a' }, secret)).status).toBe(200)
  })

  test.each(['rotate', 'revoke'])('%s a key of somebody else', async (what) => {
    const team = await granted(gateway, 'POST /admin/v1/keys', { name: 't', ownerId: ada.teamId })
    for (const id of [bob.keyId, team.id, 'key_none']) {
      const answer = await asked(gateway, `POST ${path}/${id}/${what}`, {}, ada.secret)
      expect(answer.status).toBe(404)
    }
    expect(await chat(bob.secret)).toBe(200)
  })

  test('rotate an administrator key that belongs to the user', async () => {
    const admin = await granted(gateway, 'POST /admin/v1/keys', {
      name: 'admin',
      ownerId: ada.userId,
      role: 'administrator',
      adminRole: 'viewer',
    })
    const answer = await asked(gateway, `POST ${path}/${admin.id}/rotate`, {}, ada.secret)
    expect(answer.status).toBe(403)
  })

  test.each([
    { models: ['acme/small'] },
    { requestsPerMinute: 60 },
    { budgets: [{ limitMicroUsd: 1, window: 'lifetime' }] },
    { addresses: ['127.0.0.1', '::1'] },
    { expiresAt: 9_007_199_254_740_991 },
  ])('bypass the restrictions of a key by creating another: %j', async (terms) => {
    const bound = await granted(gateway, 'POST /admin/v1/keys', {
      name: 'bound',
      ownerId: ada.userId,
      ...terms,
    })
    expect((await asked(gateway, `POST ${path}`, { name: 'a' }, bound.secret)).status).toBe(403)
  })

  test.each([
    ['ownerId', 'team_x'],
    ['role', 'administrator'],
    ['adminRole', 'owner'],
    ['contentLogging', false],
    ['tags', ['free']],
    ['ownKeys', true],
  ])('set fields reserved to administrators: %s', async (field, value) => {
    const answer = await asked(gateway, `POST ${path}`, { name: 'a', [field]: value }, ada.secret)
    expect([answer.status, answer.body.error.param]).toEqual([400, field])
  })

  test('create a key with a key of a team or of the settings', async () => {
    const team = await granted(gateway, 'POST /admin/v1/keys', { name: 't', ownerId: ada.teamId })
    for (const key of [team.secret, testKey])
      expect((await asked(gateway, `POST ${path}`, { name: 'a' }, key)).status).toBe(403)
  })

  test('create more than a hundred keys', async () => {
    for (let count = 1; count < 100; count++)
      await granted(gateway, `POST ${path}`, { name: `n ${count}` }, ada.secret)
    expect((await asked(gateway, `POST ${path}`, { name: 'one more' }, ada.secret)).status).toBe(
      409,
    )
  })

  test('see the usage of others', async () => {
    expect([await chat(ada.secret), await chat(bob.secret)]).toEqual([200, 200])
    const own = await granted(gateway, 'GET /v1/usage?of=user&by=key', undefined, ada.secret)
    expect(own.data).toMatchObject([{ key: ada.keyId, calls: 1 }])
    const query = `GET /v1/usage?key=${bob.keyId}`
    const strange = await granted(gateway, `${query}&of=user`, undefined, ada.secret)
    expect(strange['total']).toMatchObject({ calls: 0 })
    expect(strange['key']).toMatchObject({ id: ada.keyId })
    const refused = await asked(gateway, query, undefined, ada.secret)
    expect([refused.status, refused.body.error.param]).toEqual([400, 'key'])
  })
})

test('the usage of a user is the sum over the user’s keys', async () => {
  const other = await granted(gateway, `POST ${path}`, { name: 'laptop' }, ada.secret)
  for (const key of [ada.secret, ada.secret, other.secret]) expect(await chat(key)).toBe(200)
  const key = await granted(gateway, 'GET /v1/usage?by=model', undefined, ada.secret)
  expect(key['total']).toMatchObject({ calls: 2 })
  const user = await granted(gateway, 'GET /v1/usage?by=model&of=user', undefined, ada.secret)
  expect(user['total']).toMatchObject({ calls: 3, costMicroUsd: 132_000 })
  const nobody = await asked(gateway, 'GET /v1/usage?of=user', undefined, testKey)
  expect([nobody.status, nobody.body.error.param]).toEqual([400, 'of'])
  const wrong = await asked(gateway, 'GET /v1/usage?of=team', undefined, ada.secret)
  expect([wrong.status, wrong.body.error.param]).toEqual([400, 'of'])
})
