import { describe, expect, test } from 'vitest'
import { sampleAccount, sampleKey } from '../../../../test/support/store-samples.ts'
import { type Admin, adminOf, seenKeys, seesAccount } from '../../src/accounts/rights.ts'

const accounts = [
  sampleAccount({ id: 'org_1', kind: 'organization' }),
  sampleAccount({ id: 'team_1', parentId: 'org_1' }),
  sampleAccount({ id: 'team_10', parentId: 'org_1' }),
  sampleAccount({ id: 'team_alone' }),
  sampleAccount({ id: 'user_1', kind: 'user', parentId: 'team_1' }),
  sampleAccount({ id: 'user_10', kind: 'user', parentId: 'team_10' }),
  sampleAccount({ id: 'user_alone', kind: 'user' }),
]
const keys = [
  ...accounts.map(({ id }) => sampleKey({ id: `key of ${id}`, ownerId: id })),
  sampleKey({ id: 'key of nobody' }),
  sampleKey({ id: 'key of somebody gone', ownerId: 'user_gone' }),
]
const of = (admin: Admin) => ({
  accounts: accounts.filter((account) => seesAccount(admin, account)).map(({ id }) => id),
  keys: seenKeys(admin, keys, accounts).map(({ id }) => id),
})

describe('accounts and keys visible to an administrator', () => {
  test.each(['owner', 'operator', 'viewer'] as const)('%s: all', (role) => {
    expect(of({ id: 'a', role })).toEqual({
      accounts: accounts.map(({ id }) => id),
      keys: keys.map(({ id }) => id),
    })
  })

  test.each<[string | undefined, readonly string[]]>([
    ['team_1', ['team_1', 'user_1']],
    ['team_10', ['team_10', 'user_10']],
    ['team_alone', ['team_alone']],
    ['team_gone', []],
    ['', []],
    [undefined, []],
  ])('of the team %s: its team and users', (ownerId, seen) => {
    const admin = adminOf(
      sampleKey({
        role: 'administrator',
        adminRole: 'team',
        ...(ownerId !== undefined && { ownerId }),
      }),
    )
    expect(of(admin)).toEqual({ accounts: seen, keys: seen.map((id) => `key of ${id}`) })
  })
})
