// Accounts and keys of another gateway, added in one change or not at all.
import { describe, expect, test } from 'vitest'
import { asked, granted } from '../../support/administrate.ts'
import { start } from '../../support/start.ts'

describe('POST /admin/v1/import', () => {
  const team = { id: 'team_0123456789abcdef', kind: 'team', name: 'a', createdAt: 1 }
  const one = {
    id: 'key_0123456789abcdef',
    name: 'k',
    hash: 'a'.repeat(64),
    hashScheme: 'whole',
    prefix: 'sk-',
    createdAt: 1,
  }

  test.each<[string, object, string]>([
    [
      'an owner that is not there',
      { accounts: [team], keys: [{ ...one, ownerId: 'team_fedcba9876543210' }] },
      'keys[0].ownerId',
    ],
    [
      'a parent of the wrong kind',
      { accounts: [team, { ...team, id: 'team_fedcba9876543210', parentId: team.id }], keys: [] },
      'accounts[1].parentId',
    ],
    [
      'the same secret twice',
      { accounts: [team], keys: [one, { ...one, id: 'key_fedcba9876543210' }] },
      'keys[1].hash',
    ],
    ['the same id twice', { accounts: [team, team], keys: [] }, 'accounts[1].id'],
    ['a role', { accounts: [team], keys: [{ ...one, role: 'administrator' }] }, 'keys[0].role'],
    [
      'an address that is none',
      { accounts: [team], keys: [{ ...one, addresses: ['x'] }] },
      'addresses[0]',
    ],
  ])('refuses %s, and adds nothing', async (_what, body, param) => {
    await using gateway = await start()
    const { status, body: answer } = await asked(gateway, 'POST /admin/v1/import', {
      source: 'x',
      ...body,
    })
    expect([status, answer.error.param]).toEqual([400, param])
    expect((await granted(gateway, 'GET /admin/v1/teams')).data).toEqual([])
  })

  test('is for owners only, and is one entry of the audit log', async () => {
    await using gateway = await start()
    const { secret } = await granted(gateway, 'POST /admin/v1/keys', {
      name: 'o',
      role: 'administrator',
      adminRole: 'operator',
    })
    const body = { source: 'litellm', accounts: [team], keys: [{ ...one, ownerId: team.id }] }
    expect((await asked(gateway, 'POST /admin/v1/import', body, secret)).status).toBe(403)
    await granted(gateway, 'POST /admin/v1/import', body)
    const { data } = await granted(gateway, 'GET /admin/v1/audit?limit=1')
    expect(data).toMatchObject([
      { action: 'accounts.import', target: 'litellm', after: { accounts: 1, keys: 1 } },
    ])
    expect(JSON.stringify(data)).not.toContain(one.hash)
  })
})
