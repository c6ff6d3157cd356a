import type { Account } from '@sluice/gateway/ports/account.ts'
import type { Change, State } from '@sluice/gateway/accounts/administer.ts'
import { shownAccount } from '@sluice/gateway/accounts/account-changes.ts'
import type { Grant, Identity } from './oidc-grant.ts'
import { createId } from '@sluice/gateway/accounts/secrets.ts'
import { SignInRefused } from './sign-in-refused.ts'

/** Finds the team of a grant by id or by unique name. Throws SignInRefused `no_team`. */
export function teamOf(named: string, accounts: readonly Account[]): Account {
  const teams = accounts.filter(({ kind }) => kind === 'team')
  const byName = teams.filter(({ name }) => name === named)
  const found =
    teams.find(({ id }) => id === named) ?? (byName.length === 1 ? byName[0] : undefined)
  if (found) return found
  const what = byName.length > 1 ? 'Several teams are' : 'No team is'
  throw new SignInRefused('no_team', `${what} called ${named.slice(0, 100)}`)
}

interface SigningIn {
  readonly identity: Identity
  readonly grant: Extract<Grant, { readonly role: 'user' }>
  readonly createUsers: boolean
  /** Milliseconds since the epoch. */
  readonly at: number
}

/**
 * Finds or creates the user of a person who signs in: the user linked to this identity, otherwise an unlinked user with the
 * name, otherwise a new one. A user whose group is mapped to another team is moved there.
 */
export function signingIn({ identity, grant, createUsers, at }: SigningIn) {
  return ({ accounts }: State): Change<Account> | { readonly result: Account } => {
    const team = teamOf(grant.team, accounts)
    const known = accounts.find((one) => one.identity === identity.hash)
    const before = known ?? unclaimed(identity, accounts)
    if (!before) {
      if (!createUsers) throw new SignInRefused('unknown_user', 'There is no user of that name')
      return created({ identity, teamId: team.id, at })
    }
    const isMoved = grant.isMapped && before.parentId !== team.id
    if (known && !isMoved) return { result: before }
    const after: Account = {
      ...before,
      identity: identity.hash,
      ...(isMoved && { parentId: team.id }),
    }
    return {
      action: known ? 'user.move' : 'user.link',
      target: after.id,
      before: shownAccount(before),
      after: shownAccount(after),
      writes: [{ account: after }],
      result: after,
    }
  }
}

/** Undefined if several users have the name. */
function unclaimed({ userName }: Identity, accounts: readonly Account[]): Account | undefined {
  if (userName === undefined) return undefined
  const wanted = userName.toLowerCase()
  const named = accounts.filter(
    ({ kind, name, identity }) =>
      kind === 'user' && identity === undefined && name.toLowerCase() === wanted,
  )
  return named.length === 1 ? named[0] : undefined
}

function created({
  identity,
  teamId,
  at,
}: {
  readonly identity: Identity
  readonly teamId: string
  readonly at: number
}): Change<Account> {
  const account: Account = {
    id: createId('user_'),
    kind: 'user',
    name: identity.userName ?? identity.name,
    parentId: teamId,
    identity: identity.hash,
    createdAt: at,
  }
  const after = shownAccount(account)
  return {
    action: 'user.create',
    target: account.id,
    after,
    writes: [{ account }],
    result: account,
  }
}
