import { addressListOf } from '../config/address-block.ts'
import type { Account, Holder, Terms } from '../ports/account.ts'
import type { ApiKey, Caller } from '../ports/api-key.ts'
import type { Principal } from '../ports/session.ts'

/** A caller and the moment from which it is none any more. */
export interface Dated {
  readonly caller: Caller
  /** Milliseconds since the epoch; Infinity where there is no end. */
  readonly expiresAt: number
}

/**
 * The valid callers by the hashes of their secrets. A key is no caller that was revoked or disabled, or one of whose owners is
 * disabled or not there.
 */
export function callersByHash(
  keys: readonly ApiKey[],
  accounts: readonly Account[],
): ReadonlyMap<string, Dated> {
  const byId = new Map(accounts.map((account) => [account.id, account]))
  const found = new Map<string, Dated>()
  for (const key of keys) {
    const dated = datedCaller(key, byId)
    if (!dated) continue
    const { caller, expiresAt } = dated
    for (const older of key.olderSecrets ?? [])
      found.set(older.hash, { caller, expiresAt: Math.min(expiresAt, older.expiresAt) })
    found.set(key.hash, dated)
  }
  return found
}

/** A key with all that it is held to; undefined where it is no caller, whatever the time. */
export function datedCaller(
  key: ApiKey & Pick<Partial<Principal>, 'identity'>,
  accounts: ReadonlyMap<string, Account>,
): Dated | undefined {
  const owners = ownersOf(key, accounts)
  if (key.identity !== undefined && key.identity !== owners?.[0]?.identity) return undefined
  if (!owners || key.revokedAt !== undefined || key.disabledAt !== undefined) return undefined
  if (owners.some(({ disabledAt }) => disabledAt !== undefined)) return undefined
  const ends = [key, ...owners].map(({ expiresAt = Infinity }) => expiresAt)
  return { caller: callerOf(key, owners), expiresAt: Math.min(...ends) }
}

/** A key with all that it is held to; `owners` are above it, the nearest first. */
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
  const said = holders.map(({ terms }) => terms.contentLogging)
  const keepsContent = said.includes(true) && !said.includes(false)
  return { ...key, holders, allTags, keepsContent, owners: ownersOfCalls }
}

/** An organization's teams have users, and those have keys: no chain is longer. */
const ownersMax = 3

/** From the nearest up; undefined where one of them is not there. */
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

/** The terms alone of what carries them. */
function termsOf(carrier: Terms): Terms {
  const { expiresAt, models, operations, addresses, budgets, metadata, tags } = carrier
  const { requestsPerMinute, tokensPerMinute, concurrentRequests, contentLogging, ownKeys } =
    carrier
  const terms = {
    expiresAt,
    models,
    operations,
    addresses,
    requestsPerMinute,
    tokensPerMinute,
    concurrentRequests,
    budgets,
    metadata,
    tags,
    contentLogging,
    ownKeys,
  }
  // What is undefined is left out, so that what is shown and kept has no holes.
  return Object.fromEntries(Object.entries(terms).filter(([, value]) => value !== undefined))
}
