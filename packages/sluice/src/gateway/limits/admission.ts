import type { Actual, Claim, Decision, RefusingLimit, Reservation } from '../../ports/limiter.ts'
import type { Call, Elsewhere } from '../call.ts'
import type { Gateway } from '../gateway.ts'
import { type Listed, OpenList } from '../open-list.ts'

/** How long a place is held that nobody renews: what a killed process held is free after it. */
const leaseMs = 60_000

/**
 * What one request was let in with: reserved before an upstream is asked, settled once when the request is over. No attempt
 * begins without.
 */
export class Admission implements Listed {
  place = -1
  #isAsked = false
  #isGranted = false
  #isPriced = false
  #isOver = false
  #elsewhere: Elsewhere | undefined
  #refusedBy: RefusingLimit | undefined
  #reservation: Reservation | undefined
  #actual: Actual = {}
  readonly #gateway: Pick<Gateway, 'limiter' | 'budgetWatch'>
  readonly #leases: Leases

  constructor(gateway: Pick<Gateway, 'limiter' | 'budgetWatch'>, leases: Leases) {
    this.#gateway = gateway
    this.#leases = leases
  }

  /** Whether the request may go on to an upstream. */
  get isGranted(): boolean {
    return this.#isGranted
  }

  /** Whether it may cost something: the budgets that count it were asked, or there are none. */
  get isPriced(): boolean {
    return this.#isPriced
  }

  /** What the budgets have put aside for it, in millionths of a dollar. */
  get reservedMicroUsd(): number {
    const claims = this.#reservation?.claims ?? []
    const budget = claims.find(({ kind }) => kind === 'budget')
    return budget?.kind === 'budget' ? budget.amount : 0
  }

  /** Where the request goes instead of where it asked to. */
  get elsewhere(): Elsewhere | undefined {
    return this.#elsewhere
  }

  /** A budget had no money for what was asked, and sends it there; what that may cost was granted. */
  goElsewhere(elsewhere: Elsewhere): void {
    this.#elsewhere = elsewhere
  }

  /** Which limit has refused the request; undefined where none has. */
  get refusedBy(): RefusingLimit | undefined {
    return this.#refusedBy
  }

  /** Whether it was decided, or is being decided, if the request is let in. */
  get isAsked(): boolean {
    return this.#isAsked
  }

  /**
   * Asks for all of it in one step; undefined where nothing is limited. `isPriced` says that every budget that counts the
   * request is among the claims.
   */
  ask(
    claims: readonly Claim[],
    { isPriced }: { readonly isPriced: boolean },
  ): Decision | Promise<Decision> | undefined {
    this.#isAsked = true
    this.#isPriced = isPriced
    if (claims.length === 0) {
      this.#isGranted = true
      return undefined
    }
    const decision = this.#gateway.limiter.reserve(claims, leaseMs)
    return decision instanceof Promise
      ? decision.then((later) => this.#decided(later))
      : this.#decided(decision)
  }

  /** The request is over, and has used this. */
  end(actual: Actual): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#actual = actual
    this.#settle()
  }

  renew(): void {
    if (this.#reservation) void this.#gateway.limiter.renew(this.#reservation, leaseMs)
  }

  #decided(decision: Decision): Decision {
    if (!decision.granted) {
      this.#gateway.budgetWatch.touch(decision.claims, decision.refused)
      const claim = decision.claims[decision.refused]
      this.#refusedBy = claim?.kind === 'rate' ? claim.unit : claim?.kind
      return decision
    }
    this.#isGranted = true
    this.#refusedBy = undefined
    this.#reservation = decision
    // The caller may have left while another process was asked.
    if (this.#isOver) this.#settle()
    else if (decision.claims.some(({ kind }) => kind === 'concurrency')) this.#leases.hold(this)
    return decision
  }

  #settle(): void {
    const reservation = this.#reservation
    if (!reservation) return
    this.#reservation = undefined
    this.#leases.release(this)
    void this.#gateway.limiter.settle(reservation, this.#actual)
    this.#gateway.budgetWatch.touch(reservation.claims)
  }
}

/** Renews the places of requests that take longer than a lease. */
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
 * What a request has used: all its attempts together in money, its answer in tokens. Nothing where it never came to an upstream or all of them failed, and what was reserved where
 * nobody said.
 */
export function actualOf(
  call: Call | undefined,
  { left, reservedMicroUsd }: { readonly left: boolean; readonly reservedMicroUsd: number },
): Actual {
  if (!call || call.trail.attempts === 0) return { tokens: 0, microUsd: 0 }
  const { usage, outcome, costMicroUsd, unknownCosts } = call.trail
  // What nobody knows the cost of stays as it was put aside: it is never taken for nothing.
  const microUsd = unknownCosts === 0 ? costMicroUsd : Math.max(costMicroUsd, reservedMicroUsd)
  if (usage) return { tokens: usage.inputTokens + usage.outputTokens, microUsd }
  return left || outcome === 'completed' ? { microUsd } : { tokens: 0, microUsd }
}
