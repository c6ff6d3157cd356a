import type {
  Actual,
  BudgetClaim,
  Claim,
  Decision,
  LimitStatus,
  Limiter,
  Recall,
  Refusal,
  Reservation,
  Spent,
} from '@sluice/gateway/ports/limiter.ts'
import { Borrower, BorrowedReservation } from './borrower.ts'
import { Lender } from './lender.ts'
import { amountOf, type LoanWish, machineTime, plainClaim } from './loans.ts'
import { createMemoryLimiter, type MemoryLimiterOptions } from './memory-limiter.ts'
import type { MessageName, ProcessLink } from './process-link.ts'

/** JSON has no Infinity, and writes null for it. */
type SentNumber = number | null

type SentLevel = readonly [limit: number, remaining: number, resetMs: SentNumber]

/** A decision, without the claims, which the asking process has. */
type SentDecision =
  | (Pick<Reservation, 'granted' | 'id'> & { readonly levels: readonly SentLevel[] })
  | (Pick<Refusal, 'granted' | 'refused' | 'mayReturn'> & {
      readonly levels: readonly SentLevel[]
      readonly retryAfterMs: SentNumber
    })

interface SentClaims {
  /** Identifies the request within its process. */
  readonly number: number
  readonly claims: readonly Claim[]
  /** How long a reservation is held; 0 to look. */
  readonly leaseMs: number
  /** What to lend if it is granted. */
  readonly wishes?: readonly LoanWish[]
}

const reserveMessage: MessageName<SentClaims, SentDecision> = 'limiter.reserve'
const settleMessage: MessageName<{ readonly id: string; readonly actual: Actual }> =
  'limiter.settle'
const renewMessage: MessageName<{ readonly id: string; readonly leaseMs: number }> = 'limiter.renew'
const lookMessage: MessageName<SentClaims, readonly SentLevel[]> = 'limiter.look'
const seedMessage: MessageName<{
  readonly claim: BudgetClaim
  readonly spent: readonly Spent[]
}> = 'limiter.seed'
/** Asked by the process that holds the limits; its body names one of the claims that it was sent. */
const recallMessage: MessageName<
  { readonly number: number; readonly index: number },
  readonly Spent[]
> = 'limiter.recall'

export interface RemoteLimiterOptions {
  /** As in MemoryLimiterOptions. */
  readonly recall?: Recall
  /** The monotonic clock of the other process, in milliseconds. Default: `machineTime`. */
  readonly now?: () => number
  /** As in MemoryLimiterOptions. */
  readonly date?: () => number
}

/**
 * A limiter held by another process for several processes. While there is much more room than is claimed, parts of it are lent
 * to this one, which grants from them at once. Otherwise there is one message and one answer per reservation.
 */
export function createRemoteLimiter(
  link: ProcessLink,
  { recall = () => [], now = machineTime, date = Date.now }: RemoteLimiterOptions = {},
): Limiter {
  const borrower = new Borrower(link, () => ({ time: now(), date: date() }))
  /** The claims of open requests as this process knows them; the ledger needs more of them than the limiter does. */
  const asking = new Map<number, readonly Claim[]>()
  let count = 0
  link.serve(recallMessage, ({ number, index }) => {
    const claim = asking.get(number)?.[index]
    return claim?.kind === 'budget' ? recall(claim) : []
  })
  async function ask<Answer>(
    name: MessageName<SentClaims, Answer>,
    claims: readonly Claim[],
    further: Pick<SentClaims, 'leaseMs' | 'wishes'>,
  ): Promise<Answer> {
    count += 1
    const number = count
    asking.set(number, claims)
    try {
      return await link.ask(name, {
        number,
        claims: claims.map((claim) => plainClaim(claim, amountOf(claim))),
        ...further,
      })
    } finally {
      asking.delete(number)
    }
  }

  return {
    reserve(claims, leaseMs) {
      const borrowed = borrower.reserve(claims)
      if (borrowed) return borrowed
      const wishes = borrower.beforeAsking(claims)
      return ask(reserveMessage, claims, { leaseMs, wishes }).then((sent) =>
        decisionOf(claims, sent),
      )
    },
    settle(reservation, actual) {
      if (reservation instanceof BorrowedReservation) borrower.settle(reservation, actual)
      else link.tell(settleMessage, { id: reservation.id, actual })
    },
    renew(reservation, leaseMs) {
      // What is borrowed stays so while this process lives.
      if (!(reservation instanceof BorrowedReservation))
        link.tell(renewMessage, { id: reservation.id, leaseMs })
    },
    async look(claims) {
      const levels = await ask(lookMessage, claims, { leaseMs: 0 })
      return levels.map(levelOf)
    },
    seed({ kind, bucket, window, limit, amount }, spent) {
      link.tell(seedMessage, { claim: { kind, bucket, window, limit, amount }, spent })
    },
    async [Symbol.asyncDispose]() {
      borrower[Symbol.dispose]()
    },
  }
}

