import { GatewayError } from '@sluice/contract'
import type { Account } from '../ports/account.ts'
import type { ApiKey } from '../ports/api-key.ts'
import type { AccountWrite } from '../ports/store.ts'
import { datedCaller } from './callers.ts'
import { isOwner } from './rights.ts'

/** A snapshot of all keys and accounts. */
interface State {
  readonly keys: readonly ApiKey[]
  readonly accounts: readonly Account[]
}

/**
 * Refuses changes that would leave no valid owner key without expiry. If there was none before, a currently valid one must be
 * left; if there was not even that, everything is allowed.
 *
 * @throws GatewayError `conflict`.
 */
export function assertOwnerLeft(state: State, writes: readonly AccountWrite[], at: number): void {
  if (rankOf(after(state, writes), at) >= rankOf(state, at)) return
  throw new GatewayError(
    'conflict',
    'This is the last owner key: create another one first (role administrator, without an expiry), or set SLUICE_ADMIN_KEY',
  )
}

function after({ keys, accounts }: State, writes: readonly AccountWrite[]): State {
  const keysAfter = new Map(keys.map((key) => [key.id, key]))
  const accountsAfter = new Map(accounts.map((account) => [account.id, account]))
  for (const write of writes)
    if ('key' in write) keysAfter.set(write.key.id, write.key)
    else if ('account' in write) accountsAfter.set(write.account.id, write.account)
    else accountsAfter.delete(write.removed)
  return { keys: [...keysAfter.values()], accounts: [...accountsAfter.values()] }
}

/** 2 if a valid owner key never expires, 1 if one is valid now. */
function rankOf({ keys, accounts }: State, at: number): 0 | 1 | 2 {
  const byId = new Map(accounts.map((account) => [account.id, account]))
  const ends = keys.filter(isOwner).map((key) => datedCaller(key, byId)?.expiresAt ?? 0)
  const last = Math.max(0, ...ends)
  return last === Infinity ? 2 : last > at ? 1 : 0
}
