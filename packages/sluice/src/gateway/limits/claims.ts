import { covers } from '../../accounts/allowed.ts'
import type { Budget, Holder } from '../../ports/account.ts'
import type { Caller } from '../../ports/api-key.ts'
import type { BudgetClaim, Claim, ConcurrencyClaim, RateClaim } from '../../ports/limiter.ts'
import type { Estimates } from './input-size.ts'

/** The limits of keys that have none of their own; absent means none. */
export interface KeyLimits {
  readonly requestsPerMinute?: number
  /** Input and output together. */
  readonly tokensPerMinute?: number
  readonly concurrentRequestsPerKey?: number
  /** What happens to a call whose price nobody knows where a budget counts it. Default `refuse`. */
  readonly unknownPrices?: 'refuse' | 'allow'
  /** What is put aside for what nobody can count before. Default `usualEstimates`. */
  readonly estimates?: Estimates
}

/** A claim that says whose limit it is: a key's, or that of what the key belongs to. */
export type HeldClaim = Claim & { readonly holder: Holder; readonly budget?: Budget }

/** What a request wants to take. */
export interface Asked {
  /** Whether it counts as a request. */
  readonly isCounted: boolean
  /** 0 where they are not known yet; absent where it uses none, so that those that are owed do not hold it up. */
  readonly tokens?: number
  /** Absent where it costs nothing. */
  readonly spending?: Spending
}

/** What a call may cost, and which budgets count it. */
export interface Spending {
  /** Millionths of a dollar. */
  readonly microUsd: number
  /** Of it, of each attempt at a target; absent: nothing is asked for. */
  readonly ofEachMicroUsd?: number
  readonly budgets: readonly HeldBudget[]
}

/** A budget as a claim, but for the amount. */
export interface HeldBudget {
  readonly claim: BudgetClaim & { readonly holder: Holder; readonly budget: Budget }
  /** Whether it counts a call of these names, of which one is the caller's and the others are targets', with these tags. */
  readonly counts: (names: readonly string[], tags: readonly string[]) => boolean
}

/** Every limit that a caller's requests are held to, on all levels at once. Found out once for each caller. */
export interface CallerLimits {
  /** Whether a limit asks how large a call is, so that nobody is let in before the body is read. */
  readonly needsSize: boolean
  readonly budgets: readonly HeldBudget[]
  readonly tokens: readonly (RateClaim & { readonly holder: Holder })[]
  /** The claims of each request that counts, and of one that does not, where it has no size: the same for all. */
  readonly counted: readonly HeldClaim[]
  readonly uncounted: readonly HeldClaim[]
}

const known = new WeakMap<Caller, { readonly of: KeyLimits; readonly limits: CallerLimits }>()

/** `defaults` hold for keys alone; other levels have what they say themselves. */
export function limitsOf(caller: Caller, defaults: KeyLimits): CallerLimits {
  const found = known.get(caller)
  if (found?.of === defaults) return found.limits
  const limits = findLimits(caller, defaults)
  known.set(caller, { of: defaults, limits })
  return limits
}

/** What a request claims. Makes nothing where no limit asks how large it is. */
export function claimsOf(limits: CallerLimits, asked: Asked): readonly HeldClaim[] {
  const { counted, uncounted } = limits
  const { spending, tokens: amount } = asked
  const fixed = asked.isCounted ? counted : uncounted
  const tokens = amount === undefined ? noTokens : limits.tokens
  const budgets = spending?.budgets ?? none
  if (tokens.length === 0 && budgets.length === 0) return fixed
  const claims: HeldClaim[] = [...fixed]
  for (const claim of tokens) claims.push({ ...claim, amount: amount ?? 0 })
  if (spending)
    for (const { claim } of budgets) claims.push({ ...claim, amount: spending.microUsd })
  return claims
}

const none: readonly HeldBudget[] = []
const noTokens: CallerLimits['tokens'] = []

function findLimits({ holders }: Caller, defaults: KeyLimits): CallerLimits {
  const requests: (RateClaim & HeldClaim)[] = []
  const tokens: (RateClaim & HeldClaim)[] = []
  const places: (ConcurrencyClaim & HeldClaim)[] = []
  const budgets: HeldBudget[] = []
  for (const holder of holders) {
    const { id, kind, terms } = holder
    const usual = kind === 'key' ? defaults : {}
    const rate = terms.requestsPerMinute ?? usual.requestsPerMinute
    if (rate !== undefined) requests.push({ ...rateOf(holder, 'requests', rate), amount: 1 })
    const flow = terms.tokensPerMinute ?? usual.tokensPerMinute
    if (flow !== undefined) tokens.push(rateOf(holder, 'tokens', flow))
    const limit = terms.concurrentRequests ?? usual.concurrentRequestsPerKey
    if (limit !== undefined) places.push({ kind: 'concurrency', bucket: id, limit, holder })
    for (const budget of terms.budgets ?? []) budgets.push(heldBudget(holder, budget))
  }
  return {
    needsSize: tokens.length > 0 || budgets.length > 0,
    budgets,
    tokens,
    counted: [...requests, ...places],
    uncounted: places,
  }
}

function rateOf(holder: Holder, unit: RateClaim['unit'], limit: number): RateClaim & HeldClaim {
  return { kind: 'rate', bucket: `${holder.id}:${unit}`, unit, limit, amount: 0, holder }
}

/** A budget of a level, as a claim on it. */
export function heldBudget(holder: Holder, budget: Budget): HeldBudget {
  const { id, window, limitMicroUsd: limit, model, tag } = budget
  return {
    claim: {
      kind: 'budget',
      bucket: `${holder.id}:${id}`,
      window,
      limit,
      amount: 0,
      holder,
      budget,
    },
    counts: (names, tags) =>
      (model === undefined || names.some((name) => covers(model, name))) &&
      (tag === undefined || tags.includes(tag)),
  }
}

/** Whether a budget of this pattern counts what was spent at a target, by its name or by that of the call. */
export function countsAttempt(
  pattern: string,
  {
    provider,
    model,
    requestedModel = model,
  }: {
    readonly provider: string
    readonly model: string
    readonly requestedModel?: string | undefined
  },
): boolean {
  return [`${provider}/${model}`, model, requestedModel].some((name) => covers(pattern, name))
}
