import type { Caller } from '../../ports/api-key.ts'
import type { Claim } from '../../ports/limiter.ts'

/** The limits of keys that have none of their own; absent means none. */
export interface KeyLimits {
  readonly requestsPerMinute?: number
  /** Input and output together. */
  readonly tokensPerMinute?: number
  readonly concurrentRequestsPerKey?: number
}

/** What a request wants to take. */
export interface Asked {
  /** Whether it counts as a request. */
  readonly isCounted: boolean
  /** 0 where it is not known yet, or none are used. */
  readonly tokens: number
}

/** Every limit that a request of a key is held to: the one place that knows them. Each is a bucket of its own. */
export function claimsOf(
  key: Caller,
  limits: KeyLimits,
  { isCounted, tokens }: Asked,
): readonly Claim[] {
  const claims: Claim[] = []
  const { id } = key
  const rate = key.requestsPerMinute ?? limits.requestsPerMinute
  if (isCounted && rate !== undefined)
    claims.push({
      kind: 'rate',
      bucket: `${id}:requests`,
      unit: 'requests',
      limit: rate,
      amount: 1,
    })
  const { tokensPerMinute, concurrentRequestsPerKey } = limits
  if (tokensPerMinute !== undefined)
    claims.push({
      kind: 'rate',
      bucket: `${id}:tokens`,
      unit: 'tokens',
      limit: tokensPerMinute,
      amount: tokens,
    })
  if (concurrentRequestsPerKey !== undefined)
    claims.push({ kind: 'concurrency', bucket: id, limit: concurrentRequestsPerKey })
  return claims
}

/** Whether a limit asks how large a call is, so that nobody is let in before the body is read. */
export function needsSize(limits: KeyLimits): boolean {
  return limits.tokensPerMinute !== undefined
}
