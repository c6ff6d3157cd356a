import { GatewayError } from '@sluice/contract'
import type { Budget } from '../ports/account.ts'
import type { Decision } from '../ports/limiter.ts'
import { type Call, headerText } from '../call/call.ts'
import type { AdmitParts } from './admit-parts.ts'
import { earlierTokens } from './continued-response.ts'
import type { Admission } from './admission.ts'
import { type CallSize, earlierOf, isFree, sizeOf, usualTokens } from './call-size.ts'
import {
  type ClaimedAmounts,
  type CallerLimits,
  claimsOf,
  limitsOf,
  type MaximumCost,
} from './claims.ts'
import { fittedRoute } from './fitted-route.ts'
import { usualEstimates } from './input-size.ts'
import { type Planned, plannedSpending, planForRoom, type Spender } from './spending.ts'
import { type Decided, type LimitHeaders, tellLimits } from './tell-limits.ts'
import { routeOf } from '../route/call-route.ts'
import { defaultedCall } from '../route/defaulted-call.ts'
import type { Route } from '../route/routing.ts'
import { everyLevel } from '../route/unpriced.ts'

// Not exported: a call is let in where its reservation is made, and nowhere else.
class AdmittedCall {
  /** Makes the type nominal: no other object has it. */
  declare private readonly isAdmitted: true
  declare readonly call: Call
  declare readonly route: Route

  constructor({ admission }: Door, call: Call, route: Route) {
    // An address that admits before it knows the size of a call must not be one whose calls budgets count.
    if (!admission.isPriced && !isFree(call))
      throw new GatewayError('internal', 'The cost of the call was not reserved')
    this.call = call
    this.route = route
  }
}

/** A call that may run: what it may use is reserved for this route. Nothing else can be run. */
export type Admitted = AdmittedCall

/** What brings a call: a request over HTTP, or whatever else costs. */
export interface Door<Parts = AdmitParts> {
  readonly gateway: Parts
  readonly admission: Admission
  /** What the response, to which headers about limits are added, is for. */
  readonly request: LimitHeaders
}

type Later<T> = T | Promise<T>

/**
 * Resolves the route of a call, once, and reserves what the call may use there, unless the request was admitted before its body was
 * read. Returns a promise only if providers, the store or the limiter must be waited for.
 *
 * @throws GatewayError `model_not_found`, or `forbidden` if the key may not use the model; `rate_limited` and `quota_exceeded` beyond a
 *   limit.
 */
export function admit(door: Door, call: Call): Later<Admitted> {
  const found = routeOf(door.gateway, call)
  return found instanceof Promise
    ? found.then((route) => admitOn(door, call, route))
    : admitOn(door, call, found)
}

/** As `admit`, for a call whose route is known. */
export function admitOn(door: Door, asked: Call, whole: Route): Later<Admitted> {
  const { gateway, admission } = door
  const route = whole.longer ? fittedRoute(asked, whole, gateway.current.limits.estimates) : whole
  const call = route.options.defaults ? defaultedCall(asked, route) : asked
  if (admission.isGranted) return new AdmittedCall(door, call, route)
  const { limits: defaults } = gateway.current
  const limits = limitsOf(call.key, defaults)
  const { estimates = usualEstimates } = defaults
  const sized = (history?: number): Later<Admitted> => {
    const size = sizeOf(call, { learned: gateway.learnedSizes, estimates, history })
    call.trail.choices = size.measured.choices
    const entering: CountedCall = { door, asked, call, route, limits, size }
    const done = limits.budgets.length > 0 ? admitPriced(entering) : admitCounted(entering)
    const redirected = (last: Route): Admitted =>
      new AdmittedCall(door, last === route ? call : defaultedCall(asked, last), last)
    if (done instanceof Promise) return done.then(redirected)
    return done === route ? new AdmittedCall(door, call, route) : redirected(done)
  }
  const earlier = limits.needsSize ? earlierOf(call) : undefined
  return earlier === undefined ? sized() : earlierTokens(gateway.store, call, earlier).then(sized)
}

interface CountedCall {
  readonly door: Door
  /** As the caller wrote it. */
  readonly asked: Call
  /** With the default parameters of the route. */
  readonly call: Call
  readonly route: Route
  readonly limits: CallerLimits
  readonly size: CallSize
}

/** For a call that no budget counts. */
function admitCounted({ door, route, limits, size }: CountedCall): Later<Route> {
  const { admission, request } = door
  const claims = claimsOf(limits, { isCounted: true, tokens: usualTokens(size) })
  const decision = admission.ask(claims, { isPriced: true })
  const tell = (one: Decision): Route => {
    tellLimits(request, { claims, decision: one }, admission.now)
    return route
  }
  if (decision === undefined) return route
  return decision instanceof Promise ? decision.then(tell) : tell(decision)
}

