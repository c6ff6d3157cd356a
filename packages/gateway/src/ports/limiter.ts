/**
 * Limits on what calls may use, in named buckets. A call reserves everything it needs in one step before an upstream is asked,
 * and settles once when it has ended. Every implementation promises:
 *
 * - `reserve` grants all claims or takes nothing. Of many concurrent calls, exactly as many are granted as there is room for.
 * - **rate**, with L for `limit`: a bucket holds L and refills continuously at L per minute. An unknown bucket is full. A full
 *   bucket grants exactly L at once; any window of t milliseconds grants at most L × (1 + t / 60,000): L per minute in the long
 *   run, and up to 2 L in the first minute after a minute of rest. Usage beyond the reservation is taken once in addition: the
 *   bucket may go into debt, and grants nothing until the debt has been refilled. Settling never makes a bucket more than full.
 *   Another limit for the same bucket applies from then on; the empty part stays empty.
 * - **concurrency**: at most `limit` reservations hold a slot at a time. A slot is freed when its reservation is settled or its
 *   lease expires, so slots of a killed process come back. A late `renew` takes the slot again even if none is free, because
 *   the call does continue.
 * - **budget**: spent + reserved + amount ≤ limit, within the window at the time of the reservation. Settling replaces the
 *   reserved amount with the actual one, whatever it is; the next reservation sees it. After an expired lease the reserved
 *   amount counts as spent, until a late settlement corrects it. Calendar windows are in UTC or their time zone, weeks begin on Monday. A rolling
 *   window of N hours never admits more than the limit in any N hours; money comes back up to N / 60 hours later.
 * - A reservation is settled once: settling it again, or one that the limiter has forgotten, changes nothing.
 * - After `retryAfterMs` the refused claim is granted, unless another caller took it or a slot was not given back.
 *
 * packages/store/test/contract/limiter.ts tests every implementation for this.
 */
export interface Limiter extends AsyncDisposable {
  /**
   * Reserves what one call may use, or returns why not. `leaseMs` is how long it is held without `renew`. Each bucket occurs at
   * most once in `claims`. An implementation that need not wait returns at once, so that no promise is created per call.
   */
  reserve(claims: readonly Claim[], leaseMs: number): Decision | Promise<Decision>
  /**
   * Ends the call: its actual usage replaces the reservation. A promise resolves when the reservation no longer outlives this
   * process, and stays pending while a store that is shared cannot be reached.
   */
  settle(reservation: Reservation, actual: Actual): void | Promise<void>
  /** Holds the reservation for another `leaseMs` from now. Does nothing if it was settled. */
  renew(reservation: Reservation, leaseMs: number): void | Promise<void>
  /** The remaining amount of each claim's bucket, in their order. Takes nothing. */
  look(claims: readonly Claim[]): readonly LimitStatus[] | Promise<readonly LimitStatus[]>
  /**
   * Settles what a killed process had reserved from budgets, with the actual amount for each in nanodollars. Does
   * nothing if it was settled or is forgotten. Present if reservations outlive the process that made them.
   */
  settleOrphaned?(
    id: string,
    budgets: readonly { readonly claim: BudgetClaim; readonly nanoUsd: number }[],
  ): Promise<void>
  /** Whether the store that processes share answers. Absent if there is none. */
  readonly isShared?: () => boolean
  /** Sets what was spent of a budget in its current window, if the limiter does not know the bucket (any more). */
  seed(claim: BudgetClaim, spent: readonly Spent[]): void | Promise<void>
}

/** An amount spent of a budget. */
export interface Spent {
  /** Milliseconds since the epoch. Ignored if outside the current window. */
  readonly at: number
  readonly nanoUsd: number
}

/** Finds what was spent of a budget that the limiter does not know (any more). */
export type Recall = (claim: BudgetClaim) => readonly Spent[] | Promise<readonly Spent[]>

export type Claim = RateClaim | ConcurrencyClaim | BudgetClaim

/** The kind of limit that refused a request. */
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

/** One concurrency slot. */
export interface ConcurrencyClaim {
  readonly kind: 'concurrency'
  readonly bucket: string
  readonly limit: number
}

/**
 * Money, in whole nanodollars (10⁻⁹ US dollars), which a number holds exactly up to $9 million; what is used is rounded up to
 * them.
 */
export interface BudgetClaim {
  readonly kind: 'budget'
  readonly bucket: string
  /** A bucket belongs to one window; another window has its own count. */
  readonly window: BudgetWindow
  readonly limit: number
  readonly amount: number
}

export const calendarWindows = ['day', 'week', 'month'] as const
export type CalendarWindow = (typeof calendarWindows)[number]

/** A calendar window in UTC or, after a space, in a time zone (`day Europe/Berlin`); all time, or a number of hours up to now. */
export type BudgetWindow = CalendarWindow | `${CalendarWindow} ${string}` | 'lifetime' | number

/** What a call has used; absent values count as reserved. */
export interface Actual {
  readonly requests?: number
  readonly tokens?: number
  /** One value for every budget, or one per claim in their order. */
  readonly nanoUsd?: number | readonly number[]
}

/** The actual usage per claim, in their order; undefined if it stays as reserved or is not counted. */
export function usedOf(claims: readonly Claim[], actual: Actual): readonly (number | undefined)[] {
  const { nanoUsd } = actual
  return claims.map((claim, index) => {
    if (claim.kind === 'concurrency') return undefined
    if (claim.kind === 'rate') return actual[claim.unit]
    return typeof nanoUsd === 'object' ? nanoUsd[index] : nanoUsd
  })
}

export type Decision = Reservation | Refusal

export interface Reservation {
  readonly granted: true
  /** Unique among all processes. */
  readonly id: string
  readonly claims: readonly Claim[]
  /** The levels after the reservation, one per claim. */
  readonly levels: readonly LimitStatus[]
}

export interface Refusal {
  readonly granted: false
  readonly claims: readonly Claim[]
  readonly levels: readonly LimitStatus[]
  /** The index of the refused claim; of several, the one with the longest wait. */
  readonly refused: number
  /** Milliseconds until that claim may be granted; Infinity if never. */
  readonly retryAfterMs: number
  /**
   * Whether it might be granted if other calls used less than they have reserved: another process may be about to settle one
   * whose response has ended. Absent where a call is settled before its caller can ask again.
   */
  readonly mayReturn?: boolean
}

export interface LimitStatus {
  readonly limit: number
  /** How much more would be granted now, in whole units. */
  readonly remaining: number
  /** Milliseconds until the bucket is full or the window ends; 0 for concurrency, Infinity for a lifetime budget. */
  readonly resetMs: number
}
