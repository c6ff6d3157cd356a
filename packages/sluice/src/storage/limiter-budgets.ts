import type { BudgetClaim, Level, Spent } from '../ports/limiter.ts'
import { endOfSlot, slotOf } from './budget-windows.ts'

/** Spending per budget and slot, reservations included. */
export class Budgets {
  /** Slots in order of time. */
  readonly #used = new Map<string, Map<number, number>>()
  readonly #bucketsMax: number

  constructor(bucketsMax: number) {
    this.#bucketsMax = bucketsMax
  }

  isKnown(claim: BudgetClaim): boolean {
    return this.#used.has(nameOf(claim))
  }

  /** Milliseconds until the claim can be granted; 0 if now, Infinity if never. */
  wait(claim: BudgetClaim, date: number): number {
    const { limit, amount, window } = claim
    const slots = this.#current(claim, date)
    let excess = sum(slots) + amount - limit
    if (excess <= 0) return 0
    for (const [slot, used] of slots ?? []) {
      excess -= used
      if (excess <= 0) return Math.max(1, endOfSlot(window, slot) - date)
    }
    return Infinity
  }

  /** Adds spending now. A bucket that was unknown is known from then on. */
  take(claim: BudgetClaim, amount: number, date: number): void {
    const slots = this.#current(claim, date) ?? this.#open(claim)
    add(slots, slotOf(claim.window, date), amount)
    // Moves used buckets to the end when eviction is near, so that buckets with open reservations are not evicted.
    if (this.#used.size < this.#bucketsMax / 2) return
    const name = nameOf(claim)
    this.#used.delete(name)
    this.#used.set(name, slots)
  }

  /** Sets what was spent and when. The bucket is known from then on. */
  put(claim: BudgetClaim, spent: readonly Spent[], date: number): void {
    const slots = this.#open(claim)
    const inTime = [...spent, { at: date, microUsd: 0 }].toSorted((one, other) => one.at - other.at)
    for (const { at, microUsd } of inTime) add(slots, slotOf(claim.window, at), microUsd)
    this.#current(claim, date)
  }

  /** Corrects spending at a date; does nothing if that date no longer counts. */
  correct(claim: BudgetClaim, amount: number, { at, date }: { at: number; date: number }): void {
    const slots = this.#current(claim, date)
    const slot = slotOf(claim.window, at)
    if (slots?.has(slot) === true) add(slots, slot, amount)
  }

  level(claim: BudgetClaim, date: number): Level {
    const { limit, window } = claim
    const slots = this.#current(claim, date)
    const [oldest] = slots?.keys() ?? []
    const end = endOfSlot(window, oldest ?? slotOf(window, date))
    return {
      limit,
      remaining: Math.max(0, limit - sum(slots)),
      resetMs: typeof window === 'number' && oldest === undefined ? 0 : end - date,
    }
  }

  clear(): void {
    this.#used.clear()
  }

  /** The slots that still count; removes the others. */
  #current(claim: BudgetClaim, date: number): Map<number, number> | undefined {
    const slots = this.#used.get(nameOf(claim))
    if (slots)
      for (const slot of slots.keys()) {
        if (endOfSlot(claim.window, slot) > date) break
        slots.delete(slot)
      }
    return slots
  }

  #open(claim: BudgetClaim): Map<number, number> {
    const slots = new Map<number, number>()
    const [oldest] = this.#used.keys()
    if (this.#used.size >= this.#bucketsMax && oldest !== undefined) this.#used.delete(oldest)
    this.#used.set(nameOf(claim), slots)
    return slots
  }
}

function nameOf({ window, bucket }: BudgetClaim): string {
  return `${window}:${bucket}`
}

function sum(slots: Map<number, number> | undefined): number {
  let total = 0
  if (slots) for (const used of slots.values()) total += used
  return total
}

function add(slots: Map<number, number>, slot: number, amount: number): void {
  slots.set(slot, (slots.get(slot) ?? 0) + amount)
}