/**
 * If a budget lacks room for a response that the caller did not limit, the room that it has is the limit. If it is exhausted and has an
 * `overBudget` route, that route is tried.
 */
function admitPriced(entering: CountedCall): Later<Route> {
  const spender = spenderOf(entering, entering.route)
  return admitPlanned(entering, spender, { planned: plannedSpending(spender), fittings: 0 })
}

/** How often a limit is fitted to what others leave meanwhile. */
const fittingsMax = 3

interface Planning {
  readonly planned: Planned | undefined
  readonly fittings: number
}

function admitPlanned(
  entering: CountedCall,
  spender: Spender,
  { planned, fittings }: Planning,
): Later<Route> {
  const { door, limits, route } = entering
  const { admission, request } = door
  const claims = claimsOf(limits, askedFor(entering, planned))
  const decision = admission.ask(claims, priced(planned?.spending))
  if (decision === undefined) return route
  const decided = (one: Decision): Later<Route> => {
    const smaller =
      planned && fittings < fittingsMax
        ? planForRoom(spender, planned, { claims, decision: one })
        : undefined
    if (smaller)
      return admitPlanned(entering, spender, { planned: smaller, fittings: fittings + 1 })
    const refused = one.granted ? undefined : claims[one.refused]?.budget
    if (refused?.overBudget) return admitElsewhere(entering, { claims, decision: one }, refused)
    tellLimits(request, { claims, decision: one }, admission.now)
    limitOutput(door, planned)
    return route
  }
  return decision instanceof Promise ? decision.then(decided) : decided(decision)
}

/** Tells the limit that the gateway sets to the output. */
const outputLimitHeader = 'x-sluice-output-limit'

function limitOutput({ request, admission }: Door, planned: Planned | undefined): void {
  if (planned?.plan.by !== 'gateway') return
  admission.outputLimit = planned.plan.tokens
  request.answerHeaders.push(outputLimitHeader, String(planned.plan.tokens))
}

function spenderOf(
  { door: { gateway }, call, limits, size }: CountedCall,
  route: Route,
  asked: unknown = call.request.model,
): Spender {
  const name = typeof asked === 'string' ? asked : route.model
  const at = gateway.now()
  return { call, limits, settings: gateway.current.limits, size, route, asked: name, at }
}

/** Names the route a call was redirected to by an exhausted budget. */
const elsewhereHeader = 'x-sluice-over-budget'

/**
 * Requests admission for the budget's `overBudget` route, and returns that. The first refusal stands if the caller may not use it,
 * its cost is unknown, or the budget does not cover it either.
 */
async function admitElsewhere(
  entering: CountedCall,
  first: Decided,
  { id, overBudget }: Budget,
): Promise<Route> {
  const { door, asked, limits } = entering
  const { request, admission, gateway } = door
  const refuse = (): Route => {
    tellLimits(request, first, admission.now)
    return entering.route
  }
  const name = overBudget?.route ?? ''
  let route: Route
  let planned: Planned | undefined
  try {
    const whole = await gateway.current.routing.route(name, asked.key, asked.operation)
    route = fittedRoute(asked, whole, gateway.current.limits.estimates)
    const there = { ...entering, call: defaultedCall(asked, route) }
    planned = plannedElsewhere(plannedSpending(spenderOf(there, route, name)), route)
  } catch (thrown) {
    if (!(thrown instanceof GatewayError)) throw thrown
    return refuse()
  }
  const claims = claimsOf(limits, askedFor(entering, planned))
  const decision = await admission.ask(claims, priced(planned?.spending))
  if (decision?.granted === false && claims[decision.refused]?.kind === 'budget') return refuse()
  if (decision) tellLimits(request, { claims, decision }, admission.now)
  admission.elsewhere = { route: name, budget: id }
  limitOutput(door, planned)
  request.answerHeaders.push(elsewhereHeader, headerText(name))
  return route
}

const priced = (spending: MaximumCost | undefined) => ({
  isPriced: true,
  ofEachNanoUsd: spending?.ofEachNanoUsd ?? 0,
})

function askedFor({ size }: CountedCall, planned: Planned | undefined): ClaimedAmounts {
  const { plan, spending } = planned ?? {}
  const limit = plan?.by === 'gateway' ? plan.tokens : undefined
  return { isCounted: true, tokens: usualTokens(size, limit), ...(spending && { spending }) }
}

/** A redirect that costs nothing is not checked against the budget that caused it. */
function plannedElsewhere(planned: Planned | undefined, route: Route): Planned | undefined {
  const { model } = route
  if (!planned || !everyLevel(route).every((level) => level.every(({ price }) => price.isFree)))
    return planned
  const budgets = planned.spending.budgets.filter(
    ({ claim: { budget } }) => budget.overBudget?.route !== model,
  )
  return { ...planned, spending: { ...planned.spending, budgets } }
}
