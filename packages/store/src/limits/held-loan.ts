import { slotOf } from '@sluice/gateway/accounts/budget-windows.ts'
import type { BudgetClaim, Claim, LimitStatus, RateClaim } from '@sluice/gateway/ports/limiter.ts'
import {
  amountOf,
  type GrantedLoan,
  type LoanUse,
  type LoanWish,
  plainClaim,
  type SpentOfLoan,
} from './loans.ts'
import { minuteMs, rateLevel } from './rates.ts'

/** Now, by both clocks. */
export interface Moment {
  readonly time: number
  readonly date: number
}

/** A loan is for so many intervals of the current demand, and is renewed when half of it is left. */
const intervalsPerLoan = 4
/** The fewest claims in an interval for which borrowing is worth a message. */
const callsMin = 3

/** What this process has borrowed of one bucket, and what it has done with it. */
export abstract class HeldLoan {
  /** The bucket, with an amount of 0. */
  readonly claim: Claim
  /** What may be granted. Negative if calls have used more than they had reserved. */
  left = 0
  /** What was claimed since demand was last reckoned, wherever it was granted, and how often. */
  claimed = 0
  calls = 0
  /** The amount last claimed. */
  amount = 0
  /** What is claimed in one interval. */
  demand = 0
  /** Intervals in a row in which nothing was claimed. */
  idle = 0
  /** Reservations of it that are not settled. */
  open = 0
  /** Whether a wish for it is under way. */
  isWished = false
  /** Whether it has to be given back: what settles goes back at once. */
  isCalledIn = false
  /** By how much the loan has become smaller since the last time this was told. */
  protected untold = 0

  constructor(claim: Claim) {
    this.claim = plainClaim(claim, 0)
  }

  /** Whether a claim has the limit of this loan. Limits of a bucket change with settings and keys. */
  isOf({ limit }: Claim): boolean {
    return limit === this.claim.limit
  }

  covers(claim: Claim): boolean {
    return this.left > 0 && this.left >= amountOf(claim) && this.isOf(claim)
  }

  count(claim: Claim): void {
    this.amount = amountOf(claim)
    this.claimed += this.amount
    this.calls += 1
  }

  /** At the end of an interval. */
  reckon(): void {
    const now = this.calls < callsMin ? 0 : this.claimed
    this.demand = Math.max(now, Math.floor(this.demand / 2))
    this.idle = this.calls === 0 ? this.idle + 1 : 0
    this.claimed = 0
    this.calls = 0
    // One that was not granted may be by now.
    this.isWished = false
  }

  /** What to borrow in addition; undefined if nothing. */
  wish(): LoanWish | undefined {
    if (this.isWished || (this.calls < callsMin && this.demand === 0)) return undefined
    const amount = intervalsPerLoan * Math.max(this.claimed, this.demand)
    if (this.left >= amount / 2) return undefined
    this.isWished = true
    const left = Math.max(0, this.left)
    return { claim: plainClaim(this.claim, this.amount), amount: amount - left, left }
  }

  /** Whether what there is to tell cannot wait until the end of the interval: it is, or takes, room of others. */
  get isDue(): boolean {
    return this.isCalledIn || this.left < 0
  }

  add({ amount, remaining, until }: GrantedLoan): void {
    this.left += amount
    this.isWished = false
    this.isCalledIn = false
    this.learn(remaining, until ?? Infinity)
  }

  /** What there is to tell; undefined if nothing. Keeps `rest` of what is left. */
  tell(rest: number, now: Moment): LoanUse | undefined {
    const shrinks = this.untold + this.left - rest
    this.left = rest
    this.untold = 0
    const told = this.told(now)
    return told || shrinks !== 0 ? { claim: this.claim, shrinks, ...told } : undefined
  }

  /** Takes what the claim asks for, which the loan covers. */
  abstract take(amount: number, now: Moment): void
  /** Replaces an amount, taken at a date, by what was used of it. */
  abstract settle(amount: number, used: number, at: number, now: Moment): void
  abstract level(now: Moment): LimitStatus
  protected abstract learn(remaining: number, until: number): void
  protected abstract told(now: Moment): Pick<LoanUse, 'taken' | 'spent'> | undefined
}

/** Amounts taken within this time are told as one, as if all were taken at its end, in milliseconds. */
const togetherMs = 1

interface TakenTogether {
  amount: number
  at: number
  /** When a bucket that was full before is full again. */
  fullAt: number
}

