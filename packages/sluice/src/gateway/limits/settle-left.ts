import { nanoUsdOf } from '@sluice/contract'
import type { Limiter } from '../../ports/limiter.ts'
import type { LeftReservation, Store } from '../../ports/store.ts'
import { countsAttempt } from './claims.ts'
import { claimReserved } from './reserved-budget.ts'

/**
 * Has what killed processes had reserved from budgets settled with what their calls cost by the ledger. A limiter in a
 * process's own memory has forgotten it with the process.
 */
export function settleLeft(store: Pick<Store, 'settleLeft'>, limiter: Limiter): void {
  store.settleLeft(async (left) => {
    for (const each of left) await limiter.settleLeft?.(each.reservation.id, budgetsOf(each))
  })
}

function budgetsOf({ reservation, attempts }: LeftReservation) {
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
