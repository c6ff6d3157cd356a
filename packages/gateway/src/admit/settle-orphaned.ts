import { nanoUsdOf } from '@sluice/contract'
import type { Limiter } from '../ports/limiter.ts'
import type { OrphanedReservation, Store } from '../ports/store.ts'
import { countsAttempt } from './claims.ts'
import { claimReserved } from './reserved-budget.ts'

/**
 * Has what killed processes had reserved from budgets settled with what their calls cost by the ledger. A limiter in a
 * process's own memory has forgotten it with the process.
 */
export function settleOrphaned(store: Pick<Store, 'settleOrphaned'>, limiter: Limiter): void {
  store.settleOrphaned(async (orphaned) => {
    for (const each of orphaned)
      await limiter.settleOrphaned?.(each.reservation.id, budgetsOf(each))
  })
}

function budgetsOf({ reservation, attempts }: OrphanedReservation) {
  const charged = reservation.isAddition === true ? [] : attempts
  return reservation.budgets.map((reserved) => {
    const { model: pattern } = reserved
    const counted = charged.filter(
      (attempt) => pattern === undefined || countsAttempt(pattern, attempt),
    )
    const money = counted.reduce((sum, attempt) => sum + attempt.money, 0n)
    return { claim: claimReserved(reserved), nanoUsd: nanoUsdOf(money) }
  })
}
