import { type Actual, type Claim, usedOf } from '@sluice/gateway/ports/limiter.ts'

/** Such a reservation is final, because requests are never given back. */
export function isRequests(claim: Claim): boolean {
  return claim.kind === 'rate' && claim.unit === 'requests'
}

/** Undoes a reservation; slots are released in any case. */
export function undoneAmount(claim: Claim): number {
  return claim.kind === 'concurrency' ? 0 : -claim.amount
}

/** What the budgets are charged if Redis has lost the reservation. */
export function chargesOf(claims: readonly Claim[], actual: Actual): readonly Claim[] {
  const uses = usedOf(claims, actual)
  return claims.flatMap((claim, index) =>
    claim.kind === 'budget' ? [{ ...claim, amount: uses[index] ?? claim.amount }] : [],
  )
}

/** What was used beyond the reserved amounts; negative if it was less. */
export function amountsBeyond(claims: readonly Claim[], actual: Actual): readonly number[] {
  const uses = usedOf(claims, actual)
  return claims.map((claim, index) => {
    const used = uses[index]
    return claim.kind === 'concurrency' || used === undefined ? 0 : used - claim.amount
  })
}
