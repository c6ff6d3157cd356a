import { setTimeout as wait } from 'node:timers/promises'
import { nanoUsdOf } from '@sluice/contract'
import type { Budget } from '../ports/account.ts'
import type { Actual, Decision, RefusingLimit, Reservation } from '../ports/limiter.ts'
import type { BudgetReservation, OpenUsage, ReservedBudget } from '../ports/store.ts'
import type { Call, CallEnd, Elsewhere } from '../call/call.ts'
import type { AdmitParts } from './admit-parts.ts'
import { type Listed, OpenList } from '../call/open-list.ts'
import { countsAttempt, type HolderClaim } from './claims.ts'
import { reservedOf } from './reserved-budget.ts'
import { refusal } from './tell-limits.ts'

/**
 * How long a concurrency slot is held without renewal, so that slots of a killed process become free, in
 * milliseconds.
 */
const leaseMs = 60_000

/**
 * Waits before a refused request is asked for again, in milliseconds. A process settles a call in a shared limiter when its response
 * has ended, and the caller's next request may reach another process first. Waiting for it here costs only requests that would
 * be refused; settling before the last byte would cost every one.
 */
const againAfterMs = [50, 250] as const

interface Ended extends Pick<CallEnd, 'disconnected'> {
  /** Absent if it never became a call. */
  readonly call?: Call | undefined
}

/**
 * The reservations of one request: made before an upstream is asked and settled once when the request is over. No
 * attempt begins without them.
 */
export class Admission implements Listed {
  place = -1
  /** Whether the decision has been requested. */
  isAsked = false
  /** Whether the request may be sent to an upstream. */
  isGranted = false
  /** Whether costs are covered: all budgets that count the request were asked, or there are none. */
  isPriced = false
  /** Budget reservation for each attempt; 0 if no budget counts the request. */
  reservedNanoUsd = 0
  /** Set if an exhausted budget redirects the request; the cost of the redirect has been granted. */
  elsewhere: Elsewhere | undefined
  /** The limit that refused the request; undefined if none did. */
  refusedBy: RefusingLimit | undefined
  /**
   * The limit that the gateway sets to the output of each choice, in tokens, for which a budget was reserved; undefined if the
   * caller or nobody limits it.
   */
  outputLimit: number | undefined
  #claims: readonly HolderClaim[] = []
  #reservation: Reservation | undefined
  /** Set when the request is over. */
  #ended: Ended | undefined
  /** Further reservations, for attempts that others followed. Released with the first one. */
  #additions: Reservation[] | undefined
  /** What they hold of each claim. */
  #added: readonly number[] = []
  /** Those of them that no record names yet. */
  #unnamed: BudgetReservation[] | undefined
  /** The records that name the reservation. */
  #records: Pick<OpenUsage, 'reservationSettled'>[] | undefined
  readonly #gateway: Pick<AdmitParts, 'limiter' | 'budgetWatch' | 'now'>
  readonly #leases: Leases

  constructor(gateway: Pick<AdmitParts, 'limiter' | 'budgetWatch' | 'now'>, leases: Leases) {
    this.#gateway = gateway
    this.#leases = leases
  }

  /** The gateway's clock. */
  get now(): () => number {
    return this.#gateway.now
  }

