import { GatewayError } from '@sluice/contract'
import type { Account } from '../ports/account.ts'
import type { AdminRole, ApiKey } from '../ports/api-key.ts'

/** Who administers, and how far it reaches. */
export interface Admin {
  /** The id of its key, or where else it came from. */
  readonly id: string
  readonly role: AdminRole
  /** Of a team's administrator: the team. */
  readonly teamId?: string
}

/** What an administrator's key may do. */
export function adminOf({ id, adminRole = 'owner', ownerId }: ApiKey): Admin {
  return adminRole === 'team'
    ? { id, role: adminRole, teamId: ownerId ?? '' }
    : { id, role: adminRole }
}

/** Whether a key administers everything. */
export function isOwner({
  role,
  adminRole = 'owner',
}: Pick<ApiKey, 'role' | 'adminRole'>): boolean {
  return role === 'administrator' && adminRole === 'owner'
}

/** Whether an administrator may see an account: those of one team see the team and its users. */
export function seesAccount({ role, teamId }: Admin, { id, parentId }: Account): boolean {
  return role !== 'team' || id === teamId || parentId === teamId
}

/** The keys that an administrator may see: those of one team see the keys of the team and of its users. */
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

/** @throws GatewayError `forbidden` unless the administrator is an owner: none other makes or changes administrators. */
export function assertOwner({ role }: Admin): void {
  if (role !== 'owner')
    throw new GatewayError('forbidden', 'Only owners make and change administrator keys')
}
