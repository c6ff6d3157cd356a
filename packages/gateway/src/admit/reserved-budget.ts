import { nanoPerMicro } from '@sluice/contract'
import type { BudgetClaim } from '../ports/limiter.ts'
import type { ReservedBudget } from '../ports/store.ts'
import type { HolderClaim } from './claims.ts'

/** What a journal says of a claim. */
export function reservedOf({
  bucket,
  window,
  limit,
  amount,
  budget,
}: Extract<HolderClaim, { kind: 'budget' }>): ReservedBudget {
  const nano = amount % nanoPerMicro
  const model = budget?.model
  return {
    bucket,
    window,
    limit: limit / nanoPerMicro,
    amount: (amount - nano) / nanoPerMicro,
    ...(nano > 0 && { nano }),
    ...(model !== undefined && { model }),
  }
}

/** The claim that a journal says this of. */
export function claimReserved({
  bucket,
  window,
  limit,
  amount,
  nano = 0,
}: ReservedBudget): BudgetClaim {
  return {
    kind: 'budget',
    bucket,
    window,
    limit: limit * nanoPerMicro,
    amount: amount * nanoPerMicro + nano,
  }
}
