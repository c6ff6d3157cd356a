import { GatewayError } from '@sluice/contract'
import type { FastifyRequest } from 'fastify'
import { headerText } from '../gateway/answer.ts'
import type { Call } from '../gateway/call.ts'
import type { Gateway } from '../gateway/gateway.ts'
import { routeOf } from '../gateway/handle.ts'
import { keptTokens } from '../gateway/kept/kept-answers.ts'
import { type Admission, actualOf } from '../gateway/limits/admission.ts'
import { type CallSize, continuedBy, sizeOf, usualTokens } from '../gateway/limits/call-size.ts'
import {
  type Asked,
  type CallerLimits,
  claimsOf,
  type KeyLimits,
  limitsOf,
  type Spending,
} from '../gateway/limits/claims.ts'
import { usualEstimates } from '../gateway/limits/input-size.ts'
import {
  type Planned,
  plannedSpending,
  planForRoom,
  type Spender,
} from '../gateway/limits/spending.ts'
import { type Decided, tellLimits } from '../gateway/limits/tell-limits.ts'
import type { Route } from '../gateway/route/routing.ts'
import type { Budget } from '../ports/account.ts'
import type { Caller } from '../ports/api-key.ts'
import type { Decision } from '../ports/limiter.ts'
import type { Address, Exchange, ServerOptions } from './address.ts'

interface Entering {
  readonly request: FastifyRequest
  readonly admission: Admission
  readonly key: Caller
  /** The default limits of keys. */
  readonly limits: KeyLimits
}

/**
 * Reserves what a request may use, before its body is read unless a limit depends on its size. Rate limit headers are set on
 * every response (OpenAI API, rate limit headers); beyond a limit it throws `rate_limited` with Retry-After. Returns a promise
 * only if the limiter is asynchronous.
 */
export function admitEntering(
  { uncounted, isSized }: Pick<Address, 'uncounted' | 'isSized'>,
  { request, admission, key, limits: defaults }: Entering,
): Promise<void> | undefined {
  const limits = limitsOf(key, defaults)
  if (isSized === true && limits.needsSize) return
  const asked = { isCounted: uncounted !== true, ...(isSized === true && { tokens: 0 }) }
  return admit({ request, admission, limits, isPriced: limits.budgets.length === 0 }, asked)
}

/** As `admitEntering`, for a call whose size is now known. Does nothing if the request was already admitted. */
export function admitCall(exchange: Exchange, call: Call): Promise<void> | undefined {
  const { gateway, options, request, key, admission } = exchange
  if (admission.isGranted) return
  const limits = limitsOf(key, options.keyLimits())
  const { estimates = usualEstimates } = options.keyLimits()
  const sized = (history?: number): Promise<void> | undefined => {
    const size = sizeOf(call, { learned: gateway.learnedSizes, estimates, history })
    call.trail.choices = size.measured.choices
    const entering: EnteringCall = { exchange, call, limits, size }
    if (limits.budgets.length > 0) return admitPriced(entering)
    const asked = { isCounted: true, tokens: usualTokens(size) }
    return admit({ request, admission, limits, isPriced: true }, asked)
  }
  const previous = limits.needsSize ? continuedBy(call) : undefined
  return previous === undefined ? sized() : keptTokens(gateway.store, call, previous).then(sized)
}

function admitPriced(entering: EnteringCall): Promise<void> | undefined {
  const {
    exchange: { gateway },
    call,
  } = entering
  const found = routeOf(gateway, call)
  return found instanceof Promise
    ? found.then((route) => admitTo(entering, route))
    : admitTo(entering, found)
}

interface EnteringCall {
  readonly exchange: Exchange
  readonly call: Call
  readonly limits: CallerLimits
  readonly size: CallSize
}

/**
 * Requests admission for this route. If a budget lacks room for a response that the caller did not limit, the room that it has is
 * the limit. If it is exhausted and has an `overBudget` route, that route is tried.
 */
function admitTo(entering: EnteringCall, route: Route): Promise<void> | undefined {
  const spender = spenderOf(entering, route)
  return admitPlanned(entering, spender, { planned: plannedSpending(spender), fittings: 0 })
}

/** How often a limit is fitted to what others leave meanwhile. */
const fittingsMax = 3

interface Planning {
  readonly planned: Planned | undefined
  readonly fittings: number
}

function admitPlanned(
  entering: EnteringCall,
  spender: Spender,
  { planned, fittings }: Planning,
): Promise<void> | undefined {
  const { exchange, limits } = entering
  const { request, admission } = exchange
  const claims = claimsOf(limits, askedFor(entering, planned))
  const decision = admission.ask(claims, priced(planned?.spending))
  if (decision === undefined) return
  const decided = (one: Decision): Promise<void> | undefined => {
    const smaller =
      planned && fittings < fittingsMax
        ? planForRoom(spender, planned, { claims, decision: one })
        : undefined
    if (smaller)
      return admitPlanned(entering, spender, { planned: smaller, fittings: fittings + 1 })
    const refused = one.granted ? undefined : claims[one.refused]?.budget
    if (refused?.overBudget) return admitElsewhere(entering, { claims, decision: one }, refused)
    tellLimits(request, { claims, decision: one }, admission.now)
    limitOutput(exchange, planned)
  }
  return decision instanceof Promise ? decision.then(decided) : decided(decision)
}

