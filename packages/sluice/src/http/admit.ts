import { GatewayError } from '@sluice/contract'
import type { FastifyRequest } from 'fastify'
import { headerText } from '../gateway/answer.ts'
import type { Call } from '../gateway/call.ts'
import type { Gateway } from '../gateway/gateway.ts'
import { routeOf } from '../gateway/handle.ts'
import { keptTokens } from '../gateway/kept/kept-answers.ts'
import { type Admission, actualOf } from '../gateway/limits/admission.ts'
import { estimatedCost, leastMicroUsd } from '../gateway/limits/call-cost.ts'
import { type CallSize, continuedBy, sizeOf, tokensOf } from '../gateway/limits/call-size.ts'
import {
  type Asked,
  type CallerLimits,
  claimsOf,
  type KeyLimits,
  limitsOf,
  type Spending,
} from '../gateway/limits/claims.ts'
import { usualEstimates } from '../gateway/limits/input-size.ts'
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
  /** Of keys that have none of their own. */
  readonly limits: KeyLimits
}

/**
 * Reserves what a request may take, before its body is read unless a limit asks for that. Every answer says how much is left
 * (OpenAI API, rate limit headers); beyond a limit: `rate_limited` with Retry-After. A promise only where the limiter has to
 * wait.
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

/** The same for a call that is as large as its limits asked; nothing where the request was let in before. */
export function admitCall(exchange: Exchange, call: Call): Promise<void> | undefined {
  const { gateway, options, request, key, admission } = exchange
  if (admission.isGranted) return
  const limits = limitsOf(key, options.keyLimits())
  const { estimates = usualEstimates } = options.keyLimits()
  const sized = (history?: number): Promise<void> | undefined => {
    const size = sizeOf(call, { learned: gateway.learnedSizes, estimates, history })
    const entering: EnteringCall = { exchange, call, limits, size }
    if (limits.budgets.length > 0) return admitPriced(entering)
    const asked = { isCounted: true, tokens: tokensOf(size) }
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

/** Asks for a call to this route, and where a budget has no money for it and says so, for the route that costs less. */
function admitTo(entering: EnteringCall, route: Route): Promise<void> | undefined {
  const { exchange, limits } = entering
  const { request, admission } = exchange
  const spending = spendingOf(entering, route)
  const claims = claimsOf(limits, askedFor(entering, spending))
  const decision = admission.ask(claims, priced(spending))
  if (decision === undefined) return
  const decided = (one: Decision): Promise<void> | undefined => {
    const refused = one.granted ? undefined : claims[one.refused]?.budget
    if (refused?.overBudget) return admitElsewhere(entering, { claims, decision: one }, refused)
    tellLimits(request.answerHeaders, { claims, decision: one }, admission.now)
  }
  return decision instanceof Promise ? decision.then(decided) : decided(decision)
}

/** Says where a call went that a budget had no money for. */
const elsewhereHeader = 'x-sluice-over-budget'

/**
 * Asks again for the route that a budget names. The first refusal stands where the caller may not use it, nobody knows what
 * it costs, or that does not fit either.
 */
async function admitElsewhere(
  entering: EnteringCall,
  first: Decided,
  { id, overBudget }: Budget,
): Promise<void> {
  const { exchange, call, limits } = entering
  const { request, admission, gateway, key } = exchange
  const { answerHeaders } = request
  const name = overBudget?.route ?? ''
  let spending: Spending | undefined
  try {
    const route = await gateway.routing().route(name, key, call.operation)
    spending = spendingElsewhere(spendingOf(entering, route, name), route)
  } catch (thrown) {
    if (!(thrown instanceof GatewayError)) throw thrown
    return tellLimits(answerHeaders, first, admission.now)
  }
  const claims = claimsOf(limits, askedFor(entering, spending))
  const decision = await admission.ask(claims, priced(spending))
  if (decision?.granted === false && claims[decision.refused]?.kind === 'budget')
    return tellLimits(answerHeaders, first, admission.now)
  if (decision) tellLimits(answerHeaders, { claims, decision }, admission.now)
  admission.goElsewhere({ route: name, budget: id })
  answerHeaders.push(elsewhereHeader, headerText(name))
}

const priced = (spending: Spending | undefined) => ({
  isPriced: true,
  ofEachMicroUsd: spending?.ofEachMicroUsd ?? 0,
})

function askedFor({ size }: EnteringCall, spending: Spending | undefined): Asked {
  return { isCounted: true, tokens: tokensOf(size), ...(spending && { spending }) }
}

/** What costs nothing is not held up by a budget that sends it there. */
function spendingElsewhere(
  spending: Spending | undefined,
  { model, levels }: Route,
): Spending | undefined {
  if (!spending || !levels.every((level) => level.every(({ price }) => price.isFree)))
    return spending
  const budgets = spending.budgets.filter(
    ({ claim: { budget } }) => budget.overBudget?.route !== model,
  )
  return { ...spending, budgets }
}

/** The request is over: what was reserved for it becomes what it has used. */
export function settle(
  { learnedSizes }: Gateway,
  { admission, call }: FastifyRequest,
  left: boolean,
): void {
  admission?.end(actualOf(call, admission.claims, left))
  if (call?.trail.usage && call.trail.outcome === 'completed')
    learnedSizes.learn(call.request.model, call.trail.usage.outputTokens)
}

/** What is wrong in a request shows before it is let in: it counts all the same. Returns what its caller is told. */
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
    return decision.then((later) =>
      tellLimits(request.answerHeaders, { claims, decision: later }, admission.now),
    )
  tellLimits(request.answerHeaders, { claims, decision }, admission.now)
}

/**
 * What a call may cost by this route, for the budgets that count it; undefined where none does. `asked` is the name that leads
 * there.
 *
 * @throws GatewayError `forbidden` where nobody knows what it may cost.
 */
function spendingOf(
  { exchange: { gateway, options }, call, limits, size }: EnteringCall,
  route: Route,
  asked: unknown = call.request.model,
): Spending | undefined {
  const names = [typeof asked === 'string' ? asked : route.model]
  // A budget for a model counts it at every provider, however the caller names it.
  for (const level of route.levels)
    for (const { id, model } of level) names.push(id, id.slice(id.indexOf('/') + 1), model)
  const budgets = limits.budgets.filter(({ counts }) => counts(names, call.tags))
  if (budgets.length === 0) return undefined
  const cost = estimatedCost(call, { route, size, at: gateway.now() })
  if (cost) return { ...cost, budgets }
  if (options.keyLimits().unknownPrices === 'allow')
    return { microUsd: leastMicroUsd, ofEachMicroUsd: leastMicroUsd, budgets }
  throw new GatewayError(
    'forbidden',
    `Nobody knows what ${names[0]} costs, and this key has a budget: its price has to be set first`,
    { param: 'model' },
  )
}
