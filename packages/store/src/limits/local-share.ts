import {
  type Actual,
  type BudgetClaim,
  type Claim,
  type Decision,
  type LimitStatus,
  type RateClaim,
  type Reservation,
  usedOf,
} from '@sluice/gateway/ports/limiter.ts'
import { createMemoryLimiter, type MemoryLimiter } from './memory-limiter.ts'

/** Budgets whose remaining amount is stored; the oldest is evicted first. */
const budgetsMax = 100_000

/**
 * What one of several processes may grant while the shared limiter is unreachable: its share of each rate, of the concurrency
 * slots, and of a budget's remaining amount when this process last saw it. An unseen budget grants nothing. In addition to
 * what was granted before, all processes together therefore grant at most another minute's rate at once and the rate after
 * that, the same number of slots again, and the remaining amount of each budget.
 */
export class LocalShare {
  readonly #processes: number
  readonly #remaining = new Map<string, number>()
  readonly #open = new Map<string, Reservation>()
  /** Budgets reserved from since the last reset. */
  readonly #reserved = new Map<string, BudgetClaim>()
  /** By bucket, so that a long time without the shared limiter needs no more room than a short one. */
  readonly #used = new Map<string, BudgetClaim | RateClaim>()
  #limiter: MemoryLimiter = createMemoryLimiter()

  constructor(processes: number) {
    this.#processes = processes
  }

  /** Stores the remaining amounts of budgets for all processes together, from their levels. */
  setRemaining(claims: readonly Claim[], levels: readonly LimitStatus[]): void {
    for (const [index, claim] of claims.entries()) {
      if (claim.kind !== 'budget') continue
      const name = nameOf(claim)
      if (this.#remaining.delete(name) === false && this.#remaining.size >= budgetsMax) {
        const [oldest] = this.#remaining.keys()
        if (oldest !== undefined) this.#remaining.delete(oldest)
      }
      this.#remaining.set(name, levels[index]?.remaining ?? 0)
    }
  }

  reserve(claims: readonly Claim[], leaseMs: number): Decision {
    const shares = claims.map((claim) => this.#shareOf(claim))
    const decision = this.#limiter.reserve(shares, leaseMs)
    if (decision instanceof Promise) throw new Error('Nothing is recalled here')
    if (decision.granted) {
      this.#open.set(decision.id, decision)
      for (const share of shares)
        if (share.kind === 'budget') this.#reserved.set(nameOf(share), share)
    }
    return { ...decision, claims }
  }

  has(id: string): boolean {
    return this.#open.has(id)
  }

  /**
   * Called when the shared limiter is reachable again. Grants start over the next time, except for budgets that are not seen
   * until then.
   */
  reset(): void {
    const shares = [...this.#reserved.values()]
    const levels = this.#limiter.look(shares)
    if (levels instanceof Promise) throw new Error('Nothing is recalled here')
    for (const [index, share] of shares.entries())
      this.#remaining.set(nameOf(share), (levels[index]?.remaining ?? 0) * this.#processes)
    this.#reserved.clear()
    this.#limiter = createMemoryLimiter()
  }

  /** Adds up the actual usage of a reservation made here. Returns false for other reservations. */
  settle({ id, claims }: Reservation, actual: Actual): boolean {
    const own = this.#open.get(id)
    if (!own) return false
    this.#open.delete(id)
    this.#limiter.settle(own, actual)
    const uses = usedOf(claims, actual)
    for (const [index, claim] of claims.entries()) {
      if (claim.kind === 'concurrency') continue
      const name = `${claim.kind}:${claim.kind === 'budget' ? nameOf(claim) : claim.bucket}`
      const before = this.#used.get(name)?.amount ?? 0
      this.#used.set(name, { ...claim, amount: before + (uses[index] ?? claim.amount) })
    }
    return true
  }

  /** What settled reservations used since the last time, one claim for each bucket. */
  takeUsed(): readonly Claim[] {
    const used = [...this.#used.values()]
    this.#used.clear()
    return used
  }

  #shareOf(claim: Claim): Claim {
    const remaining =
      claim.kind === 'budget' ? (this.#remaining.get(nameOf(claim)) ?? 0) : claim.limit
    return { ...claim, limit: Math.floor(remaining / this.#processes) }
  }
}

function nameOf({ bucket, window }: BudgetClaim): string {
  return `${window}:${bucket}`
}
