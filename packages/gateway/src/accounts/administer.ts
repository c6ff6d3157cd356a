import { GatewayError } from '@sluice/contract'
import type { Account } from '../ports/account.ts'
import type { ApiKey } from '../ports/api-key.ts'
import type { AccountWrite, Store } from '../ports/store.ts'
import { entryAfter } from './audit.ts'
import { assertOwnerLeft } from './lasting-owner.ts'

/** A snapshot of all keys and accounts. */
export interface State {
  readonly keys: readonly ApiKey[]
  readonly accounts: readonly Account[]
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

export type AccountStore = Pick<Store, 'listKeys' | 'listAccounts' | 'listAudit' | 'administer'>

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
    const state = { accounts: await store.listAccounts(), keys: await store.listKeys() }
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
