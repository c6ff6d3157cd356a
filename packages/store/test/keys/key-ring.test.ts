import { hash } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { sampleKey } from '../../../../test/support/store-samples.ts'
import { createSecret, hashSecret } from '../../../gateway/src/accounts/secrets.ts'
import type { Account } from '../../../gateway/src/ports/account.ts'
import type { ApiKey } from '../../../gateway/src/ports/api-key.ts'
import { openKeyRing } from '../../src/keys/key-ring.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const secret = 'sk-abcdefgh'
const key = sampleKey({ hash: hashSecret(secret) })

/** A store of one key, which answers as the test says. */
function shakyStore() {
  let version = 1
  let keys: readonly ApiKey[] = [key]
  let answer = <T>(value: T): Promise<T> => Promise.resolve(value)
  return {
    store: {
      keysVersion: vi.fn<() => Promise<string>>(() => answer(String(version))),
      listKeys: vi.fn<() => Promise<readonly ApiKey[]>>(() => answer(keys)),
      listAccounts: vi.fn<() => Promise<readonly Account[]>>(() => answer([])),
    },
    change: (to: readonly ApiKey[]) => {
      version++
      keys = to
    },
    answers: (next: typeof answer) => {
      answer = next
    },
  }
}

test('reports an unreadable store once until it recovers', async () => {
  const { store, answers, change } = shakyStore()
  const told: unknown[] = []
  await using ring = await openKeyRing(store, {
    fixed: [],
    readFailed: (error) => told.push(error),
  })
  answers(() => Promise.reject(new Error('away')))
  await vi.advanceTimersByTimeAsync(5_000)
  expect(told).toHaveLength(1)
  expect(ring.find(secret)).toMatchObject(key)
  answers((value) => Promise.resolve(value))
  change([])
  await vi.advanceTimersByTimeAsync(1_000)
  expect(ring.find(secret)).toBeUndefined()
  answers(() => Promise.reject(new Error('away again')))
  await vi.advanceTimersByTimeAsync(5_000)
  expect(told).toEqual([new Error('away'), new Error('away again')])
})

test.each(['keysVersion', 'listKeys', 'listAccounts'] as const)(
  'rejects a revoked key at the next read although %s failed at this one',
  async (query) => {
    const { store, change } = shakyStore()
    await using ring = await openKeyRing(store, { fixed: [] })
    change([])
    store[query].mockRejectedValueOnce(new Error('away'))
    await vi.advanceTimersByTimeAsync(500)
    expect(ring.find(secret)).toMatchObject(key)
    await vi.advanceTimersByTimeAsync(500)
    expect(ring.find(secret)).toBeUndefined()
  },
)

test('does not query a slow store again before it answers, and ignores outdated answers', async () => {
  const { store, answers, change } = shakyStore()
  await using ring = await openKeyRing(store, { fixed: [] })
  change([key])
  const slow = Promise.withResolvers<void>()
  // The list, and it alone, comes late: as it was when it was asked for.
  answers(async (value) => {
    if (Array.isArray(value)) await slow.promise
    return value
  })
  await vi.advanceTimersByTimeAsync(5_000)
  expect(store.listKeys).toHaveBeenCalledTimes(2)
  answers((value) => Promise.resolve(value))
  change([])
  const reloaded = ring.reload()
  await vi.advanceTimersByTimeAsync(0)
  slow.resolve()
  await reloaded
  await vi.advanceTimersByTimeAsync(0)
  expect(ring.find(secret)).toBeUndefined()
  expect(store.keysVersion).toHaveBeenCalledTimes(3)
})

test('notifies watchers of a change within half a second, and of expiry each second', async () => {
  const { store, change } = shakyStore()
  let time = 0
  const expiring = { ...key, expiresAt: 5_000 }
  change([expiring])
  await using ring = await openKeyRing(store, { fixed: [], now: () => time })
  const seen: boolean[] = []
  const watching = ring.watch(() => seen.push(ring.isValid(key)))
  change([{ ...expiring, disabledAt: 1 }])
  await vi.advanceTimersByTimeAsync(499)
  expect(seen).toEqual([])
  await vi.advanceTimersByTimeAsync(501)
  expect(seen).toEqual([false, false])
  change([expiring])
  await vi.advanceTimersByTimeAsync(1_000)
  expect(seen.at(-1)).toBe(true)
  time = 5_000
  await vi.advanceTimersByTimeAsync(1_000)
  expect(seen.at(-1)).toBe(false)
  ring.setFixed([key])
  expect(seen.at(-1)).toBe(true)
  watching[Symbol.dispose]()
  const { length } = seen
  await vi.advanceTimersByTimeAsync(3_000)
  expect(seen).toHaveLength(length)
})

const created = (count: number) => Array.from({ length: count }, createSecret)

test('finds a key that another process just created, also in concurrent lookups', async () => {
  const { store, change } = shakyStore()
  await using ring = await openKeyRing(store, { fixed: [] })
  const secrets = created(10)
  const keys = secrets.map((one, at) => sampleKey({ id: `key_${at}`, hash: hashSecret(one) }))
  change(keys)
  const found = await Promise.all(
    [...secrets, ...secrets].map(async (one) => ring.lookUp(one, '192.0.2.1')),
  )
  expect(found.map((one) => one?.id)).toEqual([...keys, ...keys].map(({ id }) => id))
  expect(ring.find(secrets[0] ?? '')).toMatchObject({ id: 'key_0' })
  // One read, and one that those share who came while it ran.
  expect(store.keysVersion.mock.calls.length).toBeLessThanOrEqual(3)
})

