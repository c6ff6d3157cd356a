/**
 * What calls may take, in buckets by name. All that a call needs is reserved in one step before an upstream is asked, and
 * settled once when the call has ended. Whatever keeps the buckets, this is promised:
 *
 * - `reserve` grants all claims or takes nothing. Of many who ask at once so many are granted as there is room for.
 * - **rate**, with L for `limit`: a bucket holds L and refills at L per minute, without steps. An unknown bucket is full. A
 *   full bucket grants exactly L at once; any window of t milliseconds at most L × (1 + t / 60,000): L per minute in the long
 *   run, and up to 2 L in the first minute after a minute of rest. What settling takes beyond what was reserved comes on top
 *   once: the bucket may go into debt, and grants nothing until that has flowed in. What settling gives back never makes it
 *   more than full. Another limit for the same bucket holds from then on; the part that was empty stays empty.
 * - **concurrency**: at most `limit` reservations hold a place at a time. A place is free when its reservation is settled, or
 *   when the lease ran out: so what a killed process held comes back. A late `renew` takes the place again even where there
 *   is none, because the call does go on.
 * - **budget**: spent + reserved + amount ≤ limit, within the window at the time of the reservation. Settling turns what was
 *   reserved into what was spent, whatever it was: the next reservation sees it. A lease that ran out leaves the reserved
 *   amount spent, until a late settlement says what it really was. Calendar windows are those of UTC, weeks begin on Monday. A
 *   rolling window of N hours never admits more than the limit in any N hours; money comes back up to N / 60 hours later.
 * - A reservation is settled once: whoever settles its id again, or one that the limiter has forgotten, changes nothing.
 * - After `retryAfterMs` the claim that was refused is granted, unless another caller took it or a place was not given back.
 *
 * packages/sluice/test/contract/limiter.ts holds every implementation to it.
 */
export interface Limiter extends AsyncDisposable {
  /**
   * Reserves what one call may take, or says why not. `leaseMs` is how long it is held without `renew`. A bucket stands once in
   * `claims`. An implementation that need not wait answers at once, so that no promise is made per call.
   */
  reserve(claims: readonly Claim[], leaseMs: number): Decision | Promise<Decision>
  /** The call has ended: takes what it has really used in place of what was reserved. */
  settle(reservation: Reservation, actual: Actual): void | Promise<void>
  /** Holds the reservation for another `leaseMs` from now on. Nothing happens to one that was settled. */
  renew(reservation: Reservation, leaseMs: number): void | Promise<void>
  /** What is left of each claim's bucket, in their order. Takes nothing. */
  look(claims: readonly Claim[]): readonly Level[] | Promise<readonly Level[]>
  /** Says what was spent of a budget in its present window, where the limiter does not know the bucket (any more). */
  seed(claim: BudgetClaim, spent: readonly Spent[]): void | Promise<void>
}

/** What was spent of a budget. */
export interface Spent {
  /** Milliseconds since the epoch. What is in no present window any more does not count. */
  readonly at: number
  readonly microUsd: number
}

/** Finds out what was spent of a budget that a limiter does not know (any more). */
export type Recall = (claim: BudgetClaim) => readonly Spent[] | Promise<readonly Spent[]>

export type Claim = RateClaim | ConcurrencyClaim | BudgetClaim

/** Which kind of limit has refused a request. */
export type RefusingLimit = RateClaim['unit'] | 'concurrency' | 'budget'

export interface RateClaim {
  readonly kind: 'rate'
  readonly bucket: string
  readonly unit: 'requests' | 'tokens'
  /** Per minute. */
  readonly limit: number
  /** An amount above the limit is never granted. */
  readonly amount: number
}

/** One place. */
export interface ConcurrencyClaim {
  readonly kind: 'concurrency'
  readonly bucket: string
  readonly limit: number
}

/** Money, in whole millionths of a US dollar. */
export interface BudgetClaim {
  readonly kind: 'budget'
  readonly bucket: string
  /** A bucket keeps to one window: another one has a count of its own. */
  readonly window: BudgetWindow
  readonly limit: number
  readonly amount: number
}

/** A calendar window in UTC, all time, or so many hours up to now. */
export type BudgetWindow = 'day' | 'week' | 'month' | 'lifetime' | number

/** What a call has used; what is absent counts as it was reserved. */
export interface Actual {
  readonly requests?: number
  readonly tokens?: number
  /** Of each budget, or of each claim in their order. */
  readonly microUsd?: number | readonly number[]
}

/** What was used of each claim, in their order; undefined where that is as it was reserved, or nothing is counted. */
export function usedOf(claims: readonly Claim[], actual: Actual): readonly (number | undefined)[] {
  const { microUsd } = actual
  return claims.map((claim, index) => {
    if (claim.kind === 'concurrency') return undefined
    if (claim.kind === 'rate') return actual[claim.unit]
    return typeof microUsd === 'object' ? microUsd[index] : microUsd
  })
}

export type Decision = Reservation | Refusal

export interface Reservation {
  readonly granted: true
  /** Unique among all processes. */
  readonly id: string
  readonly claims: readonly Claim[]
  /** After the reservation, one for each claim. */
  readonly levels: readonly Level[]
}

export interface Refusal {
  readonly granted: false
  readonly claims: readonly Claim[]
  readonly levels: readonly Level[]
  /** Which claim was refused: of several the one that waits longest. */
  readonly refused: number
  /** Milliseconds until that claim may be granted; Infinity where waiting is no use. */
  readonly retryAfterMs: number
}

export interface Level {
  readonly limit: number
  /** How much more would be granted at this moment, in whole units. */
  readonly remaining: number
  /** Milliseconds until the bucket is full or the window new; 0 for concurrency, Infinity for a lifetime. */
  readonly resetMs: number
}
