// Which administrator may ask for what: every address of the administration, with every role.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addresses } from '../../../packages/server/src/routes.ts'
import { adminKey, type RequestOptions, type Started, start, testKey } from '../../support/start.ts'

const administrated = addresses
  .filter(({ access }) => typeof access !== 'string')
  .map(({ method, path }) => `${method} ${path}`)

/** The roles in this order: owner, operator, viewer, team; a letter where it may, a dash where it may not. */
const table: Readonly<Record<string, string>> = {
  'POST /admin/v1/explain': 'oov-',
  'GET /admin/v1/organizations': 'oovt',
  'POST /admin/v1/organizations': 'oo--',
  'GET /admin/v1/organizations/{id}': 'oovt',
  'PATCH /admin/v1/organizations/{id}': 'oo--',
  'DELETE /admin/v1/organizations/{id}': 'oo--',
  'POST /admin/v1/organizations/{id}/disable': 'oo--',
  'POST /admin/v1/organizations/{id}/enable': 'oo--',
  'GET /admin/v1/teams': 'oovt',
  'POST /admin/v1/teams': 'oo--',
  'GET /admin/v1/teams/{id}': 'oovt',
  'PATCH /admin/v1/teams/{id}': 'oo-t',
  'DELETE /admin/v1/teams/{id}': 'oo-t',
  'POST /admin/v1/teams/{id}/disable': 'oo-t',
  'POST /admin/v1/teams/{id}/enable': 'oo-t',
  'GET /admin/v1/users': 'oovt',
  'POST /admin/v1/users': 'oo-t',
  'GET /admin/v1/users/{id}': 'oovt',
  'PATCH /admin/v1/users/{id}': 'oo-t',
  'DELETE /admin/v1/users/{id}': 'oo-t',
  'POST /admin/v1/users/{id}/disable': 'oo-t',
  'POST /admin/v1/users/{id}/enable': 'oo-t',
  'POST /admin/v1/users/{id}/unlink': 'oo-t',
  'GET /admin/v1/keys': 'oovt',
  'POST /admin/v1/keys': 'oo-t',
  'GET /admin/v1/keys/{id}': 'oovt',
  'PATCH /admin/v1/keys/{id}': 'oo-t',
  'POST /admin/v1/keys/{id}/rotate': 'oo-t',
  'POST /admin/v1/keys/{id}/disable': 'oo-t',
  'POST /admin/v1/keys/{id}/enable': 'oo-t',
  'POST /admin/v1/keys/{id}/revoke': 'oo-t',
  'GET /admin/v1/names': 'oovt',
  'GET /admin/v1/audit': 'oov-',
  'GET /admin/v1/requests': 'oovt',
  'GET /admin/v1/requests/live': 'oovt',
  'GET /admin/v1/requests/{id}': 'oovt',
  'GET /admin/v1/overview': 'oovt',
  'GET /admin/v1/refusals': 'oovt',
  'GET /admin/v1/problems': 'oov-',
  'POST /admin/v1/import': 'o---',
  'GET /admin/v1/providers': 'oov-',
  'POST /admin/v1/providers/{id}/test': 'oo--',
  'GET /admin/v1/models': 'oov-',
  'GET /admin/v1/routes': 'oov-',
  'POST /admin/v1/routes/plan': 'oo--',
  'PUT /admin/v1/routes': 'oo--',
  'GET /admin/v1/provider-settings': 'oov-',
  'POST /admin/v1/provider-settings/plan': 'o---',
  'PUT /admin/v1/provider-settings': 'o---',
  'POST /admin/v1/provider-settings/reseal': 'o---',
  'GET /admin/v1/settings': 'oov-',
  'GET /admin/v1/about': 'oovt',
  'GET /admin/v1/usage': 'oovt',
  'GET /admin/v1/usage/records': 'oovt',
  'POST /admin/v1/usage/rebuild': 'oo--',
  'POST /admin/v1/usage/erase': 'oo--',
  'GET /admin/v1/requests/{id}/content': 'oo-t',
  'GET /admin/v1/contents': 'oo-t',
  'POST /admin/v1/contents/erase': 'oo--',
  'GET /admin/v1/budgets': 'oovt',
  'POST /admin/v1/budgets/reset': 'oo-t',
  'POST /admin/v1/usage/reconcile': 'oov-',
}
const issuer = 'https://issuer.example'
const roles = ['owner', 'operator', 'viewer', 'team'] as const

