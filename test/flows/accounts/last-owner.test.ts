// The last owner key and its user cannot be removed, because only somebody with access to the data could undo that.
import { expect, test } from 'vitest'
import { createKey } from '../../../packages/gateway/src/accounts/secrets.ts'
import type { AdminRole } from '../../../packages/gateway/src/ports/api-key.ts'
import type { AccountWrite } from '../../../packages/gateway/src/ports/store.ts'
import { asked, granted } from '../../support/administrate.ts'
import { onEachDatabase } from '../../support/servers/databases.ts'
import { start } from '../../support/start.ts'
import { sampleAccount, sampleAudit } from '../../support/store-samples.ts'

const day = 86_400_000

function administrator(adminRole: AdminRole, terms: { expiresAt?: number; ownerId?: string } = {}) {
  return createKey({ name: adminRole, role: 'administrator', adminRole, ...terms }, Date.now())
}

onEachDatabase((newData) => {
  /** A gateway without an administrator in its settings. */
  async function withKeys(writes: readonly AccountWrite[], variables = { SLUICE_ADMIN_KEY: '' }) {
    const closing = new AsyncDisposableStack()
    const data = closing.use(await newData())
    const store = await data.openStore()
    expect(await store.administer(writes, sampleAudit())).toBe(true)
    const gateway = closing.use(await start({}, { store, variables }))
    return { gateway, [Symbol.asyncDispose]: () => closing.disposeAsync() }
  }

  test('the last owner key cannot be revoked, disabled or given an expiry', async () => {
    const owner = administrator('owner')
    const others = [
      administrator('operator'),
      administrator('owner', { expiresAt: Date.now() + day }),
    ]
    await using started = await withKeys([owner, ...others].map(({ key }) => ({ key })))
    const { gateway } = started
    const path = `/admin/v1/keys/${owner.key.id}`
    const away: readonly (readonly [string, object?])[] = [
      [`POST ${path}/revoke`],
      [`POST ${path}/disable`],
      [`PATCH ${path}`, { expiresAt: Date.now() + day }],
    ]
    for (const [address, body] of away) {
      const { status, body: answer } = await asked(gateway, address, body, owner.secret)
      expect([status, answer.error.message]).toEqual([
        409,
        expect.stringMatching(/^This is the last owner key: create another one first/),
      ])
    }
    expect((await gateway.gateway.store.listAudit({ limit: 9 })).length).toBe(1)
    await granted(gateway, `PATCH ${path}`, { name: 'first' }, owner.secret)
    const second = await granted(
      gateway,
      'POST /admin/v1/keys',
      { name: 'second', role: 'administrator' },
      owner.secret,
    )
    for (const [address, body] of away.toReversed().slice(0, 2))
      await granted(gateway, address, body, second.secret)
    const { status } = await asked(
      gateway,
      `POST /admin/v1/keys/${second.id}/revoke`,
      undefined,
      second.secret,
    )
    expect(status).toBe(409)
  })

  test('the user of the last owner key cannot be disabled', async () => {
    const owner = administrator('owner', { ownerId: 'user_1' })
    const account = sampleAccount({ id: 'user_1', kind: 'user' })
    await using started = await withKeys([{ account }, { key: owner.key }])
    const address = 'POST /admin/v1/users/user_1/disable'
    expect((await asked(started.gateway, address, undefined, owner.secret)).status).toBe(409)
  })

  test('all stored owner keys can be revoked when the settings have one', async () => {
    const owner = administrator('owner')
    const variables = { SLUICE_ADMIN_KEY: 'sk-chosen-by-hand-0123456789' }
    await using started = await withKeys([{ key: owner.key }], variables)
    const revoked = await granted(
      started.gateway,
      `POST /admin/v1/keys/${owner.key.id}/revoke`,
      undefined,
      owner.secret,
    )
    expect(revoked).toHaveProperty('revokedAt')
  })

  test('a key can be moved to another owner within its administrator’s scope', async () => {
    await using data = await newData()
    await using gateway = await start({}, data.options)
    const make = (address: string, body: object) => granted(gateway, address, body)
    const [one, two] = [
      await make('POST /admin/v1/teams', { name: 'one' }),
      await make('POST /admin/v1/teams', { name: 'two' }),
    ]
    const organization = await make('POST /admin/v1/organizations', { name: 'acme' })
    const user = await make('POST /admin/v1/users', { name: 'ada', parentId: one.id })
    const key = await make('POST /admin/v1/keys', { name: 'app', ownerId: one.id })
    const admin = await make('POST /admin/v1/keys', {
      name: 'admin',
      role: 'administrator',
      adminRole: 'team',
      ownerId: one.id,
    })
    const path = `PATCH /admin/v1/keys/${key.id}`
    expect(await granted(gateway, path, { ownerId: user.id }, admin.secret)).toMatchObject({
      ownerId: user.id,
    })
    for (const ownerId of [two.id, null, 'team_0', organization.id]) {
      const { status, body } = await asked(gateway, path, { ownerId }, admin.secret)
      expect([status, body.error.param]).toEqual([400, 'ownerId'])
    }
    expect(await granted(gateway, path, { ownerId: two.id })).toMatchObject({ ownerId: two.id })
    expect((await asked(gateway, path, { name: 'mine' }, admin.secret)).status).toBe(404)
    expect(await granted(gateway, path, { ownerId: null })).not.toHaveProperty('ownerId')
    for (const [body, ownerId] of [
      [{ name: 'app' }, organization.id],
      [{ name: 'app' }, 'user_0'],
    ] as const)
      expect((await asked(gateway, path, { ...body, ownerId })).status).toBe(400)
    const admins = `PATCH /admin/v1/keys/${admin.id}`
    expect((await asked(gateway, admins, { ownerId: user.id })).body.error.param).toBe('ownerId')
  })
})