  /**
   * What the record of a beginning attempt has to name for the case that this process is killed; undefined if the limiter would
   * be gone with it.
   */
  reservationToName(): BudgetReservation | undefined {
    const named = this.#unnamed?.shift()
    return named ?? (this.#reservation && this.#named(this.#reservation.id, this.#claims))
  }

  /** This record names a reservation until it is settled. */
  namedBy(record: Pick<OpenUsage, 'reservationSettled'>): void {
    this.#records ??= []
    this.#records.push(record)
  }

  /**
   * Requests all claims in one step; undefined if nothing is limited. `isPriced` states that every budget that counts
   * the request is among the claims, which then reserve `ofEachNanoUsd` for each attempt.
   */
  ask(
    claims: readonly HolderClaim[],
    {
      isPriced,
      ofEachNanoUsd = 0,
    }: { readonly isPriced: boolean; readonly ofEachNanoUsd?: number },
  ): Decision | Promise<Decision> | undefined {
    this.isAsked = true
    this.isPriced = isPriced
    this.reservedNanoUsd = ofEachNanoUsd
    this.#claims = claims
    if (claims.length === 0) {
      this.isGranted = true
      return undefined
    }
    const decision = this.#gateway.limiter.reserve(claims, leaseMs)
    return decision instanceof Promise
      ? decision.then((later) =>
          later.granted || later.mayReturn !== true
            ? this.#decided(later)
            : this.#askedAgain(later).then((last) => this.#decided(last)),
        )
      : this.#decided(decision)
  }

  /**
   * Makes room for another attempt: reserves what earlier ones have used of the reservation that those under way, this one
   * included, may need.
   *
   * @throws GatewayError `quota_exceeded` if a budget lacks it.
   */
  async makeRoom(call: Call): Promise<void> {
    const spent = spentOf(call, this.#claims)
    const missing = this.#claims.map((claim, index) => {
      if (claim.kind !== 'budget') return 0
      const needed = call.trail.activeTargets * (claim.ofEachNanoUsd ?? this.reservedNanoUsd)
      const held = claim.amount + (this.#added[index] ?? 0)
      return Math.max(0, (spent[index] ?? 0) + needed - held)
    })
    const claims = this.#claims.flatMap((claim, index) => {
      const amount = missing[index] ?? 0
      return amount > 0 ? [{ ...claim, amount }] : []
    })
    if (claims.length === 0) return
    const { limiter, budgetWatch, now } = this.#gateway
    const decision = await limiter.reserve(claims, leaseMs)
    if (!decision.granted) {
      budgetWatch.touch(decision.claims, decision.refused)
      throw refusal(claims, decision, { now, isAnother: true })
    }
    // The caller may have disconnected while the limiter was asked.
    if (this.#ended) return void limiter.settle(decision, { nanoUsd: 0 })
    this.#added = missing.map((amount, index) => amount + (this.#added[index] ?? 0))
    this.#additions ??= []
    this.#additions.push(decision)
    const named = this.#named(decision.id, claims, { isAddition: true })
    if (named) (this.#unnamed ??= []).push(named)
  }

  /** Ends the request, which settles its reservations with the actual usage of its call. */
  end(ended: Ended): void {
    if (this.#ended) return
    this.#ended = ended
    if (this.#reservation) this.#settle(this.#reservation, ended)
  }

  renew(): void {
    if (this.#reservation) void this.#gateway.limiter.renew(this.#reservation, leaseMs)
  }

  async #askedAgain(first: Decision): Promise<Decision> {
    let decision = first
    for (const ms of againAfterMs) {
      if (decision.granted || decision.mayReturn !== true) break
      await wait(ms)
      if (this.#ended) break
      decision = await this.#gateway.limiter.reserve(decision.claims, leaseMs)
    }
    return decision
  }

  #decided(decision: Decision): Decision {
    if (!decision.granted) {
      this.#gateway.budgetWatch.touch(decision.claims, decision.refused)
      const claim = decision.claims[decision.refused]
      this.refusedBy = claim?.kind === 'rate' ? claim.unit : claim?.kind
      return decision
    }
    this.isGranted = true
    this.refusedBy = undefined
    this.#reservation = decision
    // The caller may have disconnected while the limiter was asked.
    if (this.#ended) this.#settle(decision, this.#ended)
    else if (decision.claims.some(({ kind }) => kind === 'concurrency')) this.#leases.hold(this)
    return decision
  }

  #settle(reservation: Reservation, ended: Ended): void {
    this.#reservation = undefined
    this.#leases.release(this)
    const { limiter, budgetWatch } = this.#gateway
    const settling = limiter.settle(
      reservation,
      actualOf(ended.call, this.#claims, ended.disconnected),
    )
    // The first one has all of the costs.
    const released = this.#additions?.map((addition) => limiter.settle(addition, { nanoUsd: 0 }))
    if (this.#records) void settled([settling, ...(released ?? [])], this.#records)
    budgetWatch.touch(reservation.claims)
  }

  #named(
    id: string,
    claims: readonly HolderClaim[],
    further?: Pick<BudgetReservation, 'isAddition'>,
  ): BudgetReservation | undefined {
    if (!this.#gateway.limiter.settleOrphaned) return undefined
    const budgets: ReservedBudget[] = []
    for (const claim of claims) if (claim.kind === 'budget') budgets.push(reservedOf(claim))
    return budgets.length === 0 ? undefined : { id, budgets, ...further }
  }
}

async function settled(
  settling: readonly (void | Promise<void>)[],
  records: readonly Pick<OpenUsage, 'reservationSettled'>[],
): Promise<void> {
  for (const each of settling) await each
  for (const record of records) record.reservationSettled()
}

/** Renews the concurrency slots of requests that take longer than a lease. */
export class Leases implements Disposable {
  readonly #held = new OpenList<Admission>()
  readonly #timer: NodeJS.Timeout

  constructor() {
    this.#timer = setInterval(() => {
      for (const admission of this.#held.all()) admission.renew()
    }, leaseMs / 3).unref()
  }

  hold(admission: Admission): void {
    this.#held.add(admission)
  }

  release(admission: Admission): void {
    this.#held.remove(admission)
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }
}

/**
 * The actual usage of a request: the tokens of its response and the cost of its attempts per budget. Zero if no
 * upstream was asked or all attempts failed. Tokens stay as reserved if the usage is unknown.
 */
export function actualOf(
  call: Call | undefined,
  claims: readonly HolderClaim[],
  disconnected: boolean,
): Actual {
  if (!call || call.trail.attempts === 0) return { tokens: 0, nanoUsd: 0 }
  const { usage, outcome } = call.trail
  const nanoUsd = spentOf(call, claims)
  if (usage) return { tokens: usage.inputTokens + usage.outputTokens, nanoUsd }
  return disconnected || outcome === 'completed' ? { nanoUsd } : { tokens: 0, nanoUsd }
}

/** What the attempts of a call have cost by now of each claim, in nanodollars. */
function spentOf(call: Call, claims: readonly HolderClaim[]): readonly number[] {
  return claims.map(({ budget }) => (budget ? spentOfBudget(call, budget) : 0))
}

function spentOfBudget({ trail, request, admission }: Call, { model: pattern }: Budget): number {
  const asked = admission.elsewhere?.route ?? request.model
  const requestedModel = typeof asked === 'string' ? asked : undefined
  let sum = 0n
  for (const { provider, model, money } of trail.spent)
    if (pattern === undefined || countsAttempt(pattern, { provider, model, requestedModel }))
      sum += money
  return nanoUsdOf(sum)
}
