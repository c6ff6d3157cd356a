import { formatUsd, GatewayError, moneyOfNanoUsd } from '@sluice/contract'
import { isUtc, zonedParts } from '../accounts/budget-windows.ts'
import type { FormatHeaders } from '@sluice/protocols/format-headers.ts'
import type { Holder } from '../ports/account.ts'
import type { BudgetWindow, Decision, LimitStatus, RateClaim, Refusal } from '../ports/limiter.ts'
import type { HolderClaim } from './claims.ts'

/** Midnight in every time zone is at a quarter of an hour. */
const quarterMs = 900_000

export interface Decided {
  /** In the order in which they were claimed; `decision` refers to them by index. */
  readonly claims: readonly HolderClaim[]
  readonly decision: Decision
}

/** The headers of a response, to which those about limits are added. */
export interface LimitHeaders {
  /** Names and values alternating. */
  readonly answerHeaders: string[]
  /** Names the headers of the API that is spoken. */
  readonly face?: { readonly headers?: FormatHeaders }
}

/**
 * Appends rate limit headers to a response: OpenAI's, which all clients get, and those of the API that the caller uses. Of
 * several limits of a kind, the one closest to exhaustion is reported.
 *
 * @throws GatewayError if the decision is a refusal.
 */
export function tellLimits(
  { answerHeaders, face }: LimitHeaders,
  { claims, decision }: Decided,
  now: () => number,
): void {
  const { levels } = decision
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
    for (const { limit, remaining, reset } of face?.headers?.limits?.[unit] ?? [])
      answerHeaders.push(
        limit,
        String(level.limit),
        remaining,
        String(level.remaining),
        reset,
        timestamp(now() + level.resetMs),
      )
  }
  if (!decision.granted) throw refusal(claims, decision, { now })
}

function scarcest(
  claims: readonly HolderClaim[],
  levels: readonly LimitStatus[],
  unit: RateClaim['unit'],
): LimitStatus | undefined {
  let found: LimitStatus | undefined
  for (let index = 0; index < claims.length; index++) {
    const claim = claims[index]
    const level = levels[index]
    if (claim?.kind !== 'rate' || claim.unit !== unit || !level) continue
    if (!found || level.remaining < found.remaining) found = level
  }
  return found
}

/** Why a limit refused the claims of a request, or those of another attempt (`isAnother`), for the caller. */
export function refusal(
  claims: readonly HolderClaim[],
  { refused, retryAfterMs, levels }: Refusal,
  { now, isAnother = false }: { readonly now: () => number; readonly isAnother?: boolean },
): GatewayError {
  const claim = claims[refused]
  const level = levels[refused]
  if (!claim || !level) return new GatewayError('internal', 'A claim was refused that nobody made')
  if (claim.kind === 'budget')
    return new GatewayError(
      'quota_exceeded',
      spent(claim, level, { retryAfterMs, now, isAnother }),
      {
        retryAfterMs,
        isFinal: true,
      },
    )
  const again = `try again in ${duration(retryAfterMs)}`
  const who = levelText(claim.holder)
  if (claim.kind === 'concurrency')
    return new GatewayError(
      'rate_limited',
      `${who} may make ${claim.limit} requests at the same time; ${again}`,
      { retryAfterMs },
    )
  const { unit, limit, amount } = claim
  if (unit === 'requests')
    return new GatewayError(
      'rate_limited',
      `${who} may make ${limit} requests per minute; ${again}`,
      {
        retryAfterMs,
      },
    )
  const what = `${who} may use ${limit} tokens per minute, and this request may take ${amount}`
  const then = retryAfterMs === Infinity ? 'send a smaller one' : again
  return new GatewayError('rate_limited', `${what}; ${then}`, { retryAfterMs })
}

/** A level, as the subject of a sentence. */
export function levelText({ kind, name }: Holder): string {
  return kind === 'key' ? 'This key' : `The ${kind} ${name}`
}

function spent(
  { holder, budget, window, limit, amount }: Extract<HolderClaim, { kind: 'budget' }>,
  { remaining }: LimitStatus,
  {
    retryAfterMs,
    now,
    isAnother,
  }: { readonly retryAfterMs: number; readonly now: () => number; readonly isAnother: boolean },
): string {
  const whose = holder.kind === 'key' ? 'this key' : `the ${holder.kind} ${holder.name}`
  const { model, tag } = budget ?? {}
  const what = [
    ...(model === undefined ? [] : [` for ${model}`]),
    ...(tag === undefined ? [] : [` for the tag ${tag}`]),
  ].join('')
  const usd = (nanoUsd: number) => `$${formatUsd(moneyOfNanoUsd(nanoUsd))}`
  const which = `The ${windowName(window)} budget of ${usd(limit)}${what} of ${whose}`
  const needs = isAnother ? 'another attempt needs' : 'this request may cost up to'
  const left = `has ${usd(remaining)} left, and ${needs} ${usd(amount)}`
  if (amount > limit) return `${which} ${left}; that is more than the whole budget`
  if (retryAfterMs === Infinity) return `${which} ${left}; the budget does not reset`
  const until = now() + retryAfterMs
  // Even if the limiter's clock differs.
  const end = typeof window === 'number' ? until : Math.round(until / quarterMs) * quarterMs
  return `${which} ${left}; the budget resets at ${new Date(end).toISOString().slice(0, 19)}Z`
}

function windowName(window: BudgetWindow): string {
  if (typeof window === 'number') return `${window}-hour`
  if (window === 'lifetime') return window
  const names = { day: 'daily', week: 'weekly', month: 'monthly' }
  if (isUtc(window)) return names[window]
  const { calendar, zone } = zonedParts(window)
  return `${names[calendar]} (${zone})`
}

/** RFC 3339 in whole seconds, rounded up, so that a retry is never too early. */
function timestamp(at: number): string {
  return `${new Date(Math.ceil(at / 1000) * 1000).toISOString().slice(0, 19)}Z`
}

/** `12ms`, `1.5s`, `6m0s`, the format OpenAI uses for reset times. */
function duration(ms: number): string {
  if (ms < 1000) return `${Math.ceil(ms)}ms`
  // Rounded up, so that a retry is never too early.
  if (ms <= 59_900) return `${Math.ceil(ms / 100) / 10}s`
  const seconds = Math.ceil(ms / 1000)
  return `${Math.floor(seconds / 60)}m${seconds % 60}s`
}
