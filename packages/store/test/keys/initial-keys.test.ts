import { statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import {
  createKey,
  createSecret,
  hashSecret,
  keyOf,
} from '../../../gateway/src/accounts/secrets.ts'
import type { Store } from '../../../gateway/src/ports/store.ts'
import { createInitialKeys, readInitialKeys } from '../../src/keys/initial-keys.ts'
import { openKeyRing } from '../../src/keys/key-ring.ts'
import { openSqlite } from '../../src/sqlite/open-sqlite.ts'

const caller = { name: 'test', role: 'caller' } as const

test('secrets are long, unique and without further dashes', () => {
  const secrets = new Set(Array.from({ length: 500 }, createSecret))
  expect(secrets.size).toBe(500)
  for (const secret of secrets) expect(secret).toMatch(/^sk-[0-9A-Za-z]{43}$/)
})

test('stores only the hash and the first letters of a secret', () => {
  const { secret, key } = createKey(caller, 7)
  expect(JSON.stringify(key)).not.toContain(secret.slice(8))
  expect(key).toMatchObject({ hash: hashSecret(secret), prefix: secret.slice(0, 8), createdAt: 7 })
  expect(keyOf('abc', 'fixed', caller, 0).prefix).toBe('a')
})

async function withRing(
  check: (store: Store, open: () => Store, folder: string) => Promise<void>,
): Promise<void> {
  using folder = temporaryFolder()
  const open = () => openSqlite({ file: join(folder.path, 'sluice.db') })
  await using store = open()
  await check(store, open, folder.path)
}

test('finds a secret with and without sk-, and no wrong one', () =>
  withRing(async (store) => {
    const { secret, key } = createKey(caller, 0)
    await store.addKey(key)
    await using ring = await openKeyRing(store, {
      fixed: [keyOf('chosen-by-hand', 'env_1', caller, 0)],
    })
    expect(ring.find(secret)).toMatchObject(key)
    expect(ring.find(secret.slice(3))).toMatchObject(key)
    expect(ring.find('chosen-by-hand')?.id).toBe('env_1')
    expect(ring.find('sk-chosen-by-hand')?.id).toBe('env_1')
    for (const wrong of ['', 'sk-', `${secret}x`, secret.slice(0, -1), `sk-${secret}`, key.hash])
      expect(ring.find(wrong)).toBeUndefined()
    ring.setFixed([])
    expect(ring.find('chosen-by-hand')).toBeUndefined()
  }))

test('rejects a key from the moment it expires', () =>
  withRing(async (store) => {
    const { secret, key } = createKey({ ...caller, expiresAt: 1_000 }, 0)
    await store.addKey(key)
    let time = 999
    await using ring = await openKeyRing(store, { fixed: [], now: () => time })
    expect(ring.find(secret)).toMatchObject(key)
    time = 1_000
    expect(ring.find(secret)).toBeUndefined()
  }))

test('learns of keys that another process creates or revokes', () =>
  withRing(async (store, open) => {
    await using ring = await openKeyRing(store, { fixed: [], pollMs: 5 })
    await using other = open()
    const { secret, key } = createKey(caller, 0)
    await other.addKey(key)
    await vi.waitFor(() => expect(ring.find(secret)).toMatchObject(key), { timeout: 20_000 })
    await other.revokeKey(key.id, 1)
    await vi.waitFor(() => expect(ring.find(secret)).toBeUndefined(), { timeout: 20_000 })
  }))

test('a key of the settings overrides a stored one with the same secret', () =>
  withRing(async (store) => {
    const { secret, key } = createKey({ ...caller, requestsPerMinute: 1 }, 0)
    await store.addKey(key)
    const fixed = keyOf(secret, 'env_1', { name: 'settings', role: 'administrator' }, 0)
    await using ring = await openKeyRing(store, { fixed: [fixed] })
    expect(ring.find(secret)).toMatchObject(fixed)
    await store.revokeKey(key.id, 1)
    await ring.reload()
    expect(ring.find(secret)).toMatchObject(fixed)
    ring.setFixed([])
    expect(ring.find(secret)).toBeUndefined()
    ring.setFixed([fixed])
    expect(ring.find(secret)).toMatchObject(fixed)
  }))

test('a key that this process creates or revokes is known at the next lookup', () =>
  withRing(async (store) => {
    await using ring = await openKeyRing(store, { fixed: [], pollMs: 5 })
    const { secret, key } = createKey(caller, 0)
    await store.addKey(key)
    await vi.waitFor(() => expect(ring.find(secret)).toMatchObject(key), { timeout: 20_000 })
    await store.revokeKey(key.id, 1)
    await vi.waitFor(() => expect(ring.find(secret)).toBeUndefined(), { timeout: 20_000 })
  }))

test('reads keys again at the next lookup after a failed read', () =>
  withRing(async (store) => {
    let failing = 0
    const shaky: Store = {
      ...store,
      listKeys: async () => {
        if (failing-- > 0) throw new Error('disk gone')
        return store.listKeys()
      },
    }
    await using ring = await openKeyRing(shaky, { fixed: [] })
    const { secret, key } = createKey(caller, 0)
    await store.addKey(key)
    failing = 1
    await expect(ring.reload()).rejects.toThrow('disk gone')
    await ring.reload()
    expect(ring.find(secret)).toMatchObject(key)
  }))

test('does not query the store after dispose', () =>
  withRing(async (store) => {
    vi.useFakeTimers()
    try {
      const keysVersion = vi.fn<Store['keysVersion']>(() => store.keysVersion())
      const ring = await openKeyRing({ ...store, keysVersion }, { fixed: [] })
      await vi.advanceTimersByTimeAsync(3_000)
      expect(keysVersion).toHaveBeenCalledTimes(7)
      await ring[Symbol.asyncDispose]()
      await vi.advanceTimersByTimeAsync(3_000)
      expect(keysVersion).toHaveBeenCalledTimes(7)
    } finally {
      vi.useRealTimers()
    }
  }))

test('known keys keep working while the store cannot be read', () =>
  withRing(async (store) => {
    const { secret, key } = createKey(caller, 0)
    await store.addKey(key)
    const failures: unknown[] = []
    let broken = false
    const shaky: Store = {
      ...store,
      keysVersion: async () => {
        if (broken) throw new Error('disk gone')
        return store.keysVersion()
      },
    }
    await using ring = await openKeyRing(shaky, {
      fixed: [],
      pollMs: 5,
      readFailed: (error) => failures.push(error),
    })
    broken = true
    await vi.waitFor(() => expect(failures.length).toBeGreaterThan(0), { timeout: 20_000 })
    expect(ring.find(secret)).toMatchObject(key)
  }))

test('the first start creates one key per role, readable by the owner only, and later starts none', () =>
  withRing(async (store, _open, folder) => {
    const made = await createInitialKeys(store, { folder, given: [], now: 1 })
    expect(Object.keys(made)).toEqual(['adminKey', 'apiKey'])
    expect(readInitialKeys(folder)).toEqual(made)
    expect(statSync(join(folder, 'initial-keys.json')).mode & 0o777).toBe(0o600)
    await using ring = await openKeyRing(store, { fixed: [] })
    expect(ring.find(made.adminKey ?? '')?.role).toBe('administrator')
    expect(ring.find(made.apiKey ?? '')?.role).toBe('caller')
    expect(await createInitialKeys(store, { folder, given: [], now: 2 })).toEqual({})
    const audited = await store.listAudit({ limit: 9 })
    expect(audited).toMatchObject([
      { action: 'key.create', actor: 'first start', at: 1 },
      { action: 'key.create', actor: 'first start', at: 1 },
    ])
    expect(JSON.stringify(audited)).not.toContain(made.adminKey?.slice(8))
    for (const key of await store.listKeys()) await store.revokeKey(key.id, 3)
    expect(await createInitialKeys(store, { folder, given: [], now: 4 })).toEqual({})
  }))

test('creates no key for a role that has one in the settings', () =>
  withRing(async (store, _open, folder) => {
    const given = ['administrator', 'caller'] as const
    expect(await createInitialKeys(store, { folder, given, now: 1 })).toEqual({})
    const made = await createInitialKeys(store, { folder, given: ['caller'], now: 1 })
    expect(Object.keys(made)).toEqual(['adminKey'])
    const later = await createInitialKeys(store, { folder, given: [], now: 1 })
    expect(Object.keys(later)).toEqual(['apiKey'])
    expect(readInitialKeys(folder)).toEqual({ ...made, ...later })
  }))
