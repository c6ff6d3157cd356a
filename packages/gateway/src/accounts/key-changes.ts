import { GatewayError, invalidRequest } from '@sluice/contract'
import type { Terms } from '../ports/account.ts'
import type { AdminRole, ApiKey } from '../ports/api-key.ts'
import { type Change, replacing, type State } from './administer.ts'
import { type Admin, assertOwner, seenKeys, seesAccount } from './rights.ts'
import { createKey, createSecret, hashSecret, prefixOf } from './secrets.ts'
import { type Changes, changed } from './terms.ts'

/** The properties of a new key. */
export interface NewKey extends Terms {
  readonly name: string
  readonly role?: ApiKey['role']
  readonly adminRole?: AdminRole
  readonly ownerId?: string
  /** Whether another unrevoked key with this name is a conflict. */
  readonly unique?: boolean
}

/** A key as administrators see it, without hashes. */
export type ShownKey = Omit<ApiKey, 'hash' | 'hashScheme' | 'olderSecrets'> & {
  readonly object: 'key'
  readonly olderSecrets?: readonly { readonly prefix: string; readonly expiresAt: number }[]
}

/** A key with its secret, which is shown only once. */
export type KeyWithSecret = ShownKey & { readonly secret: string }

/** A key without the hashes of its secrets. */
export function shownKey({
  hash: _hash,
  hashScheme: _scheme,
  olderSecrets,
  ...key
}: ApiKey): ShownKey {
  const older = olderSecrets?.map(({ prefix, expiresAt }) => ({ prefix, expiresAt }))
  return { object: 'key', ...key, ...(older && { olderSecrets: older }) }
}

/**
 * Creates a key. A key created by a team administrator belongs to the team, unless one of its users is named as owner. The
 * returned function decides for `administer`; its result has the secret, which is not stored.
 *
 * @throws GatewayError `conflict` for a name that must be unique and is not, `forbidden` if only owners may create this key,
 *   `invalid_request` for an owner or an administrator role that does not fit.
 */
export function keyCreation(admin: Admin, properties: NewKey, at: number) {
  return ({ accounts, keys }: State): Change<KeyWithSecret> => {
    const { role = 'caller', ownerId = admin.teamId, unique = false, ...options } = properties
    const namesake = keys.find((one) => one.name === properties.name && one.revokedAt === undefined)
    if (unique && namesake)
      throw new GatewayError('conflict', 'Another key has this name', { param: 'name' })
    if (role === 'administrator') assertOwner(admin)
    else if (properties.adminRole !== undefined)
      throw invalidRequest("'adminRole' is for keys with the role administrator", 'adminRole')
    assertOwnerFits(admin, { ownerId, adminRole: properties.adminRole }, accounts)
    const owned = ownerId === undefined ? {} : { ownerId }
    const { secret, key } = createKey({ role, ...options, ...owned }, at)
    const shown = shownKey(key)
    return {
      action: 'key.create',
      target: key.id,
      after: shown,
      writes: [{ key }],
      result: { ...shown, secret },
    }
  }
}

/** @throws GatewayError `invalid_request` if the owner does not fit this kind of key, or the administrator may not see it. */
function assertOwnerFits(
  admin: Admin,
  {
    ownerId,
    adminRole,
  }: { readonly ownerId: string | undefined; readonly adminRole: AdminRole | undefined },
  accounts: State['accounts'],
): void {
  const owner = accounts.find(({ id }) => id === ownerId)
  if (ownerId !== undefined && (!owner || !seesAccount(admin, owner)))
    throw invalidRequest('There is no such user or team', 'ownerId')
  if (owner?.kind === 'organization')
    throw invalidRequest('A key belongs to a user or a team', 'ownerId')
  if (adminRole === 'team' && owner?.kind !== 'team')
    throw invalidRequest("A team's administrator needs its team as 'ownerId'", 'ownerId')
}

/** Changes to a key; null removes a term or the owner. */
export type KeyChanges = Changes & {
  readonly ownerId?: string | null
  readonly role?: ApiKey['role']
  readonly adminRole?: AdminRole
}

/**
 * Changes the name, terms, owner or role of a key. Changing the role requires an owner. Team administrators may not move a key
 * out of their team.
 *
 * @throws GatewayError `not_found`, `conflict` if the key is revoked, `forbidden`, or `invalid_request`.
 */
