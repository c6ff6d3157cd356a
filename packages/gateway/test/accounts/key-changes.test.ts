import { describe, expect, test } from 'vitest'
import { sampleKey } from '../../../../test/support/store-samples.ts'
import { keyRotation } from '../../src/accounts/key-changes.ts'
import type { Admin } from '../../src/accounts/rights.ts'
import { hashSecret } from '../../src/accounts/secrets.ts'
import type { ApiKey } from '../../src/ports/api-key.ts'

const owner: Admin = { id: 'owner', role: 'owner' }

/** What remains of a key's secrets after rotations at these times; the secrets are numbered, the first is 0. */
function rotated(rotations: readonly { readonly at: number; readonly overlapMs: number }[]) {
  let key: ApiKey = sampleKey({ hash: 'hash 0' })
  const numbers = new Map([[key.hash, 0]])
  for (const [index, rotation] of rotations.entries()) {
    const change = keyRotation(owner, key.id, rotation)({ keys: [key], accounts: [], settings: [] })
    const [write] = change.writes
    if (!write || !('key' in write)) throw new Error('No key is written')
    ;({ key } = write)
    expect(key.hash).toBe(hashSecret(change.result.secret))
    numbers.set(key.hash, index + 1)
  }
  const older = (key.olderSecrets ?? []).map(
    ({ hash, expiresAt }) => [numbers.get(hash), expiresAt] as const,
  )
  return { current: numbers.get(key.hash), older }
}

describe('secrets of a key after rotations', () => {
  test.each<
    [
      string,
      readonly (readonly [at: number, overlapMs: number])[],
      readonly (readonly [secret: number, expiresAt: number])[],
    ]
  >([
    ['the older secret ends after the overlap', [[1_000, 500]], [[0, 1_500]]],
    ['without overlap the older secret ends at once', [[1_000, 0]], []],
    [
      'a second rotation does not extend older secrets',
      [
        [1_000, 500],
        [1_200, 500],
      ],
      [
        [1, 1_700],
        [0, 1_500],
      ],
    ],
    [
      'nor does a third rotation',
      [
        [1_000, 500],
        [1_200, 500],
        [1_400, 500],
      ],
      [
        [2, 1_900],
        [1, 1_700],
        [0, 1_500],
      ],
    ],
    [
      'an expired secret is removed',
      [
        [1_000, 500],
        [1_500, 500],
      ],
      [[1, 2_000]],
    ],
    [
      'a second rotation without overlap ends all older secrets',
      [
        [1_000, 500],
        [1_200, 0],
      ],
      [],
    ],
    [
      'at most the four newest older secrets are kept',
      [1_000, 1_001, 1_002, 1_003, 1_004].map((at) => [at, 500] as const),
      [
        [4, 1_504],
        [3, 1_503],
        [2, 1_502],
        [1, 1_501],
      ],
    ],
  ])('%s', (_name, rotations, older) => {
    const result = rotated(rotations.map(([at, overlapMs]) => ({ at, overlapMs })))
    expect(result).toEqual({ current: rotations.length, older })
  })
})
