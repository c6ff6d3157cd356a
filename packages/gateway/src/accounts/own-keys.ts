import { GatewayError } from '@sluice/contract'
import type { Caller } from '../ports/api-key.ts'
import type { Change, State } from './administer.ts'
import { type KeyWithSecret, keyCreation, type NewKey } from './key-changes.ts'
import type { Admin } from './rights.ts'

/** The ids of callers that signed in without a key begin with this, and no others. */
export const principalPrefix = 'oidc_'

/** Whether a caller signed in without a key. */
export function isPrincipal({ id }: Pick<Caller, 'id'>): boolean {
  return id.startsWith(principalPrefix)
}

/** Maximum number of unrevoked keys per user. */
const ownKeysMax = 100

/** Whether the caller's user may manage its own keys: a level above must allow it, and none may forbid it. */
export function mayOwnKeys({ owners, holders }: Caller): boolean {
  const permissions = holders.filter(({ kind }) => kind !== 'key').map(({ terms }) => terms.ownKeys)
  return owners.userId !== undefined && permissions.includes(true) && !permissions.includes(false)
}

/**
 * The administrator that represents a user managing its own keys: a team administrator whose team contains only this user.
 *
 * @throws GatewayError `forbidden`
 */
export function ownAdminOf(caller: Caller): Admin {
  const { id, owners, holders } = caller
  if (!mayOwnKeys(caller) || owners.userId === undefined)
    throw new GatewayError('forbidden', 'Users may not manage keys of their own here')
  // A new key would not be bound by the limits of this one.
  const isBound = holders.some(
    ({ kind, terms }) => kind === 'key' && limitingTerms.some((term) => terms[term] !== undefined),
  )
  if (!isPrincipal(caller) && isBound)
    throw new GatewayError(
      'forbidden',
      'This key has limits of its own and may not create or change other keys',
    )
  return { id, role: 'team', teamId: owners.userId }
}

/** The terms that limit what a key may be used for. */
const limitingTerms = [
  'expiresAt',
  'models',
  'operations',
  'addresses',
  'budgets',
  'requestsPerMinute',
  'tokensPerMinute',
  'concurrentRequests',
] as const

/** Creates a key of the user. Throws GatewayError `conflict` if there are too many. */
export function ownKeyCreation(admin: Admin, properties: NewKey, at: number) {
  const creation = keyCreation(admin, properties, at)
  return (state: State): Change<KeyWithSecret> => {
    const own = state.keys.filter(
      ({ ownerId, revokedAt }) => ownerId === admin.teamId && revokedAt === undefined,
    )
    if (own.length >= ownKeysMax)
      throw new GatewayError('conflict', `There are ${ownKeysMax} keys already: revoke one first`)
    return creation(state)
  }
}
