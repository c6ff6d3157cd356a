import type { FastifyRequest } from 'fastify'
import { admit, type Door } from '@sluice/gateway/admit/admit.ts'
import type { Admitted } from '@sluice/gateway/admit/admit.ts'
import type { Call } from '@sluice/gateway/call/call.ts'
import type { Gateway } from './gateway.ts'
import type { Admission } from '@sluice/gateway/admit/admission.ts'
import {
  type ClaimedAmounts,
  type CallerLimits,
  claimsOf,
  type KeyLimits,
  limitsOf,
} from '@sluice/gateway/admit/claims.ts'
import { tellLimits } from '@sluice/gateway/admit/tell-limits.ts'
import type { Caller } from '@sluice/gateway/ports/api-key.ts'
import type { Address, Exchange } from './address.ts'

interface RequestAdmission {
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
  { request, admission, key, limits: defaults }: RequestAdmission,
): Promise<void> | undefined {
  const limits = limitsOf(key, defaults)
  if (isSized === true && limits.needsSize) return
  const asked = { isCounted: uncounted !== true, ...(isSized === true && { tokens: 0 }) }
  return reserve({ request, admission, limits, isPriced: limits.budgets.length === 0 }, asked)
}

/** Admits a call that came in a request. */
export function admitCall(exchange: Exchange, call: Call): Admitted | Promise<Admitted> {
  return admit(doorOf(exchange), call)
}

/** The door for the calls of a request. */
export function doorOf({ gateway, request, admission }: Exchange): Door<Gateway> {
  return { gateway, admission, limitHeaders: request }
}

/** Settles the reservations of an ended request with its actual usage. */
export function settle(
  { learnedSizes }: Gateway,
  { admission, call }: FastifyRequest,
  disconnected: boolean,
): void {
  admission?.end({ call, disconnected })
  const { usage, outcome, choices = 1 } = call?.trail ?? {}
  if (call && usage && outcome === 'completed')
    learnedSizes.learn(call.request.model, Math.ceil(usage.outputTokens / choices))
}

/** Counts a request that was found invalid before it was admitted. Returns the error to report. */
export async function admitFailed(
  thrown: unknown,
  request: FastifyRequest,
  { current }: Gateway,
): Promise<unknown> {
  const { admission, apiKey: key } = request
  if (!key || !admission || admission.isAsked) return thrown
  try {
    const limits = limitsOf(key, current.limits)
    await reserve({ request, admission, limits, isPriced: false }, { isCounted: true, tokens: 0 })
    return thrown
  } catch (refused) {
    return refused
  }
}

interface Reserving {
  readonly request: FastifyRequest
  readonly admission: Admission
  readonly limits: CallerLimits
  readonly isPriced: boolean
}

function reserve(
  { request, admission, limits, isPriced }: Reserving,
  asked: ClaimedAmounts,
): Promise<void> | undefined {
  const claims = claimsOf(limits, asked)
  const decision = admission.ask(claims, { isPriced })
  if (decision === undefined) return
  if (decision instanceof Promise)
    return decision.then((later) => tellLimits(request, { claims, decision: later }, admission.now))
  tellLimits(request, { claims, decision }, admission.now)
}
