import { beforeEach, describe, expect, test } from 'vitest'
import { sampleAccount, sampleAudit, sampleKey } from '../../../../test/support/store-samples.ts'
import type { Store } from '../../../gateway/src/ports/store.ts'

interface Subject {
  readonly store: Store
  reopen(): Promise<Store>
  openAnother(): Promise<Store>
}

/** The meaning of the methods for organizations, teams, users and the audit log: a part of the contract of Store. */
export function describeAccounts(subjectOf: () => Subject): void {
  describe('accounts', () => {
    let subject: Subject
    let store: Store
    beforeEach(() => {
      subject = subjectOf()
      store = subject.store
    })

    test('finds a session until it is removed, also in another process', async () => {
      const principal = {
        ...sampleKey({ id: 'oidc_1', hash: '' }),
        issuer: 'https://issuer.example',
      }
      const session = { hash: 'a', keyHash: 'h', createdAt: 10, expiresAt: 20 }
      const other = { hash: 'b', principal, createdAt: 11, expiresAt: 30 }
      await store.addSession(session)
      await store.addSession(other)
      const another = await subject.openAnother()
      expect(await another.findSession('a')).toEqual(session)
      expect(await another.findSession('b')).toEqual(other)
      expect(await another.findSession('c')).toBeUndefined()
      expect(await another.listPrincipalSessions()).toEqual([other])
      expect([await another.removeSession('a'), await store.removeSession('a')]).toEqual([
        true,
        false,
      ])
      expect(await store.findSession('a')).toBeUndefined()
      expect(await (await subject.reopen()).findSession('b')).toEqual(other)
    })

    test('removes expired sessions when a new one starts', async () => {
      await store.addSession({ hash: 'a', keyHash: 'h', createdAt: 10, expiresAt: 20 })
      await store.addSession({ hash: 'b', keyHash: 'h', createdAt: 10, expiresAt: 21 })
      await store.addSession({ hash: 'c', keyHash: 'h', createdAt: 20, expiresAt: 40 })
      expect(await store.findSession('a')).toBeUndefined()
      expect(await store.findSession('b')).toMatchObject({ expiresAt: 21 })
    })

    test('returns keys and accounts with all of their fields', async () => {
      const terms = {
        expiresAt: 9_007_199_254_740_991,
        models: ['gpt-4o', 'acme/*'],
        operations: ['chat', 'embed'],
        addresses: ['10.0.0.0/8', '2001:db8::1'],
        requestsPerMinute: 60,
        tokensPerMinute: 100_000,
        concurrentRequests: 4,
        budgets: [
          { id: 'all', limitMicroUsd: 5_000_000, window: 'month' },
          { id: 'some', limitMicroUsd: 1, window: 24, model: 'acme/*', tag: 'nightly' },
          { id: 'soft', limitMicroUsd: 2, window: 'day', overBudget: { route: 'cheap' } },
          { id: 'moved', limitMicroUsd: 3, window: 'month', carried: { microUsd: 1, at: 9 } },
        ],
        metadata: { cost: 'centre 7 “a”' },
        tags: ['a', 'b=c'],
      } as const
      const plain = sampleAccount({ id: 'org_1', kind: 'organization' })
      const full = sampleAccount({ id: 'team_1', parentId: 'org_1', disabledAt: 5, ...terms })
      const key = sampleKey({
        role: 'administrator',
        adminRole: 'team',
        ownerId: 'team_1',
        disabledAt: 6,
        hashScheme: 'whole',
        olderSecrets: [
          { hash: 'old', prefix: 'sk-old', expiresAt: 7 },
          { hash: 'older', hashScheme: 'whole', prefix: '', expiresAt: 8 },
        ],
        ...terms,
      })
      const writes = [{ account: full }, { account: plain }, { key }]
      expect(await store.administer(writes, sampleAudit())).toBe(true)
      store = await subject.reopen()
      expect(await store.listAccounts()).toEqual([plain, full])
      expect(await store.listKeys()).toEqual([key])
    })

    test('replaces an account that is written again', async () => {
      const first = sampleAccount({ tags: ['a'], disabledAt: 5 })
      await store.administer([{ account: first }, { key: sampleKey() }], sampleAudit())
      const second = sampleAccount({ name: 'other', budgets: [] })
      const key = sampleKey({ name: 'other', hash: 'new' })
      const writes = [{ account: second }, { key }]
      expect(await store.administer(writes, sampleAudit({ sequence: 2 }))).toBe(true)
      expect(await store.listAccounts()).toEqual([second])
      expect(await store.listKeys()).toEqual([key])
      await store.administer([{ removed: second.id }], sampleAudit({ sequence: 3 }))
      expect(await store.listAccounts()).toEqual([])
    })

    test('of concurrent changes with the same number one succeeds and the others do nothing', async () => {
      const another = await subject.openAnother()
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, n) =>
          (n % 2 ? store : another).administer(
            [{ account: sampleAccount({ id: `team_${n}` }) }],
            sampleAudit({ target: `team_${n}` }),
          ),
        ),
      )
      expect(answers.filter(Boolean)).toHaveLength(1)
      const [entry] = await store.listAudit({ limit: 10 })
      expect((await store.listAccounts()).map(({ id }) => id)).toEqual([entry?.target])
    })

    test('a change that violates a constraint leaves no audit entry', async () => {
      await store.addKey(sampleKey())
      const key = sampleKey({ id: 'key_2', hash: sampleKey().hash })
      expect(await store.administer([{ key }], sampleAudit())).toBe(false)
      expect(await store.listAudit({ limit: 10 })).toEqual([])
    })

    test('a change of an account changes the version of the keys', async () => {
      const version = await store.keysVersion()
      await store.administer([{ account: sampleAccount() }], sampleAudit())
      expect(await store.keysVersion()).not.toBe(version)
    })

    test('pages the audit log in both directions', async () => {
      const entries = Array.from({ length: 5 }, (_, n) => sampleAudit({ sequence: n + 1 }))
      for (const entry of entries) await store.administer([], entry)
      const [first, second, third, fourth, fifth] = entries
      expect(await store.listAudit({ limit: 2 })).toEqual([first, second])
      expect(await store.listAudit({ limit: 9, after: 2 })).toEqual([third, fourth, fifth])
      const newest = { before: Number.MAX_SAFE_INTEGER }
      expect(await store.listAudit({ limit: 2, ...newest })).toEqual([fifth, fourth])
      expect(await store.listAudit({ limit: 2, before: 4 })).toEqual([third, second])
      expect(await store.listAudit({ limit: 2, before: 1 })).toEqual([])
    })
  })
}
