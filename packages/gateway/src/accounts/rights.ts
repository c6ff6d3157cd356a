import { GatewayError } from '@sluice/contract'
import type { Account } from '../ports/account.ts'
import type { AdminRole, ApiKey } from '../ports/api-key.ts'

/** An administrator and its scope. */
export interface Admin {
  /** The id of its key, or another origin. */
  readonly id: string
  readonly role: AdminRole
  /** The team of a team administrator. */
  readonly teamId?: string
}

/** The rights of an administrator's key. */
export function adminOf({ id, adminRole = 'owner', ownerId }: ApiKey): Admin {
  return adminRole === 'team'
    ? { id, role: adminRole, teamId: ownerId ?? '' }
    : { id, role: adminRole }
}

/** Whether a key has the owner role. */
export function isOwner({
  role,
  adminRole = 'owner',
}: Pick<ApiKey, 'role' | 'adminRole'>): boolean {
  return role === 'administrator' && adminRole === 'owner'
}

/** Whether an administrator may see an account: team administrators see the team and its users. */
export function seesAccount({ role, teamId }: Admin, { id, parentId }: Account): boolean {
  return role !== 'team' || id === teamId || parentId === teamId
}

/** The keys an administrator may see: team administrators see the keys of the team and its users. */
export function seenKeys(
  admin: Admin,
  keys: readonly ApiKey[],
  accounts: readonly Account[],
): readonly ApiKey[] {
  if (admin.role !== 'team') return keys
  const owners = new Set(
    accounts.filter((account) => seesAccount(admin, account)).map(({ id }) => id),
  )
  return keys.filter(({ ownerId }) => ownerId !== undefined && owners.has(ownerId))
}

/**
 * Only owners may create or change administrators.
 *
 * @throws GatewayError `forbidden`
 */
export function assertOwner({ role }: Admin): void {
  if (role !== 'owner')
    throw new GatewayError('forbidden', 'Only owners make and change administrator keys')
}
