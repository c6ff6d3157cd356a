import { GatewayError } from '@sluice/contract'
import type { Account } from '../ports/account.ts'
import type { ApiKey } from '../ports/api-key.ts'
import type { AccountWrite, Store } from '../ports/store.ts'
import type { StoredSetting } from '../ports/stored-settings.ts'
import { entryAfter } from './audit.ts'
import { expiringCaller } from './callers.ts'
import { isOwner } from './rights.ts'

/** A snapshot of all keys, accounts and stored settings. */
export interface State {
  readonly keys: readonly ApiKey[]
  readonly accounts: readonly Account[]
  readonly settings: readonly StoredSetting[]
}

/** The writes of a change, and the content of its audit entry. */
export interface Change<Result> {
  /** Such as `key.rotate`. */
  readonly action: string
  /** The id of the changed object. */
  readonly target: string
  /** The states before and after, without secrets and hashes. */
  readonly before?: object
  readonly after?: object
  readonly writes: readonly AccountWrite[]
  readonly result: Result
}

/** The change of one object to another state; both as administrators see them. */
export function replacing<Shown extends { readonly id: string }>(
  action: string,
  [before, after]: readonly [Shown, Shown],
  write: AccountWrite,
): Change<Shown> {
  return { action, target: after.id, before, after, writes: [write], result: after }
}

/** The part of the store in which accounts, keys and settings are changed. */
export type AccountStore = Pick<
  Store,
  'listKeys' | 'listAccounts' | 'listSettings' | 'listAudit' | 'administer'
>

/** Where a change is written, and what the audit log says of it beside the change itself. */
export interface Administering {
  readonly store: AccountStore
  /** Who makes the change: the id of a key, or another origin. */
  readonly actor: string
  /** Milliseconds since the epoch. */
  readonly at: number
  /** Whether the configuration contains an owner key; the store need not keep one then. Default false. */
  readonly hasFixedOwner?: boolean
}

/** Maximum number of retries after concurrent changes. */
const triesMax = 50

/**
 * Makes one change and writes it together with its audit entry, atomically. `decide` gets the current state and throws if the
 * change is not allowed; it is called again if a concurrent change came first. If it returns only a result, nothing is
 * written.
 *
 * @throws GatewayError `overloaded` after too many concurrent changes, `conflict` if no owner would be left.
 */
export async function administer<Result>(
  { store, actor, at, hasFixedOwner = false }: Administering,
  decide: (state: State) => Change<Result> | { readonly result: Result },
): Promise<Result> {
  for (let tries = 0; tries < triesMax; tries++) {
    // Read first, because a concurrent change from now on takes the next sequence number.
    const [last] = await store.listAudit({ limit: 1, before: Number.MAX_SAFE_INTEGER })
    const state = {
      accounts: await store.listAccounts(),
      keys: await store.listKeys(),
      settings: await store.listSettings(),
    }
    const change = decide(state)
    if (!('writes' in change)) return change.result
    const { action, target, before, after } = change
    if (!hasFixedOwner) assertOwnerLeft(state, change.writes, at)
    const entry = entryAfter(last, {
      at,
      actor,
      action,
      target,
      ...(before && { before: JSON.stringify(before) }),
      ...(after && { after: JSON.stringify(after) }),
    })
    if (await store.administer(change.writes, entry)) return change.result
  }
  throw new GatewayError('overloaded', 'Too many changes at once', { retryAfterMs: 1_000 })
}

/**
 * Refuses changes that would leave no valid owner key without expiry. If there was none before, a currently valid one must be
 * left; if there was not even that, everything is allowed.
 *
 * @throws GatewayError `conflict`.
 */
function assertOwnerLeft(state: State, writes: readonly AccountWrite[], at: number): void {
  if (rankOf(after(state, writes), at) >= rankOf(state, at)) return
  throw new GatewayError(
    'conflict',
    'This is the last owner key: create another one first (role administrator, without an expiry), or set SLUICE_ADMIN_KEY',
  )
}

function after(
  { keys, accounts }: State,
  writes: readonly AccountWrite[],
): Pick<State, 'keys' | 'accounts'> {
  const keysAfter = new Map(keys.map((key) => [key.id, key]))
  const accountsAfter = new Map(accounts.map((account) => [account.id, account]))
  for (const write of writes)
    if ('key' in write) keysAfter.set(write.key.id, write.key)
    else if ('account' in write) accountsAfter.set(write.account.id, write.account)
    else if ('removed' in write) accountsAfter.delete(write.removed)
  return { keys: [...keysAfter.values()], accounts: [...accountsAfter.values()] }
}

/** 2 if a valid owner key never expires, 1 if one is valid now. */
function rankOf({ keys, accounts }: Pick<State, 'keys' | 'accounts'>, at: number): 0 | 1 | 2 {
  const byId = new Map(accounts.map((account) => [account.id, account]))
  const ends = keys.filter(isOwner).map((key) => expiringCaller(key, byId)?.expiresAt ?? 0)
  const last = Math.max(0, ...ends)
  return last === Infinity ? 2 : last > at ? 1 : 0
}
