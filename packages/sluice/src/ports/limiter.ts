/**
 * Token buckets of requests, one per name. Whatever keeps them, this is promised, with r for the rate `perMinute`:
 *
 * - A bucket holds r requests and refills at r per minute, without steps. An unknown bucket is full.
 * - A full bucket admits exactly r requests at once. Any window of t milliseconds admits at most r × (1 + t / 60,000):
 *   r per minute in the long run, and up to twice r in the first minute after a minute of rest.
 * - A refused request takes nothing. After `retryAfterMs` one is admitted, unless another caller took it.
 * - Buckets do not touch each other. Another rate for the same bucket holds from that request on; the part of the
 *   bucket that was empty stays empty.
 *
 * packages/sluice/test/contract/limiter.ts holds every implementation to it.
 */
export interface Limiter extends AsyncDisposable {
  /** Takes one request. An implementation that need not wait answers at once, so that no promise is made per call. */
  take(bucket: string, perMinute: number): LimiterAnswer | Promise<LimiterAnswer>
}

export interface LimiterAnswer {
  readonly allowed: boolean
  /** The rate that was asked for. */
  readonly limit: number
  /** How many more would be admitted at this moment. */
  readonly remaining: number
  /** Milliseconds until the bucket is full again. */
  readonly resetMs: number
  /** Milliseconds until one request is allowed; 0 when it was. */
  readonly retryAfterMs: number
}