export function keyChange(admin: Admin, id: string, changes: KeyChanges) {
  return (state: State): Change<ShownKey> => {
    const key = liveKey(admin, state, id)
    const { role = key.role } = changes
    if (changes.role !== undefined || changes.adminRole !== undefined) assertOwner(admin)
    if (role === 'caller' && changes.adminRole !== undefined)
      throw invalidRequest("'adminRole' is for keys with the role administrator", 'adminRole')
    if (changes.ownerId === null && admin.role === 'team')
      throw invalidRequest('It has to belong to the team or to one of its users', 'ownerId')
    const next = changed(key, changes)
    const { adminRole: _adminRole, ...callerKey } = next
    const after: ApiKey = role === 'caller' ? callerKey : next
    if (changes.ownerId !== undefined || after.adminRole !== key.adminRole)
      assertOwnerFits(admin, { ownerId: after.ownerId, adminRole: after.adminRole }, state.accounts)
    return replaced('key.change', key, after)
  }
}

/** Maximum number of older secrets that are valid beside the current one. */
const olderMax = 4

/**
 * Gives a key a new secret. The previous one stays valid for `overlapMs` after `at`, both in milliseconds; still older ones are
 * not extended, and at most four are kept.
 *
 * @throws GatewayError as `keyDisabling`.
 */
export function keyRotation(
  admin: Admin,
  id: string,
  { overlapMs, at }: { readonly overlapMs: number; readonly at: number },
) {
  return (state: State): Change<KeyWithSecret> => {
    const key = liveKey(admin, state, id)
    const secret = createSecret()
    const { olderSecrets: before = [], hash, hashScheme, prefix, ...rest } = key
    const last = { hash, ...(hashScheme && { hashScheme }), prefix, expiresAt: at + overlapMs }
    const older = [last, ...before]
      .filter(({ expiresAt }) => overlapMs > 0 && expiresAt > at)
      .slice(0, olderMax)
    const next: ApiKey = {
      ...rest,
      hash: hashSecret(secret),
      prefix: prefixOf(secret),
      ...(older.length > 0 && { olderSecrets: older }),
    }
    const change = replaced('key.rotate', key, next)
    return { ...change, result: { ...change.result, secret } }
  }
}

/**
 * Makes a key invalid until it is enabled again; a key that is disabled already keeps its time.
 *
 * @throws GatewayError `not_found`, `conflict` if the key is revoked, or `forbidden` if only owners may change it.
 */
export function keyDisabling(admin: Admin, id: string, at: number) {
  return (state: State): Change<ShownKey> => {
    const key = liveKey(admin, state, id)
    return replaced('key.disable', key, { ...key, disabledAt: key.disabledAt ?? at })
  }
}

/** Undoes `keyDisabling`, with the same errors. */
export function keyEnabling(admin: Admin, id: string) {
  return (state: State): Change<ShownKey> => {
    const before = liveKey(admin, state, id)
    const { disabledAt: _disabledAt, ...key } = before
    return replaced('key.enable', before, key)
  }
}

/** Makes a key permanently invalid. Does nothing if it already is. */
export function keyRevocation(admin: Admin, id: string, at: number) {
  return (state: State): Change<ShownKey> | { readonly result: ShownKey } => {
    const key = changeableKey(admin, state, id)
    if (key.revokedAt !== undefined) return { result: shownKey(key) }
    return replaced('key.revoke', key, { ...key, revokedAt: at })
  }
}

/** @throws GatewayError `not_found` if there is none that this administrator may see. */
export function findKey(
  admin: Admin,
  { keys, accounts }: Pick<State, 'keys' | 'accounts'>,
  id: string,
): ApiKey {
  const key = seenKeys(admin, keys, accounts).find((one) => one.id === id)
  if (!key) throw new GatewayError('not_found', 'There is no such key')
  return key
}

function changeableKey(admin: Admin, state: State, id: string): ApiKey {
  const key = findKey(admin, state, id)
  if (key.role === 'administrator') assertOwner(admin)
  return key
}

function liveKey(admin: Admin, state: State, id: string): ApiKey {
  const key = changeableKey(admin, state, id)
  if (key.revokedAt !== undefined) throw new GatewayError('conflict', 'The key is revoked')
  return key
}

function replaced(action: string, before: ApiKey, after: ApiKey): Change<ShownKey> {
  return replacing(action, [shownKey(before), shownKey(after)], { key: after })
}
