import type { FastifyRequest } from 'fastify'
import { GatewayError } from '@sluice/contract'
import { tokensOf } from '../gateway/limits/call-size.ts'
import { type Admission, actualOf } from '../gateway/limits/admission.ts'
import { type Asked, claimsOf, type KeyLimits, needsSize } from '../gateway/limits/claims.ts'
import type { Call } from '../gateway/call.ts'
import type { Gateway } from '../gateway/gateway.ts'
import type { Caller } from '../ports/api-key.ts'
import type { Claim, Decision, Level, RateClaim, Refusal } from '../ports/limiter.ts'
import type { Address, Exchange, ServerOptions } from './address.ts'

interface Entering {
  readonly request: FastifyRequest
  readonly admission: Admission
  readonly key: Caller
  readonly limits: KeyLimits
}

/**
 * Reserves what a request may take, before its body is read unless a limit asks for that. Every answer says how much is left
 * (OpenAI API, rate limit headers); beyond a limit: `rate_limited` with Retry-After. A promise only where the limiter has to
 * wait.
 */
export function admitEntering(
  { uncounted, isSized }: Pick<Address, 'uncounted' | 'isSized'>,
  entering: Entering,
): Promise<void> | undefined {
  if (isSized === true && needsSize(entering.limits)) return
  return admit(entering, { isCounted: uncounted !== true, tokens: 0 })
}

/** The same for a call that is as large as its limits asked; nothing where the request was let in before. */
export function admitCall(exchange: Exchange, call: Call): Promise<void> | undefined {
  const { gateway, options, request, key, admission } = exchange
  if (admission.isGranted) return
  const tokens = tokensOf(call, gateway.learnedSizes)
  return admit(
    { request, admission, key, limits: options.keyLimits() },
    { isCounted: true, tokens },
  )
}

/** The request is over: what was reserved for it becomes what it has used. */
export function settle(
  { learnedSizes }: Gateway,
  { admission, call }: FastifyRequest,
  left: boolean,
): void {
  admission?.end(actualOf(call, { left }))
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
    const limits = options.keyLimits()
    await admit({ request, admission, key, limits }, { isCounted: true, tokens: 0 })
    return thrown
  } catch (refused) {
    return refused
  }
}

function admit(
  { request, admission, key, limits }: Entering,
  asked: Asked,
): Promise<void> | undefined {
  const decision = admission.ask(claimsOf(key, limits, asked))
  if (decision === undefined) return
  if (decision instanceof Promise) return decision.then((later) => tell(later, request))
  tell(decision, request)
}

function tell(decision: Decision, { answerHeaders }: FastifyRequest): void {
  const { claims, levels } = decision
  for (const unit of ['requests', 'tokens'] as const) {
    const level = scarcest(claims, levels, unit)
    if (!level) continue
    answerHeaders.push(
      `x-ratelimit-limit-${unit}`,
      String(level.limit),
      `x-ratelimit-remaining-${unit}`,
      String(level.remaining),
      `x-ratelimit-reset-${unit}`,
      duration(level.resetMs),
    )
  }
  if (!decision.granted) throw refusal(decision)
}

/** Of several limits the one that is reached first. */
function scarcest(
  claims: readonly Claim[],
  levels: readonly Level[],
  unit: RateClaim['unit'],
): Level | undefined {
  let found: Level | undefined
  for (let index = 0; index < claims.length; index++) {
    const claim = claims[index]
    const level = levels[index]
    if (claim?.kind !== 'rate' || claim.unit !== unit || !level) continue
    if (!found || level.remaining < found.remaining) found = level
  }
  return found
}

function refusal({ claims, refused, retryAfterMs }: Refusal): GatewayError {
  const claim = claims[refused]
  if (!claim) return new GatewayError('internal', 'A claim was refused that nobody made')
  const again = `try again in ${duration(retryAfterMs)}`
  if (claim.kind === 'budget')
    return new GatewayError('quota_exceeded', 'The budget is used up', { retryAfterMs: Infinity })
  if (claim.kind === 'concurrency')
    return new GatewayError(
      'rate_limited',
      `This key may make ${claim.limit} requests at the same time; ${again}`,
      { retryAfterMs },
    )
  const { unit, limit, amount } = claim
  if (unit === 'requests')
    return new GatewayError(
      'rate_limited',
      `This key may make ${limit} requests per minute; ${again}`,
      { retryAfterMs },
    )
  const what = `This key may use ${limit} tokens per minute, and this request may take ${amount}`
  const then = retryAfterMs === Infinity ? 'ask for less' : again
  return new GatewayError('rate_limited', `${what}; ${then}`, { retryAfterMs })
}

/** `12ms`, `1.5s`, `6m0s`, as OpenAI writes the time to a reset. */
function duration(ms: number): string {
  if (ms < 1000) return `${Math.ceil(ms)}ms`
  if (ms < 60_000) return `${Math.round(ms / 100) / 10}s`
  const seconds = Math.ceil(ms / 1000)
  return `${Math.floor(seconds / 60)}m${seconds % 60}s`
}
