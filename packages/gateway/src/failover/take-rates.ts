import { GatewayError } from '@sluice/contract'
import { sizeOf, usualTokens } from '../admit/call-size.ts'
import { usualEstimates } from '../admit/input-size.ts'
import type { CallDraft, CallRun } from '../attempt/call-run.ts'
import type { HeldRoom } from '../attempt/taken-slots.ts'
import type { RateClaim, Reservation } from '../ports/limiter.ts'
import type { CallParts } from '../attempt/call-parts.ts'
import type { Target, TargetRate } from '../route/routing.ts'

/** Rates have no lease: what is not settled stays used. */
const leaseMs = 60_000

/**
 * Reserves a try's part of the rates of its target: `requests`, and the tokens that the call usually uses. No more than a limit, so
 * that the largest call is served by a target that has all of it left.
 *
 * @throws GatewayError `upstream_rate_limited` if a limit lacks room, with the time when it has it.
 */
export async function takeRates(
  run: CallRun,
  { id, rates }: Target,
  requests: number,
): Promise<HeldRoom> {
  const { gateway, call } = run
  const claims = claimsAt(run, rates, requests)
  const decision = await gateway.limiter.reserve(claims, leaseMs)
  if (!decision.granted) {
    const { retryAfterMs, refused } = decision
    const { limitedTargets = new Map<string, number>() } = call.trail
    call.trail.limitedTargets = limitedTargets.set(id, gateway.now() + retryAfterMs)
    throw new GatewayError('upstream_rate_limited', `${id} is ${limitText(claims[refused])}`, {
      retryAfterMs,
    })
  }
  call.trail.limitedTargets?.delete(id)
  return heldRates(gateway, decision)
}

/** The tokens that a call usually uses. */
export function tokensOf({ gateway, call }: CallDraft): number {
  const sizing = { learned: gateway.learnedSizes, estimates: usualEstimates }
  return usualTokens(sizeOf(call, sizing))
}

/** What a try asks of the rates of its target. */
export function claimsAt(
  run: CallDraft,
  rates: readonly TargetRate[],
  requests: number,
): readonly RateClaim[] {
  const tokens = rates.some(({ unit }) => unit === 'tokens') ? tokensOf(run) : 0
  const amounts = { requests, tokens }
  return rates.map(({ bucket, unit, limit }) => ({
    kind: 'rate',
    bucket,
    unit,
    limit,
    amount: Math.min(amounts[unit], limit),
  }))
}

/** Why a target is passed over. */
export function limitText(rate: TargetRate | undefined): string {
  return `at its limit (${rate?.unit}PerMinute: ${rate?.limit})`
}

function heldRates({ limiter }: Pick<CallParts, 'limiter'>, reservation: Reservation): HeldRoom {
  return {
    leave: ({ requests, tokens }) =>
      void limiter.settle(reservation, { requests, ...(tokens !== undefined && { tokens }) }),
  }
}