test('finds a key that was created during an earlier read at the next read', async () => {
  const { store, answers, change } = shakyStore()
  await using ring = await openKeyRing(store, { fixed: [] })
  const [early = '', late = ''] = created(2)
  const slow = Promise.withResolvers<void>()
  answers(async (value) => {
    await slow.promise
    return value
  })
  const first = ring.lookUp(early, '192.0.2.1')
  await vi.advanceTimersByTimeAsync(0)
  answers((value) => Promise.resolve(value))
  change([sampleKey({ hash: hashSecret(late) })])
  const second = ring.lookUp(late, '192.0.2.1')
  slow.resolve()
  expect(await first).toBeUndefined()
  expect(await second).toBeDefined()
})

describe('a flood of unknown keys', () => {
  const addresses = (count: number) => Array.from({ length: count }, (_, at) => `192.0.2.${at}`)

  test.each([
    { what: 'of one address', from: addresses(1), most: 25 },
    { what: 'of many addresses', from: addresses(200), most: 100 },
  ])('$what is looked up a bounded number of times a second', async ({ from, most }) => {
    const { store } = shakyStore()
    await using ring = await openKeyRing(store, { fixed: [] })
    for (let second = 1; second <= 3; second += 1) {
      let looked = 0
      for (const one of created(1_000)) {
        const look = ring.lookUp(one, from[looked % from.length] ?? '')
        if (look) {
          looked += 1
          expect(await look).toBeUndefined()
        }
      }
      expect(looked).toBe(most)
      await vi.advanceTimersByTimeAsync(1_000)
    }
    // And the two reads a second of the usual look for changes.
    expect(store.keysVersion.mock.calls.length).toBeLessThanOrEqual(3 * (most + 2) + 1)
  })

  test('with one secret is looked up once a second', async () => {
    const { store } = shakyStore()
    await using ring = await openKeyRing(store, { fixed: [] })
    const [one = ''] = created(1)
    const before = store.keysVersion.mock.calls.length
    for (let time = 0; time < 100; time += 1)
      expect(await ring.lookUp(one, `192.0.2.${time}`)).toBeUndefined()
    expect(store.keysVersion.mock.calls.length - before).toBe(1)
  })

  test('in other forms is not looked up, and none waits for a silent store', async () => {
    const { store, answers } = shakyStore()
    await using ring = await openKeyRing(store, { fixed: [] })
    const [one = ''] = created(1)
    for (const wrong of [
      '',
      'sk-',
      `${one}x`,
      one.slice(0, -1),
      `sk-${one}`,
      `${one.slice(0, -1)}é`,
    ])
      expect(ring.lookUp(wrong, '192.0.2.1'), wrong).toBeUndefined()
    answers(() => Promise.reject(new Error('away')))
    expect(await ring.lookUp(one, '192.0.2.1')).toBeUndefined()
    const never = Promise.withResolvers<never>()
    answers(() => never.promise)
    const [other = ''] = created(1)
    expect(await ring.lookUp(other, '192.0.2.1')).toBeUndefined()
    never.reject(new Error('closed'))
  })
})

describe('the key of another gateway, whose hash is of the whole secret', () => {
  const foreign = 'sk-Zm9yZWlnbl9rZXktMQ'
  const whole = sampleKey({
    id: 'key_2',
    hash: hash('sha256', foreign),
    hashScheme: 'whole',
    olderSecrets: [
      { hash: hash('sha256', 'sk-older'), hashScheme: 'whole', prefix: '', expiresAt: 1_000 },
    ],
  })

  test('is found by that secret only', async () => {
    const { store, change } = shakyStore()
    change([key, whole])
    await using ring = await openKeyRing(store, { fixed: [], now: () => 0 })
    expect(ring.find(foreign)).toMatchObject({ id: 'key_2' })
    expect(ring.find('sk-older')).toMatchObject({ id: 'key_2' })
    expect(ring.find(secret)).toMatchObject({ id: key.id })
    // What our own scheme makes of another secret is not taken for the hash of theirs.
    for (const other of [foreign.slice(3), `sk-${foreign}`, 'older', 'sk-sk-older'])
      expect(ring.find(other)).toBeUndefined()
  })

  test('is found by the name of the hash that a session keeps', async () => {
    const { store, change } = shakyStore()
    change([key, whole])
    await using ring = await openKeyRing(store, { fixed: [], now: () => 0 })
    expect(ring.hashNameOf(secret)).toBe(hashSecret(secret))
    expect(ring.findHash(ring.hashNameOf(secret))).toMatchObject({ id: key.id })
    expect(ring.findHash(ring.hashNameOf(foreign))).toMatchObject({ id: 'key_2' })
    expect(ring.findHash(ring.hashNameOf('sk-unknown'))).toBeUndefined()
  })

  test('ends with its removal', async () => {
    const { store, change } = shakyStore()
    change([key, whole])
    await using ring = await openKeyRing(store, { fixed: [], now: () => 0 })
    expect(ring.find(foreign)).toBeDefined()
    change([key])
    await vi.advanceTimersByTimeAsync(500)
    expect(ring.find(foreign)).toBeUndefined()
  })
})
