import type { Claim } from '@sluice/gateway/ports/limiter.ts'
import {
  amountOf,
  ByBucket,
  type GrantedLoan,
  type LoanUse,
  type LoanWish,
  plainClaim,
} from './loans.ts'
import type { MemoryLimiter } from './memory-limiter.ts'
import type { MessageName, ProcessLink } from './process-link.ts'

/** What a process has used of its loans since it last told, and what it wishes to borrow. */
export interface ToldUse {
  readonly uses: readonly LoanUse[]
  readonly wishes: readonly LoanWish[]
}

export const usedMessage: MessageName<ToldUse> = 'limiter.used'
export const lentMessage: MessageName<readonly GrantedLoan[]> = 'limiter.lent'
/** Asks a process for its loans of these buckets. It has told what it used of them when it answers. */
export const giveBackMessage: MessageName<readonly Claim[], null> = 'limiter.giveBack'

/** How long processes may take to give back a loan that another call needs, in milliseconds. */
const giveBackMs = 50
/** A bucket has this many times as much room as it lends to all processes together, so that loans seldom have to come back. */
const loansOfRoom = 10
/** The fewest calls for which lending is worth a message. */
const callsMin = 4

interface Borrowed {
  readonly claim: Claim
  amount: number
  /**
   * Set while it has been called in; pending until the process has given back or is late. It may keep slots that are in use,
   * and gives these back as they become free.
   */
  calledIn: Promise<void> | undefined
  isBack: boolean
}

/** Lends room of the buckets of a limiter to other processes, and gets it back before a call is refused. */
export class Lender {
  readonly #limiter: MemoryLimiter
  readonly #borrowers = new Map<ProcessLink, ByBucket<Borrowed>>()
  /** How many calls wait for what is lent of a bucket. Nothing more is lent of it meanwhile. */
  readonly #waiting = new ByBucket<number>()

  constructor(limiter: MemoryLimiter) {
    this.#limiter = limiter
  }

  serve(link: ProcessLink): void {
    const borrowed = new ByBucket<Borrowed>()
    this.#borrowers.set(link, borrowed)
    link.serve(usedMessage, ({ uses, wishes }) => {
      // It arrived after the end of its process, whose loans count as used.
      if (link.isClosed) return
      for (const use of uses) this.#used(borrowed, use)
      this.lend(link, wishes)
    })
    link.whenClosed(() => {
      this.#borrowers.delete(link)
      for (const { claim, amount } of borrowed.values()) this.#limiter.lost(claim, amount)
    })
  }

  /** Grants the wishes for which there is room. */
  lend(link: ProcessLink, wishes: readonly LoanWish[]): void {
    const borrowed = this.#borrowers.get(link)
    if (!borrowed) return
    const loans: GrantedLoan[] = []
    for (const wish of wishes) {
      const loan = this.#loanFor(wish)
      if (!loan) continue
      loans.push(loan)
      this.#limiter.lend(loan.claim, loan.amount)
      const { claim, amount } = loan
      const known = borrowed.get(claim)?.amount ?? 0
      borrowed.set(claim, { claim, amount: known + amount, calledIn: undefined, isBack: false })
    }
    if (loans.length > 0) link.tell(lentMessage, loans)
  }

  /** Has all processes give back what they have of these buckets. Returns whether any had something. */
  async callIn(claims: readonly Claim[]): Promise<boolean> {
    const waiting: Promise<void>[] = []
    for (const [link, borrowed] of this.#borrowers) {
      const out = claims.flatMap((claim) => borrowed.get(claim) ?? []).filter((one) => !one.isBack)
      const due = out.filter((one) => !one.calledIn)
      if (due.length > 0) this.#giveBack(link, due)
      for (const { calledIn } of out) if (calledIn) waiting.push(calledIn)
    }
    if (waiting.length === 0) return false
    this.#countWaiting(claims, 1)
    await Promise.all(waiting)
    this.#countWaiting(claims, -1)
    return true
  }

  #countWaiting(claims: readonly Claim[], change: number): void {
    for (const claim of claims) {
      const count = (this.#waiting.get(claim) ?? 0) + change
      if (count === 0) this.#waiting.delete(claim)
      else this.#waiting.set(claim, count)
    }
  }

  /** One that is late keeps its loans, and is not waited for again. */
  #giveBack(link: ProcessLink, due: readonly Borrowed[]): void {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, giveBackMs)
    const done = promise.then(() => {
      clearTimeout(timer)
      for (const one of due) one.isBack = true
    })
    for (const one of due) one.calledIn = done
    const buckets = due.map(({ claim }) => claim)
    void link.ask(giveBackMessage, buckets).then(
      () => resolve(),
      () => resolve(),
    )
  }

  #loanFor(wish: LoanWish): GrantedLoan | undefined {
    const free = this.#limiter.free(wish.claim)
    if (!free || this.#waiting.get(wish.claim) !== undefined) return undefined
    const most = Math.floor(free.remaining / (loansOfRoom * this.#borrowers.size))
    const amount = Math.min(wish.amount, most - wish.left)
    if (amount < callsMin * amountOf(wish.claim)) return undefined
    const { remaining, until } = free
    return { claim: plainClaim(wish.claim, 0), amount, remaining: remaining - amount, until }
  }

  #used(borrowed: ByBucket<Borrowed>, use: LoanUse): void {
    this.#limiter.used(use)
    const known = borrowed.get(use.claim)
    if (!known) return
    known.amount -= use.shrinks
    if (known.amount === 0) borrowed.delete(use.claim)
  }
}
