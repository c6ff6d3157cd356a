import { GatewayError } from '@sluice/contract'
import type { ApiKey } from '../ports/api-key.ts'
import type { Limiter, LimiterAnswer } from '../ports/limiter.ts'

/**
 * Takes one request from the key's bucket. Every answer says how much is left (OpenAI API, rate limit headers); beyond
 * the limit: `rate_limited` with Retry-After. `fallbackRate` is the configured default, requests per minute. A promise only
 * where the limiter has to wait.
 */
export function admit(
  limiter: Limiter,
  { id, requestsPerMinute }: ApiKey,
  fallbackRate: number | undefined,
  answerHeaders: string[],
): Promise<void> | undefined {
  const rate = requestsPerMinute ?? fallbackRate
  if (rate === undefined) return
  const answer = limiter.take(id, rate)
  if (answer instanceof Promise) return answer.then((later) => tell(later, answerHeaders))
  tell(answer, answerHeaders)
}

function tell(
  { allowed, limit, remaining, resetMs, retryAfterMs }: LimiterAnswer,
  answerHeaders: string[],
): void {
  answerHeaders.push(
    'x-ratelimit-limit-requests',
    String(limit),
    'x-ratelimit-remaining-requests',
    String(remaining),
    'x-ratelimit-reset-requests',
    duration(resetMs),
  )
  if (!allowed)
    throw new GatewayError(
      'rate_limited',
      `This key may make ${limit} requests per minute; try again in ${duration(retryAfterMs)}`,
      { retryAfterMs },
    )
}

/** `12ms`, `1.5s`, `6m0s`, as OpenAI writes the time to a reset. */
function duration(ms: number): string {
  if (ms < 1000) return `${Math.ceil(ms)}ms`
  if (ms < 60_000) return `${Math.round(ms / 100) / 10}s`
  const seconds = Math.ceil(ms / 1000)
  return `${Math.floor(seconds / 60)}m${seconds % 60}s`
}