test('the table of roles covers every address of the administration API', () => {
  expect(Object.keys(table).toSorted()).toEqual(administrated.toSorted())
})

describe('permissions of each role', () => {
  let gateway: Started
  const keys = new Map<string, string>()
  let teamId = ''
  beforeAll(async () => {
    gateway = await start(
      { console: { oidc: { issuer, clientId: 'sluice' } } },
      { variables: { SLUICE_ENCRYPTION_KEY: 'encryption-key-of-the-tests-0123456789' } },
    )
    const made = async (path: string, body: object) => {
      const response = await gateway.post(path, body, { key: adminKey })
      expect(response.status).toBe(200)
      return (await response.json()) as { id: string; secret: string }
    }
    const team = await made('/admin/v1/teams', { name: 'search' })
    teamId = team.id
    for (const adminRole of roles) {
      const owned = adminRole === 'team' ? { ownerId: team.id } : {}
      const asked = { name: adminRole, role: 'administrator', adminRole, ...owned }
      keys.set(adminRole, (await made('/admin/v1/keys', asked)).secret)
    }
    keys.set('a key that is no administrator’s', testKey)
  })
  afterAll(() => gateway[Symbol.asyncDispose]())

  /** Somebody who has signed in without a key, in the place of one. */
  async function cookieOf(role: string): Promise<string> {
    const adminRole = roles.find((one) => one === role)
    const principal = {
      id: `oidc_${role}`,
      name: role,
      hash: '',
      prefix: '',
      createdAt: 0,
      issuer,
      ...(adminRole ? { role: 'administrator' as const, adminRole } : { role: 'caller' as const }),
      ...(adminRole === 'team' && { ownerId: teamId }),
    }
    const { token } = await gateway.gateway.sessions.open({ principal })
    return `sluice-session=${token}`
  }

  const cases = Object.entries(table).flatMap(([address, allowed]) => [
    ...roles.map((role, index) => [address, role, allowed[index] !== '-'] as const),
    [address, 'a key that is no administrator’s', false] as const,
  ])

  test.each(cases)('%s: %s, %s', async (address, role, isAllowed) => {
    await expectAnswer(address, { key: keys.get(role) ?? null }, isAllowed)
    const cookie = await cookieOf(role)
    const headers = { cookie, 'x-sluice-console': '1' }
    await expectAnswer(address, { key: null, headers }, isAllowed)
  })

  async function expectAnswer(
    address: string,
    { key, headers }: Pick<RequestOptions, 'key' | 'headers'>,
    isAllowed: boolean,
  ): Promise<void> {
    const [method = '', path = ''] = address.split(' ')
    const response = await gateway.request(path.replace('{id}', 'unknown_1'), {
      method,
      key: key ?? null,
      headers: { 'content-type': 'application/json', ...headers },
      ...(method !== 'GET' && { body: '{}' }),
    })
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
    if (isStream) await response.body?.cancel()
    const answered = isStream ? {} : await response.json()
    const { error } = answered as { error?: { type: string; message: string } }
    if (isAllowed) expect([200, 400, 404], error?.message).toContain(response.status)
    else {
      expect(response.status).toBe(403)
      expect(error?.type).toBe('permission_error')
    }
  }

  test.each(Object.keys(table))('%s answers 401 without a key', async (address) => {
    const [method = '', path = ''] = address.split(' ')
    const response = await gateway.request(path, { method, key: null })
    expect(response.status).toBe(401)
  })
})