class RateLoan extends HeldLoan {
  readonly #unitMs: number
  #taken: TakenTogether[] = []
  /** Reserved and not used. It is no part of the loan: a bucket that is full meanwhile takes nothing back. */
  #back = 0
  #fullAt = 0

  constructor(claim: RateClaim) {
    super(claim)
    this.#unitMs = minuteMs / claim.limit
  }

  take(amount: number, { time }: Moment): void {
    this.left -= amount
    this.untold += amount
    this.#use(amount, time)
  }

  settle(amount: number, used: number, _at: number, { time }: Moment): void {
    if (used > amount) this.#use(used - amount, time)
    else {
      this.#back += amount - used
      this.#fullAt -= (amount - used) * this.#unitMs
    }
  }

  level({ time }: Moment): LimitStatus {
    return rateLevel(this.claim.limit, Math.max(0, this.#fullAt - time))
  }

  protected learn(_remaining: number, until: number): void {
    this.#fullAt = until
    for (const { amount, at } of this.#taken)
      this.#fullAt = Math.max(this.#fullAt, at) + amount * this.#unitMs
  }

  protected told({ time }: Moment): Pick<LoanUse, 'taken'> | undefined {
    const taken: [number, number][] = this.#taken.map(({ amount, at }) => [amount, at])
    if (this.#back > 0) taken.push([-this.#back, time])
    this.#taken = []
    this.#back = 0
    return taken.length === 0 ? undefined : { taken }
  }

  /** Told with the time of its beginning while a bucket that was full then is not full again; this never refills it too soon. */
  #use(amount: number, time: number): void {
    const unitsMs = amount * this.#unitMs
    this.#fullAt = Math.max(this.#fullAt, time) + unitsMs
    const last = this.#taken.at(-1)
    if (last && time <= last.fullAt) {
      last.amount += amount
      last.fullAt += unitsMs
    } else if (last && time < last.at + togetherMs) {
      last.amount += amount
      last.at = time
      last.fullAt = time + last.amount * this.#unitMs
    } else this.#taken.push({ amount, at: time, fullAt: time + unitsMs })
  }
}

interface Spending {
  slot: number
  at: number
  nanoUsd: number
  reserved: number
}

class BudgetLoan extends HeldLoan {
  readonly #window: BudgetClaim['window']
  #spent: Spending[] = []
  #room = 0
  #until = Infinity

  constructor(claim: BudgetClaim) {
    super(claim)
    this.#window = claim.window
  }

  take(amount: number, { date }: Moment): void {
    this.left -= amount
    this.untold += amount
    const spending = this.#spendingAt(date)
    spending.nanoUsd += amount
    spending.reserved += amount
  }

  settle(amount: number, used: number, at: number, { date }: Moment): void {
    const spending = this.#spendingAt(at)
    spending.nanoUsd += used - amount
    spending.reserved -= amount
    // What comes back of a slot before is no room of this one.
    if (slotOf(this.#window, date) !== spending.slot) return
    this.left -= used - amount
    this.untold += used - amount
  }

  level({ date }: Moment): LimitStatus {
    const { limit } = this.claim
    const remaining = Math.max(0, this.#room + this.left)
    return { limit, remaining, resetMs: Math.max(0, this.#until - date) }
  }

  protected learn(remaining: number, until: number): void {
    this.#room = remaining
    this.#until = until
  }

  protected told(): Pick<LoanUse, 'spent'> | undefined {
    if (this.#spent.length === 0) return undefined
    const spent: SpentOfLoan[] = this.#spent.map(({ at, nanoUsd, reserved }) => ({
      at,
      nanoUsd,
      reserved,
    }))
    this.#spent = []
    return { spent }
  }

  #spendingAt(at: number): Spending {
    const slot = slotOf(this.#window, at)
    let found = this.#spent.find((one) => one.slot === slot)
    if (!found) {
      found = { slot, at, nanoUsd: 0, reserved: 0 }
      this.#spent.push(found)
    }
    return found
  }
}

class SlotLoan extends HeldLoan {
  #room = 0

  take(): void {
    this.left -= 1
  }

  settle(): void {
    this.left += 1
  }

  level(): LimitStatus {
    return { limit: this.claim.limit, remaining: Math.max(0, this.#room + this.left), resetMs: 0 }
  }

  protected learn(remaining: number): void {
    this.#room = remaining
  }

  protected told(): undefined {
    return undefined
  }
}

export function newLoan(claim: Claim): HeldLoan {
  if (claim.kind === 'rate') return new RateLoan(claim)
  return claim.kind === 'budget' ? new BudgetLoan(claim) : new SlotLoan(claim)
}
