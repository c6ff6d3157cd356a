import { covers } from '../../accounts/allowed.ts'
import type { BudgetClaim, BudgetWindow } from '../../ports/limiter.ts'
import type { Store } from '../../ports/store.ts'
import type { HeldClaim } from './claims.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
/** 1 January 1970 was a Thursday. */
const daysSinceMonday = 3
/** Pairs of a provider and a model that one holder may have used. */
const modelsMax = 100_000

/**
 * What was spent of a budget in its present window, from the ledger: for a limiter that does not know (any more). A rolling
 * window counts from a full hour. Of models the ledger knows the upstream's names, `provider/model`.
 */
export async function recallBudget(
  { book, flush }: Pick<Store, 'book' | 'flush'>,
  claim: BudgetClaim & Partial<HeldClaim>,
  now: number,
): Promise<number> {
  const { holder, budget, window } = claim
  if (!holder || !budget) return 0
  await flush()
  while ((await book.fold()) > 0);
  const { model, tag } = budget
  const { groups, total } = await book.sums({
    from: startOf(window, now),
    to: now - (now % hourMs) + hourMs,
    only: { [holder.kind]: holder.id, ...(tag !== undefined && { tag }) },
    by: model === undefined ? [] : ['provider', 'model'],
    limit: modelsMax,
  })
  if (model === undefined) return total.costMicroUsd
  let spent = 0
  for (const { of, sums } of groups) if (covers(model, of.join('/'))) spent += sums.costMicroUsd
  return spent
}

function startOf(window: BudgetWindow, now: number): number {
  if (window === 'lifetime') return 0
  if (typeof window === 'number') {
    const from = now - window * hourMs
    return from - (from % hourMs)
  }
  const day = now - (now % dayMs)
  if (window === 'day') return day
  if (window === 'week') return day - ((day / dayMs + daysSinceMonday) % 7) * dayMs
  const date = new Date(now)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth())
}
