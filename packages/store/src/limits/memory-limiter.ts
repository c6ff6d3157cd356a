import { randomBytes } from 'node:crypto'
import {
  type Actual,
  type BudgetClaim,
  type Claim,
  type Decision,
  type LimitStatus,
  type Limiter,
  type Recall,
  type Reservation,
  type Spent,
  usedOf,
} from '@sluice/gateway/ports/limiter.ts'
import { type BudgetBucket, Budgets } from './budgets.ts'
import { SlotLeases } from './slots.ts'
import { Rates } from './rates.ts'
import { ByBucket, type GrantedLoan, type LoanUse } from './loans.ts'
import { Recalls } from './recalls.ts'

export interface MemoryLimiterOptions {
  /** A monotonic clock in milliseconds, for rates and leases. Default: `performance.now`. */
  readonly now?: () => number
  /** Milliseconds since the epoch, for budget windows. Default: `Date.now`. */
  readonly date?: () => number
  /**
   * Maximum number of rate buckets and of budget buckets. Full rate buckets are evicted first, then the least recently used.
   * Default 100,000.
   */
  readonly bucketsMax?: number
  /** Maximum number of open reservations; beyond it, some are settled as fully used. Default 100,000. */
  readonly reservationsMax?: number
  /** Reads what was spent of a budget in its current window. Called before reserving from an unknown budget. */
  readonly recall?: Recall
}

/** Keeps everything in this process's memory. Asynchronous only if a budget must be recalled. */
export function createMemoryLimiter(options: MemoryLimiterOptions = {}): MemoryLimiter {
  return new MemoryLimiter(options)
}

class OwnReservation implements Reservation {
  readonly granted = true
  readonly id: string
  readonly claims: readonly Claim[]
  readonly levels: readonly LimitStatus[]
  /** Milliseconds since the epoch; 0 if no budget needs it. */
  readonly at: number
  readonly slot: number

  constructor({ id, claims, levels }: Omit<Reservation, 'granted'>, at: number, slot: number) {
    this.id = id
    this.claims = claims
    this.levels = levels
    this.at = at
    this.slot = slot
  }
}

/** Now, by both clocks. */
interface Moment {
  readonly time: number
  readonly date: number
}

type LentLevel = Pick<GrantedLoan, 'remaining' | 'until'>

/** One entry per claim; undefined for those of other kinds and for unknown budgets. */
type Buckets = (BudgetBucket | undefined)[]

export class MemoryLimiter implements Limiter {
  readonly #now: () => number
  readonly #date: () => number
  readonly #recalls: Recalls | undefined
  readonly #reservationsMax: number
  readonly #rates: Rates
  readonly #slots = new SlotLeases()
  readonly #budgets: Budgets
  /** Of buckets of which something is lent to other processes. */
  readonly #lent = new ByBucket<number>()
  // An array: its garbage dies young, unlike that of a Map that grows and shrinks.
  readonly #open: (OwnReservation | undefined)[] = []
  readonly #free: number[] = []
  readonly #process = randomBytes(6).toString('base64url')
  #count = 0

  constructor({ now, date, recall, bucketsMax, reservationsMax }: MemoryLimiterOptions) {
    this.#now = now ?? (() => performance.now())
    this.#date = date ?? Date.now
    this.#recalls = recall && new Recalls(recall, (claim, spent) => this.seed(claim, spent))
    this.#reservationsMax = reservationsMax ?? 100_000
    this.#rates = new Rates(bucketsMax ?? 100_000)
    this.#budgets = new Budgets(bucketsMax ?? 100_000)
  }

