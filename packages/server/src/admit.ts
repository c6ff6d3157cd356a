import type { FastifyRequest } from 'fastify'
import { assertAddress, assertOperation } from '@sluice/gateway/accounts/allowed.ts'
import { callerOf } from '@sluice/gateway/accounts/callers.ts'
import type { Admission } from '@sluice/gateway/admit/admission.ts'
import {
  type CallerLimits,
  type ClaimedAmounts,
  claimsOf,
  limitsOf,
} from '@sluice/gateway/admit/claims.ts'
import { tellLimits } from '@sluice/gateway/admit/tell-limits.ts'
import type { Cancellation } from '@sluice/gateway/call/cancellation.ts'
import type { Caller } from '@sluice/gateway/ports/api-key.ts'
import type { Address, ServerOptions } from './address.ts'
import { authenticate, clientAddress, requireAdministrator } from './authenticate.ts'
import type { Gateway } from './gateway.ts'

const nobody = callerOf({
  id: '',
  name: '',
  hash: '',
  role: 'caller',
  prefix: '',
  createdAt: 0,
  models: [],
})

interface EnteringRequest {
  readonly gateway: Gateway
  readonly options: ServerOptions
  readonly request: FastifyRequest
  readonly admission: Admission
  readonly cancellation: Cancellation
}

/** Authenticates a request and admits it if its key, levels and limits allow it. */
export function enter(address: Address, entering: EnteringRequest): Caller | Promise<Caller> {
  if (address.access === 'open') return nobody
  const { gateway, request, options } = entering
  const takesSession = address.access !== 'caller' || address.isForConsole === true
  const found = authenticate(gateway, request, options, takesSession)
  return found instanceof Promise
    ? found.then((key) => letIn(key, address, entering))
    : letIn(found, address, entering)
}

function letIn(
  key: Caller,
  { access, operation, uncounted, isSized }: Address,
  entering: EnteringRequest,
): Caller | Promise<Caller> {
  const { gateway, options, request, admission } = entering
  request.apiKey = key
  assertAddress(key, clientAddress(request, options.trustedProxies))
  if (operation !== undefined) assertOperation(key, operation)
  if (typeof access !== 'string') requireAdministrator(key, access)
  const limits = limitsOf(key, gateway.current.limits)
  // Before the body is read, unless a limit depends on its size.
  if (isSized === true && limits.needsSize) return takeSlot(key, entering)
  const asked = { isCounted: uncounted !== true, ...(isSized === true && { tokens: 0 }) }
  const isPriced = limits.budgets.length === 0
  const waiting = reserve({ request, admission, limits, isPriced }, asked)
  return waiting ? waiting.then(() => takeSlot(key, entering)) : takeSlot(key, entering)
}

/** Takes one of the slots shared by all keys; waits in turn with other keys if none is free. */
function takeSlot(
  key: Caller,
  { gateway, request, cancellation }: EnteringRequest,
): Caller | Promise<Caller> {
  const bounds = gateway.current.slotLimits
  if (!bounds) return key
  const ticket = gateway.slots.enter(key.id, bounds)
  request.ticket = ticket
  if (!ticket.entered) return key
  const leaving = { cancelled: () => ticket.leave() }
  cancellation.add(leaving)
  return ticket.entered.then(
    () => {
      cancellation.remove(leaving)
      return key
    },
    (error: unknown) => {
      cancellation.remove(leaving)
      throw cancellation.isCancelled ? cancellation.error : error
    },
  )
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

/**
 * Reserves what a request may use. Rate limit headers are set on every response (OpenAI API, rate limit headers); beyond a limit it
 * throws `rate_limited` with Retry-After. Returns a promise only if the limiter is asynchronous.
 */
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
