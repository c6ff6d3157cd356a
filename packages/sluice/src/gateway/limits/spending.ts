import { GatewayError } from '@sluice/contract'
import type { Decision } from '../../ports/limiter.ts'
import type { Call } from '../call.ts'
import type { Route } from '../route/routing.ts'
import { leastNanoUsd, type ReservedCost, reservedCost } from './call-cost.ts'
import { type CallSize, isWriting } from './call-size.ts'
import type { CallerLimits, HeldClaim, KeyLimits, Spending } from './claims.ts'
import { outputAt, type OutputPlan, outputPlan, type OutputTerms, shrunk } from './output-plan.ts'

/** A call on its way to a route. */
export interface Spender {
  readonly call: Call
  readonly limits: CallerLimits
  readonly settings: KeyLimits
  readonly size: CallSize
  readonly route: Route
  /** The name that leads to the route. */
  readonly asked: string
  readonly at: number
}

/** What a call may cost, and the limit of its output that this takes. */
export interface Planned {
  readonly spending: Spending
  readonly plan: OutputPlan
}

/**
 * What a call may cost by its route, for the budgets that count it; undefined if none does.
 *
 * @throws GatewayError `forbidden` if that is unknown or unbounded, `missing_parameter` if the caller has to limit the output.
 */
export function plannedSpending(spender: Spender): Planned | undefined {
  const { call, limits, settings, size, route, asked } = spender
  const budgets = limits.budgets.every(({ countsAll }) => countsAll)
    ? limits.budgets
    : countingBudgets(limits, namesOf(route, asked), call.tags)
  if (budgets.length === 0) return undefined
  const isFree = route.levels.every((level) => level.every(({ price }) => price.isFree))
  const terms: OutputTerms = {
    policy: limits.output ?? settings.output ?? 'limit',
    tokens: settings.budgetedOutputTokens ?? 4_096,
    tokensMin: settings.budgetedOutputTokensMin ?? 1_024,
  }
  const plan: OutputPlan =
    isFree || !isWriting(call) ? { by: 'caller', tokens: 0 } : outputPlan(call, size, terms)
  return { spending: spendingBy(spender, plan, budgets), plan }
}

function spendingBy(spender: Spender, plan: OutputPlan, budgets: Spending['budgets']): Spending {
  const isBounded = budgets.some(({ isEstimated }) => !isEstimated)
  const isEstimated = budgets.some((budget) => budget.isEstimated)
  const estimate = isEstimated ? costBy(spender, plan, 'estimate') : undefined
  const bound = isBounded ? costBy(spender, plan, 'bytes') : estimate
  return { ...(bound ?? least), ...(estimate && { estimate }), budgets }
}

const least: ReservedCost = { nanoUsd: leastNanoUsd, ofEachNanoUsd: leastNanoUsd }

function costBy(spender: Spender, plan: OutputPlan, by: 'bytes' | 'estimate'): ReservedCost {
  const { call, settings, size, route, asked, at } = spender
  const outputOf = (target: Parameters<typeof outputAt>[1]) => outputAt(plan, target)
  const cost = reservedCost(call, { route, size, by, outputOf, at })
  if (cost) return cost
  if (settings.unknownPrices === 'allow') return least
  throw new GatewayError(
    'forbidden',
    `The price of ${asked} is unknown, and this key has a budget: set the price first`,
    { param: 'model' },
  )
}

/**
 * A plan for what a budget has left, after it refused; undefined if the output cannot be limited further.
 */
export function planForRoom(
  spender: Spender,
  { spending, plan }: Planned,
  { claims, decision }: { readonly claims: readonly HeldClaim[]; readonly decision: Decision },
): Planned | undefined {
  if (decision.granted || claims[decision.refused]?.kind !== 'budget') return undefined
  let smaller: OutputPlan | undefined = plan
  for (const [index, claim] of claims.entries()) {
    const { remaining = 0 } = decision.levels[index] ?? {}
    if (claim.kind !== 'budget' || claim.amount <= remaining || !smaller) continue
    const by = claim.isEstimated === true ? 'estimate' : 'bytes'
    smaller = shrunk(smaller, (one) => costBy(spender, one, by).nanoUsd, remaining)
  }
  if (!smaller || smaller === plan) return undefined
  return { plan: smaller, spending: spendingBy(spender, smaller, spending.budgets) }
}

/** A budget for a model counts it at every provider, whatever name the caller uses. */
function namesOf({ levels }: Route, asked: string): readonly string[] {
  const names = [asked]
  for (const level of levels)
    for (const { id, model } of level) names.push(id, id.slice(id.indexOf('/') + 1), model)
  return names
}

function countingBudgets(
  { budgets }: CallerLimits,
  names: readonly string[],
  tags: readonly string[],
): Spending['budgets'] {
  return budgets.filter(({ counts }) => counts(names, tags))
}
