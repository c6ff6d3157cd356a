import type { Budget, Terms } from '../ports/account.ts'
import { createId } from './secrets.ts'

/** A budget that may not have an id yet. */
export type BudgetInput = Omit<Budget, 'id'> & Partial<Pick<Budget, 'id'>>

/** Changes to a key or account; null removes a term. */
export type Changes = {
  readonly name?: string
  readonly budgets?: readonly BudgetInput[] | null
} & {
  readonly [Term in Exclude<keyof Terms, 'budgets'>]?: Terms[Term] | null
}

/** Applies changes to a key or account. */
export function changed<Carrier extends Terms>(carrier: Carrier, changes: Changes): Carrier {
  const { budgets } = changes
  const known = budgets && { budgets: identified(budgets, carrier.budgets ?? []) }
  const next = { ...carrier }
  // Only the owner and terms can be null, which are all optional.
  for (const [name, value] of Object.entries({ ...changes, ...known }))
    if (value === null || value === undefined) Reflect.deleteProperty(next, name)
    else Reflect.set(next, name, value)
  return next
}

/** A budget keeps its id only if it counts the same as before: with another scope its recorded spending would be incomplete. */
function identified(inputs: readonly BudgetInput[], present: readonly Budget[]): readonly Budget[] {
  return withKnownIds(inputs, present).map((budget) => ({
    ...budget,
    id: budget.id ?? createId('budget_'),
  }))
}

/**
 * Assigns the id of an existing budget to one that counts the same, which keeps its spending, reservations and reset. Others
 * get no id.
 */
export function withKnownIds(
  inputs: readonly BudgetInput[],
  present: readonly Budget[],
): readonly BudgetInput[] {
  const remaining = new Set(present)
  const take = (fits: (one: Budget) => boolean): Budget | undefined => {
    const found = [...remaining].find(fits)
    if (found) remaining.delete(found)
    return found
  }
  const named = inputs.map((budget) =>
    take((one) => one.id === budget.id && countsTheSame(one, budget)),
  )
  return inputs.map(({ id: _id, resetAt: _resetAt, carried: _carried, ...budget }, index) => {
    const found = named[index] ?? take((one) => countsTheSame(one, budget))
    if (!found) return budget
    const { id, resetAt, carried } = found
    return { id, ...budget, ...(resetAt !== undefined && { resetAt }), ...(carried && { carried }) }
  })
}

function countsTheSame(one: BudgetInput, other: BudgetInput): boolean {
  return (
    one.window === other.window &&
    one.timeZone === other.timeZone &&
    one.model === other.model &&
    one.tag === other.tag
  )
}
