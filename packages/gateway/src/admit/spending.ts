import { GatewayError } from '@sluice/contract'
import type { Decision } from '../ports/limiter.ts'
import { type Call, isWriting } from '../call/call.ts'
import type { Route } from '../route/routing.ts'
import { everyLevel, priceLine, unpricedIn, withoutTargets } from '../route/unpriced.ts'
import { leastNanoUsd, type ReservedCost, reservedCost } from './call-cost.ts'
import type { CallSize } from './call-size.ts'
import type { CallerLimits, HolderClaim, KeyLimits, MaximumCost } from './claims.ts'
import { levelText } from './tell-limits.ts'
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
  readonly spending: MaximumCost
  readonly plan: OutputPlan
  /** The route without targets of unknown cost. */
  readonly route: Route
}

/**
 * What a call may cost by its route, for the budgets that count it; undefined if none does. Targets of unknown cost are left
 * out of the call while others remain.
 *
 * @throws GatewayError `forbidden` if that is unknown or unbounded, `missing_parameter` if the caller has to limit the output.
 */
export function plannedSpending(spender: Spender): Planned | undefined {
  const { call, limits, settings, size, route, asked } = spender
  // Of an earlier route, from which a budget has led here.
  call.trail.unpriced = undefined
  const budgets = limits.budgets.every(({ countsAll }) => countsAll)
    ? limits.budgets
    : countingBudgets(limits, namesOf(route, asked), call.tags)
  if (budgets.length === 0) return undefined
  const isFree = everyLevel(route).every((level) => level.every(({ price }) => price.isFree))
  const terms: OutputTerms = {
    policy: limits.output ?? settings.output ?? 'limit',
    tokens: settings.budgetedOutputTokens ?? 4_096,
    tokensMin: settings.budgetedOutputTokensMin ?? 1_024,
  }
  const plan: OutputPlan =
    isFree || !isWriting(call) ? { by: 'caller', tokens: 0 } : outputPlan(call, size, terms)
  const whole = spendingBy(spender, plan, budgets)
  if (whole) return { spending: whole, plan, route }
  const by = (one: Route) => spendingBy({ ...spender, route: one }, plan, budgets)
  const unpriced = unpricedIn(route, (alone) => by(alone) !== undefined)
  const priced = withoutTargets(route, unpriced)
  const spending = priced.levels.length === 0 ? undefined : by(priced)
  if (!spending) throw unpricedRefusal(asked, unpriced, budgets)
  call.trail.unpriced = unpriced
  return { spending, plan, route: priced }
}

/** Names the level whose budget counts the call, the target and the line to write. */
function unpricedRefusal(
  asked: string,
  unpriced: ReadonlySet<string>,
  budgets: MaximumCost['budgets'],
): GatewayError {
  const holder = budgets[0]?.claim.holder
  const [target = asked] = unpriced
  return new GatewayError(
    'forbidden',
    `${holder ? levelText(holder) : 'This key'} has a budget that counts ${asked}, and the price of ${target} is unknown: write ${priceLine(target)} into sluice.yaml`,
    { param: 'model' },
  )
}

/** Undefined if a target has no price. */
function spendingBy(
  spender: Spender,
  plan: OutputPlan,
  budgets: MaximumCost['budgets'],
): MaximumCost | undefined {
  const isBounded = budgets.some(({ isEstimated }) => !isEstimated)
  const isEstimated = budgets.some((budget) => budget.isEstimated)
  const estimate = isEstimated ? costBy(spender, plan, 'estimate') : undefined
  const bound = isBounded ? costBy(spender, plan, 'bytes') : estimate
  if (!bound || (isEstimated && !estimate)) return undefined
  return { ...bound, ...(estimate && { estimate }), budgets }
}

const least: ReservedCost = { nanoUsd: leastNanoUsd, ofEachNanoUsd: leastNanoUsd }

function costBy(
  spender: Spender,
  plan: OutputPlan,
  by: 'bytes' | 'estimate',
): ReservedCost | undefined {
  const { call, settings, size, route, at } = spender
  const outputOf = (target: Parameters<typeof outputAt>[1]) => outputAt(plan, target)
  const cost = reservedCost(call, { route, size, by, outputOf, at })
  return cost ?? (settings.unknownPrices === 'allow' ? least : undefined)
}

/**
 * A plan for what a budget has left, after it refused; undefined if the output cannot be limited further.
 */
export function planForRoom(
  spender: Spender,
  { spending, plan, route }: Planned,
  { claims, decision }: { readonly claims: readonly HolderClaim[]; readonly decision: Decision },
): Planned | undefined {
  if (decision.granted || claims[decision.refused]?.kind !== 'budget') return undefined
  let smaller: OutputPlan | undefined = plan
  for (const [index, claim] of claims.entries()) {
    const { remaining = 0 } = decision.levels[index] ?? {}
    if (claim.kind !== 'budget' || claim.amount <= remaining || !smaller) continue
    const by = claim.isEstimated === true ? 'estimate' : 'bytes'
    const costOf = (one: OutputPlan) => costBy({ ...spender, route }, one, by)?.nanoUsd ?? Infinity
    smaller = shrunk(smaller, costOf, remaining)
  }
  if (!smaller || smaller === plan) return undefined
  const fitted = spendingBy({ ...spender, route }, smaller, spending.budgets)
  return fitted && { plan: smaller, spending: fitted, route }
}

/** A budget for a model counts it at every provider, whatever name the caller uses. */
function namesOf(route: Route, asked: string): readonly string[] {
  const names = [asked]
  for (const level of everyLevel(route))
    for (const { id, model } of level) names.push(id, id.slice(id.indexOf('/') + 1), model)
  return names
}

function countingBudgets(
  { budgets }: CallerLimits,
  names: readonly string[],
  tags: readonly string[],
): MaximumCost['budgets'] {
  return budgets.filter(({ counts }) => counts(names, tags))
}
