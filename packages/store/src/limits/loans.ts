import type { BudgetWindow, Claim } from '@sluice/gateway/ports/limiter.ts'

/**
 * A loan is room of a bucket that the process with the limits has set aside for another one, which grants claims from it without
 * asking. It is neither used nor free. What is used of it is told later, and counts as used later than it was: room is never
 * given twice.
 */

/** What a process has done with a bucket since it last told. */
export interface LoanUse {
  /** The bucket, with an amount of 0. */
  readonly claim: Claim
  /** By how much the loan has become smaller, in units of the claim: used or given back. Negative if used reservations came back. */
  readonly shrinks: number
  /** Of a rate: amounts with the time when they were taken or, if negative, given back. */
  readonly taken?: readonly Taken[]
  /** Of a budget: one entry for each slot of its window. */
  readonly spent?: readonly SpentOfLoan[]
}

/** `at` is in milliseconds of the limiter's monotonic clock, which all processes of a machine share. */
export type Taken = readonly [amount: number, at: number]

export interface SpentOfLoan {
  /** When it was reserved, in milliseconds since the epoch. */
  readonly at: number
  /** By how much more is used, reservations included. */
  readonly nanoUsd: number
  /** By how much more of it is reserved. */
  readonly reserved: number
}

/** What a process would like to borrow of a bucket. */
export interface LoanWish {
  /** The bucket, with the amount of one claim. */
  readonly claim: Claim
  readonly amount: number
  /** What it has left of its loan. */
  readonly left: number
}

/** A loan that was granted, in addition to what the process has of it, and the level of the bucket without what is lent. */
export interface GrantedLoan {
  readonly claim: Claim
  readonly amount: number
  readonly remaining: number
  /** When the bucket is full or its window ends, by the clock of its kind; null for never, as JSON has no Infinity. */
  readonly until: number | null
}

/** Milliseconds of a monotonic clock that is the same in all processes of this machine. */
export function machineTime(): number {
  const [seconds, nanoseconds] = process.hrtime()
  return seconds * 1_000 + nanoseconds / 1e6
}

/** The amount of a claim; a slot is one. */
export function amountOf(claim: Claim): number {
  return claim.kind === 'concurrency' ? 1 : claim.amount
}

/** The claim with what names its bucket only, and this amount. */
export function plainClaim(claim: Claim, amount: number): Claim {
  const { bucket, limit } = claim
  if (claim.kind === 'concurrency') return { kind: claim.kind, bucket, limit }
  if (claim.kind === 'budget')
    return { kind: claim.kind, bucket, limit, amount, window: claim.window }
  return { kind: claim.kind, bucket, limit, amount, unit: claim.unit }
}

/** A value for each bucket. Buckets of different kinds or windows may have the same name. */
export class ByBucket<Value> {
  readonly #groups = new Map<Claim['kind'] | BudgetWindow, Map<string, Value>>()
  #size = 0

  get size(): number {
    return this.#size
  }

  get(claim: Claim): Value | undefined {
    return this.#groups.get(groupOf(claim))?.get(claim.bucket)
  }

  set(claim: Claim, value: Value): void {
    const name = groupOf(claim)
    const group = this.#groups.get(name) ?? new Map<string, Value>()
    this.#groups.set(name, group)
    if (!group.has(claim.bucket)) this.#size += 1
    group.set(claim.bucket, value)
  }

  delete(claim: Claim): void {
    if (this.#groups.get(groupOf(claim))?.delete(claim.bucket) === true) this.#size -= 1
  }

  clear(): void {
    this.#groups.clear()
    this.#size = 0
  }

  *values(): Generator<Value> {
    for (const group of this.#groups.values()) yield* group.values()
  }
}

function groupOf(claim: Claim): Claim['kind'] | BudgetWindow {
  return claim.kind === 'budget' ? claim.window : claim.kind
}
