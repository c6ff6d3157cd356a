import type { OidcSettings } from '../config/schema-console.ts'
import type { ApiKey } from '../ports/api-key.ts'
import type { Principal } from '../ports/session.ts'
import { administer, type Administering, type Change } from './administer.ts'
import { type Claims, type Grant, grantOf, type Identity, identityOf } from './oidc-grant.ts'
import { signingIn, teamOf } from './oidc-users.ts'

/** Where it is written down who signed in, and what reads keys and accounts anew after a change. */
export interface SignInPlace extends Omit<Administering, 'actor'> {
  readonly reload: () => Promise<void>
}

/** No key of the settings or of the store begins so. */
const prefix = 'oidc_'

/** Whether a caller has signed in without a key. */
export function isPrincipal({ id }: Pick<ApiKey, 'id'>): boolean {
  return id.startsWith(prefix)
}

/** Enough of a hash to tell people apart. */
const identityLength = 24

/** What stands for whoever is at the issuer; `identity` is the hash of issuer and subject. */
export function principalId(identity: string): string {
  return `${prefix}${identity.slice(0, identityLength)}`
}

/**
 * Who somebody is here whose claims were checked: an administrator of everything or of one team, or a user, who is made, found or
 * moved as the settings say. Throws SignInRefused.
 */
export async function principalOf(
  claims: Claims,
  settings: OidcSettings,
  { reload, ...place }: SignInPlace,
): Promise<Omit<Principal, 'expiresAt'>> {
  const identity = identityOf(claims, settings)
  const grant = grantOf(claims, identity, settings)
  const id = principalId(identity.hash)
  const actor = { ...place, actor: id }
  const owned = await ownerOf(identity, grant, { actor, settings })
  if (owned.isChanged) await reload()
  return {
    id,
    name: identity.name,
    hash: '',
    prefix: '',
    createdAt: 0,
    issuer: identity.issuer,
    ...(grant.role === 'user' && { identity: identity.hash }),
    ...(identity.session !== undefined && { issuerSession: identity.session }),
    ...(grant.role === 'user'
      ? { role: 'caller' }
      : { role: 'administrator', adminRole: grant.role }),
    ...(owned.ownerId !== undefined && { ownerId: owned.ownerId }),
  }
}

interface Owned {
  readonly ownerId?: string
  readonly isChanged: boolean
}

/** An owner, operator or viewer belongs to nobody: what bounds or disables a team shall not reach them. */
async function ownerOf(
  identity: Identity,
  grant: Grant,
  { actor, settings }: { readonly actor: Administering; readonly settings: OidcSettings },
): Promise<Owned> {
  if (grant.role === 'team')
    return { ownerId: teamOf(grant.team, await actor.store.listAccounts()).id, isChanged: false }
  if (grant.role !== 'user') return { isChanged: false }
  const { createUsers = true } = settings
  const before = await actor.store.listAccounts()
  const user = await administer(actor, signingIn({ identity, grant, createUsers, at: actor.at }))
  const isSame = before.some(
    ({ id, parentId, identity: hash }) =>
      id === user.id && parentId === user.parentId && hash === user.identity,
  )
  return { ownerId: user.id, isChanged: !isSame }
}

/** Writes down that the issuer has ended sessions of somebody. */
export function signedOut(id: string): () => Change<void> {
  const after = { by: 'issuer' }
  return () => ({ action: 'session.close', target: id, after, writes: [], result: undefined })
}

/** Writes down that somebody has signed in. */
export function signedIn(
  { id, name, role, adminRole, ownerId }: ApiKey,
  by: 'key' | 'oidc',
): () => Change<void> {
  const after = {
    by,
    name,
    role,
    ...(role === 'administrator' && { adminRole: adminRole ?? 'owner' }),
    ...(ownerId !== undefined && { ownerId }),
  }
  return () => ({ action: 'session.open', target: id, after, writes: [], result: undefined })
}
