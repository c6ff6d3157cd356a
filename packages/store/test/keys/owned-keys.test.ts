// Keys that belong to somebody are worth what those are worth.
import { expect, test } from 'vitest'
import { sampleAccount, sampleKey } from '../../../../test/support/store-samples.ts'
import { callersByHash } from '../../../gateway/src/accounts/callers.ts'
import { hashSecret } from '../../../gateway/src/accounts/secrets.ts'
import type { Account } from '../../../gateway/src/ports/account.ts'
import type { ApiKey } from '../../../gateway/src/ports/api-key.ts'
import { openKeyRing } from '../../src/keys/key-ring.ts'

const organization = sampleAccount({ id: 'org_1', kind: 'organization', name: 'acme', tags: ['o'] })
const team = sampleAccount({ parentId: 'org_1', name: 'search', tags: ['t', 'o'], models: ['a'] })
const user = sampleAccount({ id: 'user_1', kind: 'user', name: 'ada', parentId: 'team_1' })
const accounts = [organization, team, user]
const key = sampleKey({ hash: hashSecret('sk-one'), ownerId: 'user_1', tags: ['k'] })

async function found(secret: string, time: number, change: Changed = {}): Promise<unknown> {
  const keys = [{ ...key, ...change.key }]
  await using ring = await openKeyRing(
    {
      keysVersion: async () => '1',
      listKeys: async () => keys,
      listAccounts: async () => change.accounts ?? accounts,
    },
    { fixed: [], now: () => time },
  )
  return ring.find(secret)?.id
}

interface Changed {
  readonly key?: Partial<ApiKey>
  readonly accounts?: readonly Account[]
}

test('a caller has all its levels, the key first, and the tags of all levels once', () => {
  const { caller } = callersByHash([key], accounts).get(key.hash) ?? {}
  expect(caller?.holders.map(({ kind, id, name }) => [kind, id, name])).toEqual([
    ['key', 'key_1', 'sample'],
    ['user', 'user_1', 'ada'],
    ['team', 'team_1', 'search'],
    ['organization', 'org_1', 'acme'],
  ])
  expect(caller?.holders.map(({ terms }) => terms)).toEqual([
    { tags: ['k'] },
    {},
    { models: ['a'], tags: ['t', 'o'] },
    { tags: ['o'] },
  ])
  expect(caller?.allTags).toEqual(['k', 't', 'o'])
})

const changedOwner = (id: string, change: Partial<Account>) => ({
  accounts: accounts.map((account) => (account.id === id ? { ...account, ...change } : account)),
})

test.each<[string, Changed, boolean]>([
  ['an unchanged key', {}, true],
  ['a disabled key', { key: { disabledAt: 1 } }, false],
  ['a revoked key', { key: { revokedAt: 1 } }, false],
  ['a disabled user', changedOwner('user_1', { disabledAt: 1 }), false],
  ['a disabled team', changedOwner('team_1', { disabledAt: 1 }), false],
  ['a disabled organization', changedOwner('org_1', { disabledAt: 1 }), false],
  ['an expired organization', changedOwner('org_1', { expiresAt: 100 }), false],
  ['a team that expires later', changedOwner('team_1', { expiresAt: 101 }), true],
  ['a missing owner', { accounts: [organization, team] }, false],
  ['a missing team', { accounts: [organization, user] }, false],
  ['a cycle of owners', changedOwner('org_1', { parentId: 'team_1' }), false],
])('validity of an owned key: %s', async (_name, change, isValid) => {
  expect(await found('sk-one', 100, change)).toBe(isValid ? 'key_1' : undefined)
})

test('an older secret is valid until its end, but not beyond its key’s', async () => {
  const olderSecrets = [{ hash: hashSecret('sk-old'), prefix: 'sk-old', expiresAt: 100 }]
  expect(await found('sk-old', 99, { key: { olderSecrets } })).toBe('key_1')
  expect(await found('sk-old', 100, { key: { olderSecrets } })).toBeUndefined()
  expect(await found('sk-one', 100, { key: { olderSecrets } })).toBe('key_1')
  expect(await found('sk-old', 99, { key: { olderSecrets, expiresAt: 99 } })).toBeUndefined()
})
