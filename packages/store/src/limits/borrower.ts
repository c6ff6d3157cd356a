import { randomBytes } from 'node:crypto'
import {
  type Actual,
  type Claim,
  type LimitStatus,
  type Reservation,
  usedOf,
} from '@sluice/gateway/ports/limiter.ts'
import { type HeldLoan, type Moment, newLoan } from './held-loan.ts'
import { giveBackMessage, lentMessage, usedMessage } from './lender.ts'
import { amountOf, ByBucket, type LoanUse, type LoanWish } from './loans.ts'
import type { ProcessLink } from './process-link.ts'

/** How often what was used is told, and demand is reckoned, in milliseconds. */
const tellEveryMs = 50
/** A loan goes back after so many intervals in which nothing was claimed: a second. */
const idleMax = 20

/** A reservation of loans, granted in this process. */
export class BorrowedReservation implements Reservation {
  readonly granted = true
  readonly id: string
  readonly claims: readonly Claim[]
  readonly levels: readonly LimitStatus[]
  /** One for each claim. Empty once settled. */
  loans: readonly HeldLoan[]
  /** Milliseconds since the epoch. */
  readonly at: number

  constructor(
    { id, claims, levels }: Omit<Reservation, 'granted'>,
    loans: readonly HeldLoan[],
    at: number,
  ) {
    this.id = id
    this.claims = claims
    this.levels = levels
    this.loans = loans
    this.at = at
  }
}

/** What this process has borrowed from the one with the limits: it grants from it, and tells at times what it has used. */
export class Borrower {
  readonly #link: ProcessLink
  readonly #name: string
  readonly #now: () => Moment
  readonly #loans = new ByBucket<HeldLoan>()
  #timer: NodeJS.Timeout | undefined
  #soon: NodeJS.Immediate | undefined
  #count = 0

  constructor(link: ProcessLink, now: () => Moment) {
    this.#link = link
    this.#name = randomBytes(6).toString('base64url')
    this.#now = now
    link.serve(lentMessage, (granted) => {
      for (const one of granted) this.#of(one.claim).add(one)
      this.#start()
    })
    link.serve(giveBackMessage, (buckets) => {
      const asked = buckets.flatMap((bucket) => this.#loans.get(bucket) ?? [])
      for (const loan of asked) loan.isCalledIn = true
      this.#tell(asked)
      return null
    })
    link.whenClosed(() => {
      this.#stop()
      for (const loan of this.#loans.values()) loan.left = 0
    })
  }

  /** Grants the claims from loans; undefined if these do not cover all of them. */
  reserve(claims: readonly Claim[]): BorrowedReservation | undefined {
    if (this.#link.isClosed) return undefined
    const loans: HeldLoan[] = []
    let isCovered = true
    for (const claim of claims) {
      const loan = this.#of(claim)
      if (loan.isOf(claim)) loan.count(claim)
      // It ends when all of it is settled, and one with the other limit takes its place.
      else loan.isCalledIn = true
      isCovered &&= loan.covers(claim)
      loans.push(loan)
    }
    this.#start()
    if (!isCovered) return undefined
    const now = this.#now()
    const levels: LimitStatus[] = []
    for (const [index, claim] of claims.entries()) {
      const loan = loans[index]
      if (!loan) continue
      loan.take(amountOf(claim), now)
      loan.open += 1
      levels.push(loan.level(now))
    }
    this.#count += 1
    return new BorrowedReservation(
      { id: `${this.#name}.${this.#count}`, claims, levels },
      loans,
      now.date,
    )
  }

  settle(reservation: BorrowedReservation, actual: Actual): void {
    const { claims, loans, at } = reservation
    if (loans.length === 0) return
    reservation.loans = []
    const now = this.#now()
    const uses = usedOf(claims, actual)
    for (const [index, loan] of loans.entries()) {
      const claim = claims[index]
      if (!claim) continue
      const amount = amountOf(claim)
      loan.open -= 1
      loan.settle(amount, uses[index] ?? amount, at, now)
      if (loan.isDue) this.#tellSoon()
    }
  }

  /** Before claims are asked for that loans do not cover: tells what makes room for them. Returns what to borrow for more. */
  beforeAsking(claims: readonly Claim[]): readonly LoanWish[] {
    const loans = claims.map((claim) => this.#of(claim))
    this.#tell(loans.filter(({ isDue }) => isDue))
    return loans.flatMap((loan, index) => {
      const claim = claims[index]
      return claim && loan.isOf(claim) ? (loan.wish() ?? []) : []
    })
  }

  [Symbol.dispose](): void {
    for (const loan of this.#loans.values()) loan.isCalledIn = true
    this.#tell([...this.#loans.values()])
    this.#stop()
  }

  #of(claim: Claim): HeldLoan {
    const known = this.#loans.get(claim)
    if (known) return known
    const loan = newLoan(claim)
    this.#loans.set(claim, loan)
    return loan
  }

  /** Once in each interval while there are loans. */
  #reckon(): void {
    const wishes: LoanWish[] = []
    for (const loan of this.#loans.values()) {
      loan.reckon()
      const wish = loan.wish()
      if (wish) wishes.push(wish)
    }
    this.#tell([...this.#loans.values()], wishes)
    for (const loan of this.#loans.values())
      if (loan.idle >= idleMax && loan.open === 0) this.#loans.delete(loan.claim)
    this.#timer = undefined
    if (this.#loans.size > 0) this.#start()
  }

  #start(): void {
    if (!this.#link.isClosed) this.#timer ??= setTimeout(() => this.#reckon(), tellEveryMs).unref()
  }

  #tellSoon(): void {
    this.#soon ??= setImmediate(() => {
      this.#soon = undefined
      const due = [...this.#loans.values()].filter(({ isDue }) => isDue)
      this.#tell(due)
    })
  }

  #tell(loans: readonly HeldLoan[], wishes: readonly LoanWish[] = []): void {
    const now = this.#now()
    const uses: LoanUse[] = []
    for (const loan of loans) {
      const isKept = !loan.isCalledIn && loan.idle < idleMax
      const use = loan.tell(isKept ? Math.max(0, loan.left) : 0, now)
      if (use) uses.push(use)
    }
    if (uses.length > 0 || wishes.length > 0) this.#link.tell(usedMessage, { uses, wishes })
  }

  #stop(): void {
    clearTimeout(this.#timer)
    clearImmediate(this.#soon)
    this.#timer = undefined
    this.#soon = undefined
  }
}
