import type {
  Actual,
  BudgetClaim,
  Claim,
  Decision,
  LimitStatus,
  Limiter,
  Recall,
  Reservation,
  Spent,
} from '@sluice/gateway/ports/limiter.ts'
import { createMemoryLimiter, type MemoryLimiterOptions } from './memory-limiter.ts'
import type { ProcessLink } from './process-link.ts'

/** JSON cannot represent Infinity. */
const never = -1

type SentLevel = readonly [limit: number, remaining: number, resetMs: number]

interface SentDecision {
  /** Absent if refused. */
  readonly id?: string
  readonly levels: readonly SentLevel[]
  readonly refused?: number
  readonly retryAfterMs?: number
  readonly mayReturn?: boolean
}

interface Asked {
  readonly number: number
  readonly claims: readonly Claim[]
}

interface Seed {
  readonly claim: BudgetClaim
  readonly spent: readonly Spent[]
}

export interface RemoteLimiterOptions {
  /** As in MemoryLimiterOptions. */
  readonly recall?: Recall
}

/** A limiter held by another process for several processes; one message and one answer per reservation. */
export function createRemoteLimiter(
  link: ProcessLink,
  { recall = () => [] }: RemoteLimiterOptions = {},
): Limiter {
  /** The claims of open requests as this process knows them; the ledger needs more of them than the limiter does. */
  const asking = new Map<number, readonly Claim[]>()
  let count = 0
  link.serve('limiter.recall', (body) => {
    const { number, index } = body as { readonly number: number; readonly index: number }
    const claim = asking.get(number)?.[index]
    return claim?.kind === 'budget' ? recall(claim) : []
  })
  async function ask(name: string, claims: readonly Claim[], leaseMs?: number): Promise<unknown> {
    count += 1
    const number = count
    asking.set(number, claims)
    try {
      const asked: Asked = { number, claims: claims.map(plain) }
      return await link.ask(name, { ...asked, leaseMs })
    } finally {
      asking.delete(number)
    }
  }

  return {
    async reserve(claims, leaseMs) {
      const decision = await ask('limiter.reserve', claims, leaseMs)
      return decisionOf(claims, decision as SentDecision)
    },
    settle({ id }, actual) {
      link.tell('limiter.settle', { id, actual })
    },
    renew({ id }, leaseMs) {
      link.tell('limiter.renew', { id, leaseMs })
    },
    async look(claims) {
      const levels = await ask('limiter.look', claims)
      return (levels as readonly SentLevel[]).map(levelOf)
    },
    seed(claim, spent) {
      link.tell('limiter.seed', { claim: plain(claim), spent })
    },
    async [Symbol.asyncDispose]() {},
  }
}

/** Serves the limiter to other processes, each over its own link. */
export interface LimiterServer {
  /**
   * When a process has ended, its concurrency slots are released, and its open reservations of rates and budgets count as
   * used.
   */
  serve(link: ProcessLink): void
}

/** Keeps the limits in this process's memory. What was spent of a budget is asked from the process that reserves. */
export function createLimiterServer(options: MemoryLimiterOptions = {}): LimiterServer {
  const recalls = new WeakMap<Claim, () => Promise<readonly Spent[]>>()
  const limiter = createMemoryLimiter({
    ...options,
    recall: (claim) => recalls.get(claim)?.() ?? [],
  })

  /** Registers for each budget claim how to ask what was spent of it. */
  function claimsOf({ number, claims }: Asked, link: ProcessLink): readonly Claim[] {
    for (const [index, claim] of claims.entries())
      if (claim.kind === 'budget')
        recalls.set(claim, async () => {
          // Returned by `recall` on the other side.
          return (await link.ask('limiter.recall', { number, index })) as readonly Spent[]
        })
    return claims
  }

  async function reserve(
    asked: Asked & { readonly leaseMs: number },
    { link, open }: { readonly link: ProcessLink; readonly open: Set<string> },
  ): Promise<SentDecision> {
    const { leaseMs } = asked
    const claims = claimsOf(asked, link)
    const decided = limiter.reserve(claims, leaseMs)
    const decision = decided instanceof Promise ? await decided : decided
    if (decision.granted && link.isClosed) limiter.settle(decision, { tokens: 0, nanoUsd: 0 })
    else if (decision.granted) open.add(decision.id)
    return sentDecision(decision)
  }

  return {
    serve(link) {
      const open = new Set<string>()
      const of = (id: string): Reservation => ({ granted: true, id, claims: [], levels: [] })
      link.serve('limiter.reserve', (body) =>
        reserve(body as Asked & { readonly leaseMs: number }, { link, open }),
      )
      link.serve('limiter.settle', (body) => {
        const { id, actual } = body as { readonly id: string; readonly actual: Actual }
        open.delete(id)
        limiter.settle(of(id), actual)
      })
      link.serve('limiter.renew', (body) => {
        const { id, leaseMs } = body as { readonly id: string; readonly leaseMs: number }
        limiter.renew(of(id), leaseMs)
      })
      link.serve('limiter.look', async (body) => {
        const levels = await limiter.look(claimsOf(body as Asked, link))
        return levels.map(sentLevel)
      })
      link.serve('limiter.seed', (body) => {
        const { claim, spent } = body as Seed
        limiter.seed(claim, spent)
      })
      link.whenClosed(() => {
        for (const id of open) limiter.settle(of(id), {})
      })
    },
  }
}

/** Removes properties that only the asking process needs. */
function plain(claim: Claim): Claim {
  const { kind, bucket, limit } = claim
  if (kind === 'concurrency') return { kind, bucket, limit }
  const { amount } = claim
  if (kind === 'rate') return { kind, bucket, limit, amount, unit: claim.unit }
  return { kind, bucket, limit, amount, window: claim.window }
}

function sentDecision(decision: Decision): SentDecision {
  const levels = decision.levels.map(sentLevel)
  if (decision.granted) return { id: decision.id, levels }
  const { refused, retryAfterMs, mayReturn = false } = decision
  return { levels, refused, retryAfterMs: sent(retryAfterMs), mayReturn }
}

function decisionOf(
  claims: readonly Claim[],
  { id, levels: sentLevels, refused = 0, retryAfterMs = 0, mayReturn = false }: SentDecision,
): Decision {
  const levels = sentLevels.map(levelOf)
  if (id !== undefined) return { granted: true, id, claims, levels }
  return {
    granted: false,
    claims,
    levels,
    refused,
    retryAfterMs: amountOf(retryAfterMs),
    mayReturn,
  }
}

function sentLevel({ limit, remaining, resetMs }: LimitStatus): SentLevel {
  return [limit, remaining, sent(resetMs)]
}

function levelOf([limit, remaining, resetMs]: SentLevel): LimitStatus {
  return { limit, remaining, resetMs: amountOf(resetMs) }
}

function sent(amount: number): number {
  return amount === Infinity ? never : amount
}

function amountOf(said: number): number {
  return said === never ? Infinity : said
}
