import type { Budget } from '../../ports/account.ts'
import type { Actual, Decision, RefusingLimit, Reservation } from '../../ports/limiter.ts'
import type { Call, Elsewhere } from '../call.ts'
import type { Gateway } from '../gateway.ts'
import { type Listed, OpenList } from '../open-list.ts'
import { countsAttempt, type HeldClaim } from './claims.ts'

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
  #reservedMicroUsd = 0
  #claims: readonly HeldClaim[] = []
  #elsewhere: Elsewhere | undefined
  #refusedBy: RefusingLimit | undefined
  #reservation: Reservation | undefined
  #actual: Actual = {}
  readonly #gateway: Pick<Gateway, 'limiter' | 'budgetWatch' | 'now'>
  readonly #leases: Leases

  constructor(gateway: Pick<Gateway, 'limiter' | 'budgetWatch' | 'now'>, leases: Leases) {
    this.#gateway = gateway
    this.#leases = leases
  }

  /** The gateway's clock. */
  get now(): () => number {
    return this.#gateway.now
  }

  /** Whether the request may go on to an upstream. */
  get isGranted(): boolean {
    return this.#isGranted
  }

  /** Whether it may cost something: the budgets that count it were asked, or there are none. */
  get isPriced(): boolean {
    return this.#isPriced
  }

  /** What budgets have put aside for each of its attempts, in millionths of a dollar; 0 where none counts it. */
  get reservedMicroUsd(): number {
    return this.#reservedMicroUsd
  }

  /** What was reserved for it, and is not settled; empty where nothing is. */
  get claims(): readonly HeldClaim[] {
    return this.#reservation ? this.#claims : []
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
   * request is among the claims, which then put `ofEachMicroUsd` aside for each attempt.
   */
  ask(
    claims: readonly HeldClaim[],
    {
      isPriced,
      ofEachMicroUsd = 0,
    }: { readonly isPriced: boolean; readonly ofEachMicroUsd?: number },
  ): Decision | Promise<Decision> | undefined {
    this.#isAsked = true
    this.#isPriced = isPriced
    this.#reservedMicroUsd = ofEachMicroUsd
    this.#claims = claims
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
 * What a request has used: its answer in tokens, and in money what its attempts have cost that a budget counts. Nothing where it
 * never came to an upstream or all of them failed, and as many tokens as were reserved where nobody said.
 */
export function actualOf(
  call: Call | undefined,
  claims: readonly HeldClaim[],
  left: boolean,
): Actual {
  if (!call || call.trail.attempts === 0) return { tokens: 0, microUsd: 0 }
  const { usage, outcome } = call.trail
  const microUsd = claims.map(({ budget }) => (budget ? spentOf(call, budget) : 0))
  if (usage) return { tokens: usage.inputTokens + usage.outputTokens, microUsd }
  return left || outcome === 'completed' ? { microUsd } : { tokens: 0, microUsd }
}

function spentOf({ trail, request, admission }: Call, { model: pattern }: Budget): number {
  const asked = admission.elsewhere?.route ?? request.model
  const requestedModel = typeof asked === 'string' ? asked : undefined
  let sum = 0
  for (const { provider, model, microUsd } of trail.spent)
    if (pattern === undefined || countsAttempt(pattern, { provider, model, requestedModel }))
      sum += microUsd
  return sum
}
