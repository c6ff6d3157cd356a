import { GatewayError } from '@sluice/contract'
import type { FastifyRequest } from 'fastify'
import type { Call } from '../gateway/call.ts'
import type { Gateway } from '../gateway/gateway.ts'
import { routeOf } from '../gateway/handle.ts'
import { type Admission, actualOf } from '../gateway/limits/admission.ts'
import { estimatedCost, leastMicroUsd } from '../gateway/limits/call-cost.ts'
import { sizeOf, tokensOf } from '../gateway/limits/call-size.ts'
import {
  type Asked,
  type CallerLimits,
  claimsOf,
  type KeyLimits,
  limitsOf,
  type Spending,
} from '../gateway/limits/claims.ts'
import { tellLimits } from '../gateway/limits/tell-limits.ts'
import type { Route } from '../gateway/route/routing.ts'
import type { Caller } from '../ports/api-key.ts'
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
  const asked = { isCounted: uncounted !== true, tokens: 0 }
  return admit({ request, admission, limits, isPriced: limits.budgets.length === 0 }, asked)
}

/** The same for a call that is as large as its limits asked; nothing where the request was let in before. */
export function admitCall(exchange: Exchange, call: Call): Promise<void> | undefined {
  const { gateway, options, request, key, admission } = exchange
  if (admission.isGranted) return
  const limits = limitsOf(key, options.keyLimits())
  const size = sizeOf(call, gateway.learnedSizes)
  const asked = { isCounted: true, tokens: tokensOf(size) }
  const admitting = { request, admission, limits, isPriced: true }
  if (limits.budgets.length === 0) return admit(admitting, asked)
  const withRoute = (route: Route) => {
    const spending = spendingOf(exchange, { call, limits, route })
    return admit(admitting, spending ? { ...asked, spending } : asked)
  }
  const found = routeOf(gateway, call)
  return found instanceof Promise ? found.then(withRoute) : withRoute(found)
}

/** The request is over: what was reserved for it becomes what it has used. */
export function settle(
  { learnedSizes }: Gateway,
  { admission, call }: FastifyRequest,
  left: boolean,
): void {
  if (admission) {
    const { reservedMicroUsd } = admission
    admission.end(actualOf(call, { left, reservedMicroUsd }))
  }
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
    return decision.then((later) => tellLimits(request.answerHeaders, { claims, decision: later }))
  tellLimits(request.answerHeaders, { claims, decision })
}

/**
 * What a call may cost, for the budgets that count it; undefined where none does.
 *
 * @throws GatewayError `forbidden` where nobody knows what it may cost.
 */
function spendingOf(
  { gateway, options }: Exchange,
  {
    call,
    limits,
    route,
  }: { readonly call: Call; readonly limits: CallerLimits; readonly route: Route },
): Spending | undefined {
  const { model } = call.request
  const names = [typeof model === 'string' ? model : route.model]
  for (const level of route.levels) for (const { id } of level) names.push(id)
  const budgets = limits.budgets.filter(({ counts }) => counts(names, call.tags))
  if (budgets.length === 0) return undefined
  const size = sizeOf(call, gateway.learnedSizes)
  const microUsd = estimatedCost(call, { route, size, at: gateway.now() })
  if (microUsd !== undefined) return { microUsd, budgets }
  if (options.keyLimits().unknownPrices === 'allow') return { microUsd: leastMicroUsd, budgets }
  throw new GatewayError(
    'forbidden',
    `Nobody knows what ${names[0]} costs, and this key has a budget: its price has to be set first`,
    { param: 'model' },
  )
}
