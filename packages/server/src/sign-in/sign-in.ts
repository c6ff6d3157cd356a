import type { OidcSettings } from '@sluice/gateway/settings/schema-console.ts'
import type { ApiKey } from '@sluice/gateway/ports/api-key.ts'
import type { Principal } from '@sluice/gateway/ports/session.ts'
import { administer, type Administering, type Change } from '@sluice/gateway/accounts/administer.ts'
import { principalPrefix } from '@sluice/gateway/accounts/own-keys.ts'
import { type Claims, type Grant, grantOf, type Identity, identityOf } from './oidc-grant.ts'
import { signingIn, teamOf } from './oidc-users.ts'

/** Where a sign-in is recorded, and how to reload keys and accounts after a change. */
export interface SignInPlace extends Omit<Administering, 'actor'> {
  readonly reload: () => Promise<void>
}

/** Enough of the hash to be unique. */
const identityLength = 24

/** The id of a person; `identity` is the hash of issuer and subject. */
export function principalId(identity: string): string {
  return `${principalPrefix}${identity.slice(0, identityLength)}`
}

/** Maps verified claims to an administrator or a user, who is created, found or moved as configured. Throws SignInRefused. */
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

/** Owners, operators and viewers belong to no team, so limits or disabling of a team do not affect them. */
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

/** The audit entry for sessions ended by the issuer. */
export function signedOut(id: string): () => Change<void> {
  const after = { by: 'issuer' }
  return () => ({ action: 'session.close', target: id, after, writes: [], result: undefined })
}

/** The audit entry for a sign-in. */
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
