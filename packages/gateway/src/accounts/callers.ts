import { addressListOf } from '../settings/address-block.ts'
import type { Account, Holder, Terms } from '../ports/account.ts'
import type { ApiKey, Caller } from '../ports/api-key.ts'
import { hashName } from './secrets.ts'
import type { Principal } from '../ports/session.ts'

/** A caller and when it expires. */
export interface ExpiringCaller {
  readonly caller: Caller
  /** Milliseconds since the epoch; Infinity if it does not expire. */
  readonly expiresAt: number
}

/**
 * The valid callers by the names of the hashes of their secrets (`hashName`). Keys that are revoked or disabled, or have a disabled or missing owner,
 * are left out.
 */
export function callersByHash(
  keys: readonly ApiKey[],
  accounts: readonly Account[],
): ReadonlyMap<string, ExpiringCaller> {
  const byId = new Map(accounts.map((account) => [account.id, account]))
  const found = new Map<string, ExpiringCaller>()
  for (const key of keys) {
    const current = expiringCaller(key, byId)
    if (!current) continue
    const { caller, expiresAt } = current
    for (const older of key.olderSecrets ?? [])
      found.set(hashName(older), { caller, expiresAt: Math.min(expiresAt, older.expiresAt) })
    found.set(hashName(key), current)
  }
  return found
}

/** A key with its levels; undefined if it is invalid regardless of time. */
export function expiringCaller(
  key: ApiKey & Pick<Partial<Principal>, 'identity'>,
  accounts: ReadonlyMap<string, Account>,
): ExpiringCaller | undefined {
  const owners = ownersOf(key, accounts)
  if (key.identity !== undefined && key.identity !== owners?.[0]?.identity) return undefined
  if (!owners || key.revokedAt !== undefined || key.disabledAt !== undefined) return undefined
  if (owners.some(({ disabledAt }) => disabledAt !== undefined)) return undefined
  const ends = [key, ...owners].map(({ expiresAt = Infinity }) => expiresAt)
  return { caller: callerOf(key, owners), expiresAt: Math.min(...ends) }
}

/** A key with its levels; `owners` are those above it, nearest first. */
export function callerOf(key: ApiKey, owners: readonly Account[] = []): Caller {
  const { id, name } = key
  const holders: readonly Holder[] = [
    holderOf({ kind: 'key', id, name }, key),
    ...owners.map((owner) => holderOf(owner, owner)),
  ]
  const allTags = [...new Set(holders.flatMap(({ terms }) => terms.tags ?? []))]
  const idOf = (kind: Account['kind']) => owners.find((owner) => owner.kind === kind)?.id
  const [userId, teamId, organizationId] = [idOf('user'), idOf('team'), idOf('organization')]
  const ownersOfCalls = {
    ...(userId !== undefined && { userId }),
    ...(teamId !== undefined && { teamId }),
    ...(organizationId !== undefined && { organizationId }),
  }
  const permissions = holders.map(({ terms }) => terms.contentLogging)
  const keepsContent = permissions.includes(true) && !permissions.includes(false)
  const isLimited = holders.some(
    ({ terms: { models, budgets = [] } }) => models?.includes('*') === false || budgets.length > 0,
  )
  return { ...key, holders, allTags, isLimited, keepsContent, owners: ownersOfCalls }
}

/** Organizations contain teams, teams contain users, and users own keys, so no chain is longer. */
const ownersMax = 3

/** The owners from the nearest up; undefined if one is missing. */
function ownersOf(
  { ownerId }: ApiKey,
  byId: ReadonlyMap<string, Account>,
): readonly Account[] | undefined {
  const owners: Account[] = []
  for (let id = ownerId; id !== undefined; id = owners.at(-1)?.parentId) {
    const owner = byId.get(id)
    if (!owner || owners.length === ownersMax) return undefined
    owners.push(owner)
  }
  return owners
}

function holderOf({ kind, id, name }: Pick<Holder, 'kind' | 'id' | 'name'>, terms: Terms): Holder {
  const { addresses } = terms
  const holder = { kind, id, name, terms: termsOf(terms) }
  return addresses === undefined ? holder : { ...holder, addressList: addressListOf(addresses) }
}

/** Only the terms of a key or account. Those that it lacks are left out, so that they do not appear in responses or storage. */
function termsOf(carrier: Terms): Terms {
  return Object.fromEntries(
    termNames.map((name) => [name, carrier[name]]).filter(([, value]) => value !== undefined),
  )
}

const termNames = [
  'expiresAt',
  'models',
  'operations',
  'addresses',
  'requestsPerMinute',
  'tokensPerMinute',
  'concurrentRequests',
  'budgets',
  'output',
  'inputBound',
  'metadata',
  'tags',
  'contentLogging',
  'ownKeys',
] as const satisfies readonly (keyof Terms)[]