/** Tells the limit that the gateway sets to the output. */
const outputLimitHeader = 'x-sluice-output-limit'

function limitOutput({ request, admission }: Exchange, planned: Planned | undefined): void {
  if (planned?.plan.by !== 'gateway') return
  admission.limitOutput(planned.plan.tokens)
  request.answerHeaders.push(outputLimitHeader, String(planned.plan.tokens))
}

function spenderOf(
  { exchange: { gateway, options }, call, limits, size }: EnteringCall,
  route: Route,
  asked: unknown = call.request.model,
): Spender {
  const name = typeof asked === 'string' ? asked : route.model
  const at = gateway.now()
  return { call, limits, settings: options.keyLimits(), size, route, asked: name, at }
}

/** Names the route a call was redirected to by an exhausted budget. */
const elsewhereHeader = 'x-sluice-over-budget'

/**
 * Requests admission for the budget's `overBudget` route. The first refusal stands if the caller may not use that route, its
 * cost is unknown, or the budget does not cover it either.
 */
async function admitElsewhere(
  entering: EnteringCall,
  first: Decided,
  { id, overBudget }: Budget,
): Promise<void> {
  const { exchange, call, limits } = entering
  const { request, admission, gateway, key } = exchange
  const name = overBudget?.route ?? ''
  let planned: Planned | undefined
  try {
    const route = await gateway.routing().route(name, key, call.operation)
    planned = plannedElsewhere(plannedSpending(spenderOf(entering, route, name)), route)
  } catch (thrown) {
    if (!(thrown instanceof GatewayError)) throw thrown
    return tellLimits(request, first, admission.now)
  }
  const claims = claimsOf(limits, askedFor(entering, planned))
  const decision = await admission.ask(claims, priced(planned?.spending))
  if (decision?.granted === false && claims[decision.refused]?.kind === 'budget')
    return tellLimits(request, first, admission.now)
  if (decision) tellLimits(request, { claims, decision }, admission.now)
  admission.goElsewhere({ route: name, budget: id })
  limitOutput(exchange, planned)
  request.answerHeaders.push(elsewhereHeader, headerText(name))
}

const priced = (spending: Spending | undefined) => ({
  isPriced: true,
  ofEachNanoUsd: spending?.ofEachNanoUsd ?? 0,
})

function askedFor({ size }: EnteringCall, planned: Planned | undefined): Asked {
  const { plan, spending } = planned ?? {}
  const limit = plan?.by === 'gateway' ? plan.tokens : undefined
  return { isCounted: true, tokens: usualTokens(size, limit), ...(spending && { spending }) }
}

/** A redirect that costs nothing is not checked against the budget that caused it. */
function plannedElsewhere(
  planned: Planned | undefined,
  { model, levels }: Route,
): Planned | undefined {
  if (!planned || !levels.every((level) => level.every(({ price }) => price.isFree))) return planned
  const budgets = planned.spending.budgets.filter(
    ({ claim: { budget } }) => budget.overBudget?.route !== model,
  )
  return { ...planned, spending: { ...planned.spending, budgets } }
}

/** Settles the reservations of an ended request with its actual usage. */
export function settle(
  { learnedSizes }: Gateway,
  { admission, call }: FastifyRequest,
  left: boolean,
): void {
  admission?.end(actualOf(call, admission.claims, left))
  const { usage, outcome, choices = 1 } = call?.trail ?? {}
  if (call && usage && outcome === 'completed')
    learnedSizes.learn(call.request.model, Math.ceil(usage.outputTokens / choices))
}

/** Counts a request that was found invalid before it was admitted. Returns the error to report. */
export async function admitFailed(
  thrown: unknown,
  request: FastifyRequest,
  options: ServerOptions,
): Promise<unknown> {
  const { admission, apiKey: key } = request
  if (!key || !admission || admission.isAsked) return thrown
  try {
    const limits = limitsOf(key, options.keyLimits())
    await admit({ request, admission, limits, isPriced: false }, { isCounted: true, tokens: 0 })
    return thrown
  } catch (refused) {
    return refused
  }
}

interface Admitting {
  readonly request: FastifyRequest
  readonly admission: Admission
  readonly limits: CallerLimits
  readonly isPriced: boolean
}

function admit(
  { request, admission, limits, isPriced }: Admitting,
  asked: Asked,
): Promise<void> | undefined {
  const claims = claimsOf(limits, asked)
  const decision = admission.ask(claims, { isPriced })
  if (decision === undefined) return
  if (decision instanceof Promise)
    return decision.then((later) => tellLimits(request, { claims, decision: later }, admission.now))
  tellLimits(request, { claims, decision }, admission.now)
}
