import { GatewayError } from '@sluice/contract'
import type { Budget, Terms } from '../ports/account.ts'
import type { AccountWrite } from '../ports/store.ts'
import { accountChange, findAccount } from './account-changes.ts'
import type { Change, State } from './administer.ts'
import { keyChange } from './key-changes.ts'
import type { Admin } from './rights.ts'

export interface BudgetsReset {
  readonly object: 'budgets.reset'
  /** The id of the key or account. */
  readonly holder: string
  /** The ids of the budgets. */
  readonly budgets: readonly string[]
  /** Milliseconds since the epoch. */
  readonly resetAt: number
}

export interface BudgetResetRequest {
  /** The id of a key or account. */
  readonly holder: string
  /** The id of one of its budgets; absent: all. */
  readonly budget?: string
}

/** Counts budgets anew from now on. Whoever may change them may do so. */
export function budgetReset(admin: Admin, { holder, budget }: BudgetResetRequest, at: number) {
  return (state: State): Change<BudgetsReset> => {
    const { kind, terms, written } = holderOf({ admin, at }, state, holder)
    const budgets = (terms.budgets ?? []).map((one) =>
      budget === undefined || one.id === budget ? { ...one, resetAt: at } : one,
    )
    const reset = budgets.filter(({ resetAt }) => resetAt === at).map(({ id }) => id)
    if (reset.length === 0)
      throw new GatewayError('not_found', `There is no such budget of this ${kind}`)
    const result = { object: 'budgets.reset', holder, budgets: reset, resetAt: at } as const
    const before = resetsOf(terms.budgets ?? [])
    const after = resetsOf(budgets)
    const action = `${kind}.reset-budgets`
    return { action, target: holder, before, after, writes: [written(budgets)], result }
  }
}

interface BudgetHolder {
  readonly kind: string
  readonly terms: Terms
  readonly written: (budgets: readonly Budget[]) => AccountWrite
}

/** @throws GatewayError unless this administrator may change the budgets of this holder. */
function holderOf(
  { admin, at }: { readonly admin: Admin; readonly at: number },
  state: State,
  id: string,
): BudgetHolder {
  const account = state.accounts.find((one) => one.id === id)
  if (account) {
    const { kind } = account
    const found = findAccount({ admin, kind }, state, id)
    accountChange({ admin, kind, at }, id, { budgets: found.budgets ?? null })(state)
    return { kind, terms: found, written: (budgets) => ({ account: { ...found, budgets } }) }
  }
  const key = state.keys.find((one) => one.id === id)
  keyChange(admin, id, { budgets: key?.budgets ?? null })(state)
  if (!key) throw new GatewayError('not_found', 'There is no such key or account')
  return { kind: 'key', terms: key, written: (budgets) => ({ key: { ...key, budgets } }) }
}

/** What the audit log tells of it. */
function resetsOf(budgets: readonly Budget[]): object {
  return { budgets: budgets.map(({ id, resetAt = null }) => ({ id, resetAt })) }
}
