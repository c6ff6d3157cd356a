import type { Budget, Terms } from '../ports/account.ts'
import { createId } from './secrets.ts'

/** A budget that may not have an id yet. */
export type AskedBudget = Omit<Budget, 'id'> & Partial<Pick<Budget, 'id'>>

/** Changes to a key or account; null removes a term. */
export type Changes = {
  readonly name?: string
  readonly budgets?: readonly AskedBudget[] | null
} & {
  readonly [Term in Exclude<keyof Terms, 'budgets'>]?: Terms[Term] | null
}

/** Applies changes to a key or account. */
export function changed<Carrier extends Terms>(carrier: Carrier, changes: Changes): Carrier {
  const { budgets } = changes
  const known = budgets && { budgets: identified(budgets, carrier.budgets ?? []) }
  const next = { ...carrier, ...changes, ...known }
  // The carrier's own fields are always present, and every term is optional.
  return Object.fromEntries(
    Object.entries(next).filter(([, value]) => value !== null && value !== undefined),
  ) as unknown as Carrier
}

/** A budget keeps its id only if it counts the same as before: with another scope its recorded spending would be incomplete. */
function identified(asked: readonly AskedBudget[], present: readonly Budget[]): readonly Budget[] {
  return withKnownIds(asked, present).map((budget) => ({
    ...budget,
    id: budget.id ?? createId('budget_'),
  }))
}

/**
 * Assigns the id of an existing budget to one that counts the same, which keeps its spending, reservations and reset. Others
 * get no id.
 */
export function withKnownIds(
  asked: readonly AskedBudget[],
  present: readonly Budget[],
): readonly AskedBudget[] {
  const remaining = new Set(present)
  const take = (fits: (one: Budget) => boolean): Budget | undefined => {
    const found = [...remaining].find(fits)
    if (found) remaining.delete(found)
    return found
  }
  const named = asked.map((budget) =>
    take((one) => one.id === budget.id && countsTheSame(one, budget)),
  )
  return asked.map(({ id: _id, resetAt: _resetAt, ...budget }, index) => {
    const found = named[index] ?? take((one) => countsTheSame(one, budget))
    if (!found) return budget
    const { id, resetAt } = found
    return { id, ...budget, ...(resetAt !== undefined && { resetAt }) }
  })
}

function countsTheSame(one: AskedBudget, other: AskedBudget): boolean {
  return (
    one.window === other.window &&
    one.timeZone === other.timeZone &&
    one.model === other.model &&
    one.tag === other.tag
  )
}
