import type {
  BudgetClaim,
  BudgetWindow,
  LimitStatus,
  Spent,
} from '@sluice/gateway/ports/limiter.ts'
import { endOfSlot, slotOf } from '@sluice/gateway/accounts/budget-windows.ts'
import type { SpentOfLoan } from './loans.ts'

/** Spending per budget and slot, reservations included. */
export class Budgets {
  readonly #byWindow = new Map<BudgetWindow, Map<string, BudgetBucket>>()
  #count = 0
  readonly #bucketsMax: number

  constructor(bucketsMax: number) {
    this.#bucketsMax = bucketsMax
  }

  /** The bucket of a claim, without the slots that no longer count; undefined if it is unknown. */
  find({ window, bucket }: BudgetClaim, date: number): BudgetBucket | undefined {
    const known = this.#byWindow.get(window)?.get(bucket)
    known?.expire(date)
    return known
  }

  /**
   * Milliseconds until the claim can be granted beside what is lent; 0 if now, Infinity if never. `known` is what `find`
   * returned.
   */
  wait(
    { limit, amount, window }: BudgetClaim,
    known: BudgetBucket | undefined,
    { date, lent }: { readonly date: number; readonly lent: number },
  ): number {
    let excess = (known?.total ?? 0) + lent + amount - limit
    if (excess <= 0) return 0
    for (const [slot, used] of known?.slots ?? []) {
      excess -= used
      if (excess <= 0) return Math.max(1, endOfSlot(window, slot) - date)
    }
    return Infinity
  }

  /** Adds the claimed amount now. Returns the bucket, which is known from then on. */
  take(claim: BudgetClaim, known: BudgetBucket | undefined, date: number): BudgetBucket {
    const taken = known ?? this.#open(claim)
    taken.add(slotOf(claim.window, date), claim.amount)
    taken.reserved += claim.amount
    // Moves used buckets to the end when eviction is near, so that buckets with open reservations are not evicted.
    if (this.#count < this.#bucketsMax / 2) return taken
    const buckets = this.#byWindow.get(claim.window)
    // Another claim of the same reservation may have had it dropped meanwhile.
    if (buckets?.delete(claim.bucket) === false) this.#count += 1
    buckets?.set(claim.bucket, taken)
    return taken
  }

  /** Sets what was spent and when. The bucket is known from then on. */
  put(claim: BudgetClaim, spent: readonly Spent[], date: number): void {
    const opened = this.#open(claim)
    const inTime = [...spent, { at: date, nanoUsd: 0 }].toSorted((one, other) => one.at - other.at)
    for (const { at, nanoUsd } of inTime) opened.add(slotOf(claim.window, at), nanoUsd)
    opened.expire(date)
  }

  /** Settles a reservation of a date with so much more; changes no spending if that date no longer counts. */
  settle(claim: BudgetClaim, beyond: number, { at, date }: { at: number; date: number }): void {
    const known = this.find(claim, date)
    if (!known) return
    known.reserved = Math.max(0, known.reserved - claim.amount)
    const slot = slotOf(claim.window, at)
    if (beyond !== 0 && known.slots.has(slot)) known.add(slot, beyond)
  }

  /** Adds what another process has spent of it, unless that no longer counts. */
  spend(claim: BudgetClaim, { at, nanoUsd, reserved }: SpentOfLoan, date: number): void {
    const { window } = claim
    const known = this.find(claim, date)
    if (!known) return
    known.reserved = Math.max(0, known.reserved + reserved)
    const slot = slotOf(window, at)
    if (known.slots.has(slot)) known.add(slot, nanoUsd)
    // Slots are in order of time: what was spent a moment ago, in a slot that nobody else used, counts from now.
    else if (endOfSlot(window, slot) > date) known.add(slotOf(window, date), nanoUsd)
  }

  /** Whether a claim would be granted if all that is reserved came back. */
  mayReturn({ limit, amount }: BudgetClaim, { total, reserved }: BudgetBucket): boolean {
    return total - reserved + amount <= limit
  }

  level(
    { limit, window }: BudgetClaim,
    known: BudgetBucket | undefined,
    date: number,
  ): LimitStatus {
    const isEmpty = known === undefined || known.slots.size === 0
    const end = isEmpty ? endOfSlot(window, slotOf(window, date)) : known.until
    return {
      limit,
      remaining: Math.max(0, limit - (known?.total ?? 0)),
      resetMs: typeof window === 'number' && isEmpty ? 0 : end - date,
    }
  }

  clear(): void {
    this.#byWindow.clear()
    this.#count = 0
  }

  #open({ window, bucket }: BudgetClaim): BudgetBucket {
    let buckets = this.#byWindow.get(window)
    if (!buckets) {
      buckets = new Map()
      this.#byWindow.set(window, buckets)
    }
    if (this.#count >= this.#bucketsMax) this.#dropOldest(buckets)
    if (!buckets.has(bucket)) this.#count += 1
    const opened = new BudgetBucket(window)
    buckets.set(bucket, opened)
    return opened
  }

  /** Drops the least recently used bucket of these, or of another window if there are none. */
  #dropOldest(wanted: Map<string, BudgetBucket>): void {
    const others = this.#byWindow.values().find(({ size }) => size > 0)
    const buckets = wanted.size > 0 ? wanted : others
    const [oldest] = buckets?.keys() ?? []
    if (oldest !== undefined && buckets?.delete(oldest) === true) this.#count -= 1
  }
}

/** What was spent of one budget. */
export class BudgetBucket {
  /** In order of time. */
  readonly slots = new Map<number, number>()
  /** The sum of all slots. */
  total = 0
  /** The part of it that is reserved and not settled. */
  reserved = 0
  /** When the oldest slot stops counting; Infinity if there is none. */
  until = Infinity
  readonly #window: BudgetWindow

  constructor(window: BudgetWindow) {
    this.#window = window
  }

  add(slot: number, amount: number): void {
    this.slots.set(slot, (this.slots.get(slot) ?? 0) + amount)
    this.total += amount
    if (this.slots.size === 1) this.until = endOfSlot(this.#window, slot)
  }

  /** Removes the slots that no longer count. */
  expire(date: number): void {
    if (date < this.until) return
    this.until = Infinity
    for (const [slot, used] of this.slots) {
      const end = endOfSlot(this.#window, slot)
      if (end > date) {
        this.until = end
        return
      }
      this.slots.delete(slot)
      this.total -= used
    }
  }
}
