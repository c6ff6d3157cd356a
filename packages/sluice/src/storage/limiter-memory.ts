import type { Limiter, LimiterAnswer } from '../ports/limiter.ts'

export interface MemoryLimiterOptions {
  /** Milliseconds of a clock that never goes back. Default: `performance.now`. */
  readonly now?: () => number
  /** How many buckets are kept at most. Full ones go first, then the one used longest ago. Default 100,000. */
  readonly bucketsMax?: number
}

const minuteMs = 60_000
/** Of one request: what the rounding of fractions may add up to must not refuse the last request of a full bucket. */
const tolerance = 0.001

/** A limiter that never waits. */
export interface MemoryLimiter extends Limiter {
  take(bucket: string, perMinute: number): LimiterAnswer
}

/** Token buckets in this process's memory. A bucket that was dropped for want of room is full when it comes back. */
export function createMemoryLimiter(options: MemoryLimiterOptions = {}): MemoryLimiter {
  const { now = () => performance.now(), bucketsMax = 100_000 } = options
  // The moment at which the bucket is full again says all about it (the generic cell rate algorithm).
  const fullAt = new Map<string, number>()

  return {
    take(bucket, perMinute): LimiterAnswer {
      const time = now()
      const emptyMs = Math.max(0, (fullAt.get(bucket) ?? 0) - time)
      const costMs = minuteMs / perMinute
      const excessMs = emptyMs + costMs - minuteMs
      const allowed = excessMs <= costMs * tolerance
      const thenEmptyMs = allowed ? emptyMs + costMs : emptyMs
      if (allowed) {
        // A Map keeps the order of insertion: what was used last stands last, where something may have to be dropped.
        if (fullAt.size >= bucketsMax / 2) {
          fullAt.delete(bucket)
          if (fullAt.size >= bucketsMax) dropOne(fullAt, time)
        }
        fullAt.set(bucket, time + thenEmptyMs)
      }
      return {
        allowed,
        limit: perMinute,
        remaining: Math.max(0, Math.floor((minuteMs - thenEmptyMs) / costMs + tolerance)),
        resetMs: Math.ceil(thenEmptyMs),
        retryAfterMs: allowed ? 0 : Math.max(1, Math.ceil(excessMs)),
      }
    },
    async [Symbol.asyncDispose]() {
      fullAt.clear()
    },
  }
}

/** How many of the oldest buckets are looked at for a full one, so that one request never walks the whole table. */
const lookAtMax = 16

function dropOne(fullAt: Map<string, number>, time: number): void {
  let oldest: string | undefined
  let seen = 0
  for (const [bucket, full] of fullAt) {
    oldest ??= bucket
    if (full <= time) {
      fullAt.delete(bucket)
      return
    }
    if (++seen === lookAtMax) break
  }
  if (oldest !== undefined) fullAt.delete(oldest)
}
