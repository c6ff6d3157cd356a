import { operations, validate } from '@sluice/contract'
import type { UnsupportedMode } from '../settings/unsupported-mode.ts'
import type { Admitted } from '../admit/admitted.ts'
import { answerOf, formatContext } from './answer.ts'
import type { BegunResponse } from '../attempt/attempt.ts'
import type { Answer, Call } from '../call/call.ts'
import type { AnyRequest } from '../call/canonical.ts'
import type { CallParts } from '../attempt/call-parts.ts'
import { type RouteParts, routeOf } from '../route/call-route.ts'
import { fallback } from '../failover/fallback.ts'
import { asWritten, type CallDraft, formatReports, type CallRun } from '../attempt/call-run.ts'

/** Handles one inference call: obtains a response and writes it in the caller's format. */
export async function handle(gateway: CallParts, admitted: Admitted): Promise<Answer> {
  const run = openRun(gateway, admitted)
  return answerOf(run, began(run, await fallback(run)))
}

/** The run of an admitted call. */
export function openRun<Parts extends CallParts>(
  gateway: Parts,
  admitted: Admitted,
): CallRun<Parts> {
  const { call, route } = admitted
  return { gateway, call, route, admitted, canonical: canonicalOf(gateway, call) }
}

/** What would be sent of a call that was not admitted. Throws as `routeOf`. */
export async function draft(gateway: CallParts & RouteParts, call: Call): Promise<CallDraft> {
  const route = await routeOf(gateway, call)
  return { gateway, call, route, canonical: canonicalOf(gateway, call) }
}

/** The same run for another request of the caller; the route is kept. */
export function withCall<D extends CallDraft>(run: D, call: Call): D {
  return { ...run, call, canonical: canonicalOf(run.gateway, call) }
}

/** Runs a call until its response begins. */
export function begin(run: CallRun): Promise<BegunResponse> {
  return fallback(run).then((begun) => began(run, begun))
}

function began({ gateway, call: { trail } }: CallRun, begun: BegunResponse): BegunResponse {
  trail.upstreamMs = begun.firstContentMs
  trail.firstContentMs = gateway.now() - trail.startedAt
  return begun
}

/** The canonical request. Translated at most once per mode, and only if a target needs it. */
function canonicalOf(gateway: CallParts, call: Call): CallDraft['canonical'] {
  const made: Partial<Record<UnsupportedMode, AnyRequest>> = {}
  return (mode) => {
    const known = made[mode] ?? translate(gateway, call, mode)
    made[mode] = known
    return known
  }
}

function translate(gateway: CallParts, call: Call, mode: UnsupportedMode): AnyRequest {
  const { format, operation, request } = call
  const context = {
    ...formatContext(gateway, call.headers, call.trail),
    ...formatReports(call, mode),
  }
  const translated = format.toCanonical(request.value, context)
  // Requests in the gateway's own format were already validated when the call was created.
  if (format.isOwn === true) return translated
  const { request: schema, check } = operations[operation]
  try {
    const canonical = validate(schema, translated) as AnyRequest
    ;(check as ((request: AnyRequest) => void) | undefined)?.(canonical)
    return canonical
  } catch (thrown) {
    throw asWritten(call, thrown)
  }
}
