import { nanoPerMicro } from '@sluice/contract'
import type { Budget, Holder, InputBound, OutputPolicy } from '../ports/account.ts'
import type { Caller } from '../ports/api-key.ts'
import type {
  BudgetClaim,
  BudgetWindow,
  Claim,
  ConcurrencyClaim,
  RateClaim,
} from '../ports/limiter.ts'
import type { ReservedCost } from './call-cost.ts'
import type { Estimates } from './input-size.ts'
import { countsModel } from './model-spelling.ts'

/** Default limits of keys without limits of their own; absent means unlimited. */
export interface KeyLimits {
  readonly requestsPerMinute?: number
  /** Input and output together. */
  readonly tokensPerMinute?: number
  readonly concurrentRequestsPerKey?: number
  /** What happens to a call with an unknown price that a budget counts. Default `refuse`. */
  readonly unknownPrices?: 'refuse' | 'allow'
  /** The time zone of calendar budgets without one of their own. Default UTC. */
  readonly timeZone?: string
  /** Assumed sizes of what cannot be counted in advance. Default `usualEstimates`. */
  readonly estimates?: Estimates
  /** How the output of calls without a limit is bounded, unless a level says otherwise. Default `limit`. */
  readonly output?: OutputPolicy
  /** The limit that the gateway sets, and the least one. Default 4,096 and 1,024. */
  readonly budgetedOutputTokens?: number
  readonly budgetedOutputTokensMin?: number
  /** How budgets reckon the input, unless their level says otherwise. Default `bytes`. */
  readonly inputBound?: InputBound
}

/** A claim with the holder of the limit: a key, or a level the key belongs to. */
export type HolderClaim = Claim & {
  readonly holder: Holder
  readonly budget?: Budget
  /** Of a budget: whether the amount is an estimate and no bound. */
  readonly isEstimated?: boolean
  /** Of a budget: the part of the amount for each attempt at a target. */
  readonly ofEachNanoUsd?: number
}

/** What a request claims. */
export interface ClaimedAmounts {
  /** Whether it counts as a request. */
  readonly isCounted: boolean
  /** 0 if not known yet; absent if it uses no tokens, so that an overdrawn token limit does not delay it. */
  readonly tokens?: number
  /** Absent if it costs nothing. */
  readonly spending?: MaximumCost
}

/** What a call may cost at most, and the budgets that count it. */
export interface MaximumCost extends ReservedCost {
  /** For budgets that count by estimates. */
  readonly estimate?: ReservedCost
  readonly budgets: readonly HolderBudget[]
}

/** A budget as a claim without its amount. */
export interface HolderBudget {
  readonly claim: BudgetClaim & { readonly holder: Holder; readonly budget: Budget }
  /** Whether it counts by estimates, as its level says. */
  readonly isEstimated: boolean
  /** Whether it counts every call, whatever its model and tags. */
  readonly countsAll: boolean
  /** Whether it counts a call with these model names (the caller's and those of the targets) and these tags. */
  readonly counts: (names: readonly string[], tags: readonly string[]) => boolean
}

/** All limits of a caller, on all levels. Computed once per caller. */
export interface CallerLimits {
  /** Whether a limit depends on the size of a request, which then waits for its body. */
  readonly needsSize: boolean
  readonly budgets: readonly HolderBudget[]
  /** What the nearest level says of the output of calls without a limit. */
  readonly output: OutputPolicy | undefined
  readonly tokens: readonly (RateClaim & { readonly holder: Holder })[]
  /** The claims that do not depend on size, for requests that count and those that do not. Shared by all requests. */
  readonly counted: readonly HolderClaim[]
  readonly uncounted: readonly HolderClaim[]
}

const known = new WeakMap<Caller, { readonly of: KeyLimits; readonly limits: CallerLimits }>()

/** `defaults` apply to keys only; other levels have only their own limits. */
export function limitsOf(caller: Caller, defaults: KeyLimits): CallerLimits {
  const found = known.get(caller)
  if (found?.of === defaults) return found.limits
  const limits = findLimits(caller, defaults)
  known.set(caller, { of: defaults, limits })
  return limits
}

