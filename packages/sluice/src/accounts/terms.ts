import type { Budget, Terms } from '../ports/account.ts'
import { createId } from './secrets.ts'

/** A budget that may have no id yet. */
export type AskedBudget = Omit<Budget, 'id'> & Partial<Pick<Budget, 'id'>>

/** What shall be otherwise: null takes a term away. */
export type Changes = {
  readonly name?: string
  readonly budgets?: readonly AskedBudget[] | null
} & {
  readonly [Term in Exclude<keyof Terms, 'budgets'>]?: Terms[Term] | null
}

/** A key or an account with these changes. */
export function changed<Carrier extends Terms>(carrier: Carrier, changes: Changes): Carrier {
  const { budgets } = changes
  const known = budgets && { budgets: identified(budgets, carrier.budgets ?? []) }
  const next = { ...carrier, ...changes, ...known }
  // Carrier's own fields are all there, and of the terms each may be absent.
  return Object.fromEntries(
    Object.entries(next).filter(([, value]) => value !== null && value !== undefined),
  ) as unknown as Carrier
}

/** A budget is a new one unless one that is there counts the same: one that had its id may have missed some of what was spent. */
function identified(asked: readonly AskedBudget[], present: readonly Budget[]): readonly Budget[] {
  return withKnownIds(asked, present).map((budget) => ({
    ...budget,
    id: budget.id ?? createId('budget_'),
  }))
}

/**
 * A budget that counts the same as one that is there has its id, and so what was spent and what is put aside. Others have none.
 */
export function withKnownIds(
  asked: readonly AskedBudget[],
  present: readonly Budget[],
): readonly AskedBudget[] {
  const left = new Set(present)
  const take = (fits: (one: Budget) => boolean): string | undefined => {
    const found = [...left].find(fits)
    if (found) left.delete(found)
    return found?.id
  }
  const named = asked.map((budget) =>
    take((one) => one.id === budget.id && countsTheSame(one, budget)),
  )
  return asked.map(({ id: _id, ...budget }, index) => {
    const id = named[index] ?? take((one) => countsTheSame(one, budget))
    return id === undefined ? budget : { id, ...budget }
  })
}

function countsTheSame(one: AskedBudget, other: AskedBudget): boolean {
  return one.window === other.window && one.model === other.model && one.tag === other.tag
}