  reserve(claims: readonly Claim[], leaseMs: number): Decision | Promise<Decision> {
    const now: Moment = { time: this.#now(), date: this.#dateFor(claims) }
    const { time, date } = now
    const buckets = this.#find(claims, date)
    if (buckets instanceof Promise) return buckets.then(() => this.reserve(claims, leaseMs))
    let retryAfterMs = 0
    let refused = -1
    let mayReturn = true
    for (let index = 0; index < claims.length; index++) {
      const claim = claims[index]
      const waitMs = claim === undefined ? 0 : this.#wait(claim, buckets[index], now)
      if (claim && waitMs > 0) mayReturn &&= this.#mayReturn(claim, buckets[index])
      if (waitMs <= retryAfterMs) continue
      retryAfterMs = waitMs
      refused = index
    }
    if (refused >= 0) {
      const levels = this.#levels(claims, buckets, now)
      return { granted: false, claims, levels, refused, retryAfterMs, mayReturn }
    }
    const slot = this.#freeSlot()
    this.#count += 1
    const id = `${this.#process}.${slot}.${this.#count}`
    for (let index = 0; index < claims.length; index++) {
      const claim = claims[index]
      if (claim?.kind === 'rate') this.#rates.take(claim, claim.amount, time)
      else if (claim?.kind === 'concurrency') this.#slots.take(claim, id, time + leaseMs)
      else if (claim) buckets[index] = this.#budgets.take(claim, buckets[index], date)
    }
    const levels = this.#levels(claims, buckets, now)
    const reservation = new OwnReservation({ id, claims, levels }, date, slot)
    this.#open[slot] = reservation
    return reservation
  }

  settle(settled: Reservation, actual: Actual): void {
    const { id } = settled
    const slot = settled instanceof OwnReservation ? settled.slot : this.#slotOf(id)
    const reservation = this.#open[slot]
    if (reservation?.id !== id) return
    this.#open[slot] = undefined
    this.#free.push(slot)
    const { claims, at } = reservation
    const uses = usedOf(claims, actual)
    for (let index = 0; index < claims.length; index++) {
      const claim = claims[index]
      if (!claim) continue
      if (claim.kind === 'concurrency') {
        this.#slots.release(claim, id)
        continue
      }
      const beyond = (uses[index] ?? claim.amount) - claim.amount
      if (claim.kind === 'budget') this.#budgets.settle(claim, beyond, { at, date: this.#date() })
      else if (beyond !== 0) this.#rates.take(claim, beyond, this.#now())
    }
  }

  renew({ id }: Reservation, leaseMs: number): void {
    const until = this.#now() + leaseMs
    const reservation = this.#open[this.#slotOf(id)]
    if (reservation?.id !== id) return
    for (const claim of reservation.claims)
      if (claim.kind === 'concurrency') this.#slots.take(claim, id, until)
  }

  look(claims: readonly Claim[]): readonly LimitStatus[] | Promise<readonly LimitStatus[]> {
    const date = this.#dateFor(claims)
    const buckets = this.#find(claims, date)
    if (buckets instanceof Promise) return buckets.then(() => this.look(claims))
    return this.#levels(claims, buckets, { time: this.#now(), date })
  }

  seed(claim: BudgetClaim, spent: readonly Spent[]): void {
    const date = this.#date()
    if (!this.#budgets.find(claim, date)) this.#budgets.put(claim, spent, date)
  }

  /** The level of a bucket, beside what is lent of it; undefined for a budget that is not known (any more). */
  free(claim: Claim): LentLevel | undefined {
    const now: Moment = { time: this.#now(), date: this.#date() }
    const bucket = claim.kind === 'budget' ? this.#budgets.find(claim, now.date) : undefined
    if (claim.kind === 'budget' && !bucket) return undefined
    const [level] = this.#levels([claim], [bucket], now)
    if (!level) return undefined
    const { remaining, resetMs } = level
    const until = claim.kind === 'rate' ? this.#rates.fullAt(claim, now.time) : now.date + resetMs
    return { remaining, until: Number.isFinite(until) ? until : null }
  }

  /** Sets so much of a bucket aside for another process. */
  lend(claim: Claim, amount: number): void {
    const lent = this.#lentOf(claim) + amount
    if (lent === 0) this.#lent.delete(claim)
    else this.#lent.set(claim, lent)
  }

  /** Counts what another process has used of what was lent. */
  used({ claim, shrinks, taken = [], spent = [] }: LoanUse): void {
    this.lend(claim, -shrinks)
    const time = this.#now()
    if (claim.kind === 'rate')
      for (const [amount, at] of taken)
        this.#rates.take(claim, amount, amount < 0 ? time : Math.min(at, time))
    if (claim.kind === 'budget')
      for (const one of spent) this.#budgets.spend(claim, one, this.#date())
  }

  /** Counts a loan as used whose process has ended. Slots of concurrent requests are free again. */
  lost(claim: Claim, amount: number): void {
    const spent = [{ at: this.#date(), nanoUsd: amount, reserved: 0 }]
    this.used({ claim, shrinks: amount, taken: [[amount, this.#now()]], spent })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#lent.clear()
    this.#rates.clear()
    this.#slots.clear()
    this.#budgets.clear()
    this.#open.length = 0
    this.#free.length = 0
  }

  /** Returns a promise if a budget is unknown and must be recalled. */
  #find(claims: readonly Claim[], date: number): Buckets | Promise<void> {
    const buckets: Buckets = []
    for (const claim of claims) {
      const bucket = claim.kind === 'budget' ? this.#budgets.find(claim, date) : undefined
      if (!bucket && claim.kind === 'budget' && this.#recalls) return this.#recalls.read(claim)
      buckets.push(bucket)
    }
    return buckets
  }

  #dateFor(claims: readonly Claim[]): number {
    for (const { kind } of claims) if (kind === 'budget') return this.#date()
    return 0
  }

  #wait(claim: Claim, bucket: BudgetBucket | undefined, { time, date }: Moment): number {
    const lent = this.#lentOf(claim)
    if (claim.kind === 'rate') return this.#rates.wait(claim, time, lent)
    if (claim.kind === 'concurrency') return this.#slots.wait(claim, time, lent)
    return this.#budgets.wait(claim, bucket, { date, lent })
  }

  #lentOf(claim: Claim): number {
    return this.#lent.size === 0 ? 0 : (this.#lent.get(claim) ?? 0)
  }

  #mayReturn(claim: Claim, bucket: BudgetBucket | undefined): boolean {
    return claim.kind === 'budget' && bucket !== undefined && this.#budgets.mayReturn(claim, bucket)
  }

  #levels(
    claims: readonly Claim[],
    buckets: Buckets,
    { time, date }: Moment,
  ): readonly LimitStatus[] {
    return claims.map((claim, index) => {
      const level =
        claim.kind === 'rate'
          ? this.#rates.level(claim, time)
          : claim.kind === 'concurrency'
            ? this.#slots.level(claim, time)
            : this.#budgets.level(claim, buckets[index], date)
      const lent = this.#lentOf(claim)
      return lent === 0 ? level : { ...level, remaining: Math.max(0, level.remaining - lent) }
    })
  }

  /** If there is no room, settles another reservation as fully used and reuses its slot. */
  #freeSlot(): number {
    if (this.#free.length === 0 && this.#open.length >= this.#reservationsMax) {
      const old = this.#open[this.#count % this.#reservationsMax]
      if (old) this.settle(old, {})
    }
    return this.#free.pop() ?? this.#open.length
  }

  #slotOf(id: string): number {
    const start = this.#process.length + 1
    return Number(id.slice(start, id.indexOf('.', start)))
  }
}