/** The claims of a request. Allocates nothing if no limit depends on its size. */
export function claimsOf(limits: CallerLimits, asked: ClaimedAmounts): readonly HolderClaim[] {
  const { counted, uncounted } = limits
  const { spending, tokens: amount } = asked
  const fixed = asked.isCounted ? counted : uncounted
  const tokens = amount === undefined ? noTokens : limits.tokens
  const budgets = spending?.budgets ?? none
  if (tokens.length === 0 && budgets.length === 0) return fixed
  const claims: HolderClaim[] = [...fixed]
  for (const claim of tokens) claims.push({ ...claim, amount: amount ?? 0 })
  if (spending)
    for (const { claim, isEstimated } of budgets) {
      const { nanoUsd: amount, ofEachNanoUsd } = (isEstimated && spending.estimate) || spending
      claims.push({ ...claim, isEstimated, amount, ofEachNanoUsd })
    }
  return claims
}

const none: readonly HolderBudget[] = []
const noTokens: CallerLimits['tokens'] = []

function findLimits({ holders }: Caller, defaults: KeyLimits): CallerLimits {
  const requests: (RateClaim & HolderClaim)[] = []
  const tokens: (RateClaim & HolderClaim)[] = []
  const slots: (ConcurrencyClaim & HolderClaim)[] = []
  const budgets: HolderBudget[] = []
  for (const holder of holders) {
    const { id, kind, terms } = holder
    const usual = kind === 'key' ? defaults : {}
    const rate = terms.requestsPerMinute ?? usual.requestsPerMinute
    if (rate !== undefined) requests.push({ ...rateOf(holder, 'requests', rate), amount: 1 })
    const flow = terms.tokensPerMinute ?? usual.tokensPerMinute
    if (flow !== undefined) tokens.push(rateOf(holder, 'tokens', flow))
    const limit = terms.concurrentRequests ?? usual.concurrentRequestsPerKey
    if (limit !== undefined) slots.push({ kind: 'concurrency', bucket: id, limit, holder })
    for (const budget of terms.budgets ?? []) budgets.push(heldBudget(holder, budget, defaults))
  }
  const output = holders.find(({ terms }) => terms.output !== undefined)?.terms.output
  return {
    needsSize: tokens.length > 0 || budgets.length > 0,
    budgets,
    output,
    tokens,
    counted: [...requests, ...slots],
    uncounted: slots,
  }
}

function rateOf(holder: Holder, unit: RateClaim['unit'], limit: number): RateClaim & HolderClaim {
  return { kind: 'rate', bucket: `${holder.id}:${unit}`, unit, limit, amount: 0, holder }
}

/** A level's budget as a claim. One that was reset is counted anew. */
export function heldBudget(
  holder: Holder,
  budget: Budget,
  defaults: Pick<KeyLimits, 'timeZone' | 'inputBound'>,
): HolderBudget {
  const { id, limitMicroUsd, model, tag, resetAt } = budget
  const reset = resetAt === undefined ? '' : `@${resetAt}`
  return {
    claim: {
      kind: 'budget',
      bucket: `${holder.id}:${id}${reset}`,
      window: windowOf(budget, defaults),
      limit: limitMicroUsd * nanoPerMicro,
      amount: 0,
      holder,
      budget,
    },
    isEstimated: (holder.terms.inputBound ?? defaults.inputBound) === 'estimate',
    countsAll: model === undefined && tag === undefined,
    counts: (names, tags) =>
      (model === undefined || names.some((name) => countsModel(model, name))) &&
      (tag === undefined || tags.includes(tag)),
  }
}

function windowOf(
  { window, timeZone }: Budget,
  defaults: Pick<KeyLimits, 'timeZone'>,
): BudgetWindow {
  const zone = timeZone ?? defaults.timeZone
  if (zone === undefined || typeof window === 'number' || window === 'lifetime') return window
  return `${window} ${zone}`
}

/** Whether a budget with this model pattern counts an attempt, by the target's name or the requested name. */
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
  return [`${provider}/${model}`, model, requestedModel].some((name) => countsModel(pattern, name))
}
