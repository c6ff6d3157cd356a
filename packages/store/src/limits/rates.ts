import type { LimitStatus, RateClaim } from '@sluice/gateway/ports/limiter.ts'

export const minuteMs = 60_000
/** In units: accumulated rounding errors must not refuse the last unit of a full bucket. */
const tolerance = 0.001
/** How many of the oldest buckets are searched for a full one, so that a request never scans the whole table. */
const lookAtMax = 16

/** Token buckets, each stored as the time at which it is full again (generic cell rate algorithm). */
export class Rates {
  readonly #fullAt = new Map<string, number>()
  readonly #bucketsMax: number

  constructor(bucketsMax: number) {
    this.#bucketsMax = bucketsMax
  }

  /** Milliseconds until the claim can be granted beside what is lent; 0 if now. */
  wait({ bucket, limit, amount }: RateClaim, time: number, lent = 0): number {
    const unitMs = minuteMs / limit
    if (amount > limit || limit <= 0) return Infinity
    const excessMs = this.#emptyMs(bucket, time) + (amount + lent) * unitMs - minuteMs
    return excessMs <= unitMs * tolerance ? 0 : Math.max(1, Math.ceil(excessMs))
  }

  /** Takes from the bucket, which may become negative; a negative amount gives back. */
  take({ bucket, limit }: RateClaim, amount: number, time: number): void {
    const fullAt = this.#fullAt
    // A Map keeps insertion order. When eviction is near, used buckets are moved to the end.
    const known = fullAt.get(bucket)
    if (fullAt.size >= this.#bucketsMax / 2) {
      fullAt.delete(bucket)
      if (fullAt.size >= this.#bucketsMax) this.#dropOne(time)
    }
    const from = known === undefined || known < time ? time : known
    fullAt.set(bucket, from + amount * (minuteMs / limit))
  }

  level({ bucket, limit }: RateClaim, time: number): LimitStatus {
    return rateLevel(limit, this.#emptyMs(bucket, time))
  }

  /** When the bucket is full. */
  fullAt({ bucket }: RateClaim, time: number): number {
    return time + this.#emptyMs(bucket, time)
  }

  clear(): void {
    this.#fullAt.clear()
  }

  #emptyMs(bucket: string, time: number): number {
    const fullAt = this.#fullAt.get(bucket)
    return fullAt === undefined || fullAt < time ? 0 : fullAt - time
  }

  #dropOne(time: number): void {
    let oldest: string | undefined
    let seen = 0
    for (const [bucket, full] of this.#fullAt) {
      oldest ??= bucket
      if (full <= time) {
        this.#fullAt.delete(bucket)
        return
      }
      if (++seen === lookAtMax) break
    }
    if (oldest !== undefined) this.#fullAt.delete(oldest)
  }
}

/** The level of a bucket that is full in so many milliseconds. */
export function rateLevel(limit: number, emptyMs: number): LimitStatus {
  const remaining = (minuteMs - emptyMs) / (minuteMs / limit)
  return {
    limit,
    remaining: Math.max(0, Math.floor(remaining + tolerance)),
    resetMs: Math.ceil(emptyMs),
  }
}