/** Serves the limiter to other processes, each over its own link. */
export interface LimiterServer {
  /**
   * When a process has ended, its concurrency slots are released, and its open reservations and loans of rates and budgets
   * count as used.
   */
  serve(link: ProcessLink): void
}

/** Keeps the limits in this process's memory. What was spent of a budget is asked from the process that reserves. */
export function createLimiterServer(options: MemoryLimiterOptions = {}): LimiterServer {
  const recalls = new WeakMap<Claim, () => Promise<readonly Spent[]>>()
  const limiter = createMemoryLimiter({
    now: machineTime,
    ...options,
    recall: (claim) => recalls.get(claim)?.() ?? [],
  })

  const lender = new Lender(limiter)

  /** Registers for each budget claim how to ask what was spent of it. */
  function claimsOf({ number, claims }: SentClaims, link: ProcessLink): readonly Claim[] {
    for (const [index, claim] of claims.entries())
      if (claim.kind === 'budget')
        recalls.set(claim, () => link.ask(recallMessage, { number, index }))
    return claims
  }

  async function reserve(
    asked: SentClaims,
    { link, open }: { readonly link: ProcessLink; readonly open: Set<string> },
  ): Promise<SentDecision> {
    const { leaseMs, wishes = [] } = asked
    const claims = claimsOf(asked, link)
    const decided = limiter.reserve(claims, leaseMs)
    let decision = decided instanceof Promise ? await decided : decided
    if (!decision.granted && (await lender.callIn(claims)))
      decision = await limiter.reserve(claims, leaseMs)
    if (decision.granted && link.isClosed) limiter.settle(decision, { tokens: 0, nanoUsd: 0 })
    else if (decision.granted) {
      open.add(decision.id)
      lender.lend(link, wishes)
    }
    return sentDecision(decision)
  }

  return {
    serve(link) {
      lender.serve(link)
      const open = new Set<string>()
      const of = (id: string): Reservation => ({ granted: true, id, claims: [], levels: [] })
      link.serve(reserveMessage, (body) => reserve(body, { link, open }))
      link.serve(settleMessage, ({ id, actual }) => {
        open.delete(id)
        limiter.settle(of(id), actual)
      })
      link.serve(renewMessage, ({ id, leaseMs }) => limiter.renew(of(id), leaseMs))
      link.serve(lookMessage, async (body) => {
        const claims = claimsOf(body, link)
        await lender.callIn(claims)
        const levels = await limiter.look(claims)
        return levels.map(sentLevel)
      })
      link.serve(seedMessage, ({ claim, spent }) => limiter.seed(claim, spent))
      link.whenClosed(() => {
        for (const id of open) limiter.settle(of(id), {})
      })
    },
  }
}

function sentDecision(decision: Decision): SentDecision {
  const levels = decision.levels.map(sentLevel)
  if (decision.granted) return { granted: true, id: decision.id, levels }
  const { refused, retryAfterMs, mayReturn = false } = decision
  return { granted: false, levels, refused, retryAfterMs, mayReturn }
}

function decisionOf(claims: readonly Claim[], sent: SentDecision): Decision {
  const levels = sent.levels.map(levelOf)
  if (sent.granted) return { ...sent, claims, levels }
  return { ...sent, claims, levels, retryAfterMs: sent.retryAfterMs ?? Infinity }
}

function sentLevel({ limit, remaining, resetMs }: LimitStatus): SentLevel {
  return [limit, remaining, resetMs]
}

function levelOf([limit, remaining, resetMs]: SentLevel): LimitStatus {
  return { limit, remaining, resetMs: resetMs ?? Infinity }
}
