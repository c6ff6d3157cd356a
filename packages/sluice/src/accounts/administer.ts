import { GatewayError } from '@sluice/contract'
import type { Account } from '../ports/account.ts'
import type { ApiKey } from '../ports/api-key.ts'
import type { AccountWrite, Store } from '../ports/store.ts'
import { entryAfter } from './audit.ts'
import { assertOwnerLeft } from './lasting-owner.ts'

/** All keys and accounts at one moment. */
export interface State {
  readonly keys: readonly ApiKey[]
  readonly accounts: readonly Account[]
}

/** What shall become of them, and what its audit entry says. */
export interface Change<Result> {
  /** Such as `key.rotate`. */
  readonly action: string
  /** The id of what is changed. */
  readonly target: string
  /** What it was and what it is, without secrets and hashes. */
  readonly before?: object
  readonly after?: object
  readonly writes: readonly AccountWrite[]
  readonly result: Result
}

export type AccountStore = Pick<Store, 'listKeys' | 'listAccounts' | 'listAudit' | 'administer'>

export interface Administering {
  readonly store: AccountStore
  /** Who asks: the id of a key, or where else it came from. */
  readonly actor: string
  /** Milliseconds since the epoch. */
  readonly at: number
  /** Whether an owner's key stands in the settings: then those of the store may all go. Default false. */
  readonly hasFixedOwner?: boolean
}

/** Others that change something at the same moment, each of whom may come first once. */
const triesMax = 50

/**
 * Makes one change and writes it with its audit entry, whole or not at all. `decide` sees what is there and throws where the
 * change may not be; it is asked again where another change came first, so that none is lost. Where it answers with the
 * result alone, nothing is to be done.
 *
 * @throws GatewayError `overloaded` where others came first too often, `conflict` where no owner would be left.
 */
export async function administer<Result>(
  { store, actor, at, hasFixedOwner = false }: Administering,
  decide: (state: State) => Change<Result> | { readonly result: Result },
): Promise<Result> {
  for (let tries = 0; tries < triesMax; tries++) {
    // Read first: what others change from now on takes the number of the next entry.
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
