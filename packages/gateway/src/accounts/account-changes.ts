import { GatewayError, invalidRequest } from '@sluice/contract'
import type { Account, AccountKind, Terms } from '../ports/account.ts'
import { type Change, replacing, type State } from './administer.ts'
import { type Admin, seesAccount } from './rights.ts'
import { createId } from './secrets.ts'
import { type Changes, changed } from './terms.ts'

/** The properties of a new organization, team or user. */
export interface NewAccount extends Terms {
  readonly name: string
  readonly parentId?: string
  /** Whether another account of its kind with this name is a conflict. */
  readonly unique?: boolean
}

/** An account as administrators see it: as it is stored, with its kind as `object` too. */
export type ShownAccount = Account & { readonly object: AccountKind }

export function shownAccount(account: Account): ShownAccount {
  return { object: account.kind, ...account }
}

const prefixes: Readonly<Record<AccountKind, string>> = {
  organization: 'org_',
  team: 'team_',
  user: 'user_',
}

/** The kinds of parent that each kind may have. */
export const parents: Readonly<Record<AccountKind, readonly AccountKind[]>> = {
  organization: [],
  team: ['organization'],
  user: ['team', 'organization'],
}

/** Who changes an account of which kind, and when. */
export interface ChangeRequest {
  readonly admin: Admin
  readonly kind: AccountKind
  /** Milliseconds since the epoch. */
  readonly at: number
}

/**
 * Creates an organization, a team or a user. A user created by a team administrator belongs to that team. The returned function
 * decides for `administer`.
 *
 * @throws GatewayError `conflict` for a name that must be unique and is not, `invalid_request` for a parent that does not fit.
 */
export function accountCreation({ admin, kind, at }: ChangeRequest, properties: NewAccount) {
  return ({ accounts }: State): Change<ShownAccount> => {
    const { parentId = admin.teamId, unique = false, ...rest } = properties
    if (unique) assertUnique(kind, accounts, properties.name)
    if (parentId !== undefined) assertParent({ admin, kind }, accounts, parentId)
    const account: Account = {
      id: createId(prefixes[kind]),
      kind,
      ...(parentId !== undefined && { parentId }),
      createdAt: at,
      ...rest,
    }
    const result = shownAccount(account)
    const action = `${kind}.create`
    return { action, target: account.id, after: result, writes: [{ account }], result }
  }
}

/** Changes to an account; null removes a term or the parent. */
export type AccountChanges = Changes & { readonly parentId?: string | null }

/**
 * Changes the name or terms of an account, or moves it; null removes a term. Limits on a team are set from above it: its own
 * administrators may only change its name and metadata, and may not move users out of it.
 *
 * @throws GatewayError `not_found`, `forbidden`, or `invalid_request` for a parent that does not fit.
 */
export function accountChange(request: ChangeRequest, id: string, changes: AccountChanges) {
  return (state: State): Change<ShownAccount> => {
    const account = findAccount(request, state, id)
    const { parentId } = changes
    if (parentId === null && request.admin.role === 'team')
      throw invalidRequest('It has to stay in the team', 'parentId')
    if (typeof parentId === 'string') assertParent(request, state.accounts, parentId)
    for (const field of Object.keys(changes))
      if (field !== 'name' && field !== 'metadata') assertAbove(request.admin, account)
    return replaced('change', account, changed(account, changes))
  }
}

/**
 * Makes everything below an account invalid until it is enabled again. An account that is disabled already keeps its time.
 *
 * @throws GatewayError `not_found`, or `forbidden` for a team's own administrator.
 */
export function accountDisabling(request: ChangeRequest, id: string) {
  return (state: State): Change<ShownAccount> => {
    const account = findAccount(request, state, id)
    assertAbove(request.admin, account)
    return replaced('disable', account, {
      ...account,
      disabledAt: account.disabledAt ?? request.at,
    })
  }
}

/** Undoes `accountDisabling`, with the same errors. */
export function accountEnabling(request: ChangeRequest, id: string) {
  return (state: State): Change<ShownAccount> => {
    const before = findAccount(request, state, id)
    assertAbove(request.admin, before)
    const { disabledAt: _disabledAt, ...account } = before
    return replaced('enable', before, account)
  }
}

/**
 * Removes the OIDC identity linked to a user and ends its sessions. The next person whose claim has the user's name may link
 * to it.
 *
 * @throws GatewayError `not_found`, or `conflict` if no identity is linked.
 */
export function userUnlinking(request: ChangeRequest, id: string) {
  return (state: State): Change<ShownAccount> => {
    const before = findAccount(request, state, id)
    const { identity, ...account } = before
    if (identity === undefined)
      throw new GatewayError('conflict', 'No identity is linked to this user')
    return replaced('unlink', before, account)
  }
}

/**
 * Deletes an account to which nothing belongs except revoked keys.
 *
 * @throws GatewayError `not_found`, `forbidden` for a team's own administrator, or `conflict` if something belongs to it.
 */
export function accountRemoval(request: ChangeRequest, id: string) {
  return (state: State): Change<{ readonly id: string; readonly deleted: true }> => {
    const account = findAccount(request, state, id)
    assertAbove(request.admin, account)
    const holds = state.accounts.some(({ parentId }) => parentId === id)
    const owns = state.keys.some(
      ({ ownerId, revokedAt }) => ownerId === id && revokedAt === undefined,
    )
    if (holds || owns)
      throw new GatewayError(
        'conflict',
        'It still owns accounts or keys: remove or revoke them first',
      )
    return {
      action: `${account.kind}.delete`,
      target: id,
      before: shownAccount(account),
      writes: [{ removed: id }],
      result: { id, deleted: true },
    }
  }
}

/** @throws GatewayError `not_found` if there is none that this administrator may see. */
export function findAccount(
  { admin, kind }: Pick<ChangeRequest, 'admin' | 'kind'>,
  { accounts }: Pick<State, 'accounts'>,
  id: string,
): Account {
  const account = accounts.find((one) => one.id === id && one.kind === kind)
  if (!account || !seesAccount(admin, account))
    throw new GatewayError('not_found', `There is no such ${kind}`)
  return account
}

/** @throws GatewayError `conflict` if another account of this kind has the name. */
function assertUnique(kind: AccountKind, accounts: State['accounts'], name: string): void {
  if (accounts.some((one) => one.kind === kind && one.name === name))
    throw new GatewayError('conflict', `Another ${kind} has this name`, { param: 'name' })
}

/** @throws GatewayError `invalid_request` if the parent does not fit this kind, or the administrator may not see it. */
function assertParent(
  { admin, kind }: Pick<ChangeRequest, 'admin' | 'kind'>,
  accounts: State['accounts'],
  parentId: string,
): void {
  const parent = accounts.find(({ id }) => id === parentId)
  const isFine = parent && seesAccount(admin, parent) && parents[kind].includes(parent.kind)
  if (!isFine) throw invalidRequest(`There is no such ${parents[kind].join(' or ')}`, 'parentId')
}

function assertAbove({ teamId }: Admin, { id }: Account): void {
  if (id === teamId)
    throw new GatewayError(
      'forbidden',
      "A team's administrators change its name and metadata; what bounds it is set from above",
    )
}

function replaced(what: string, before: Account, after: Account): Change<ShownAccount> {
  const shown = [shownAccount(before), shownAccount(after)] as const
  return replacing(`${after.kind}.${what}`, shown, { account: after })
}
