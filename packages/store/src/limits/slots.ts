import type { ConcurrencyClaim, LimitStatus } from '@sluice/gateway/ports/limiter.ts'

/** Suggested retry delay if it is unknown when a call will end, in milliseconds. */
const retryMs = 1_000

/** Concurrency leases per bucket. Empty buckets are removed. */
export class SlotLeases {
  readonly #buckets = new Map<string, Bucket>()

  /**
   * Milliseconds until the claim may be granted beside what is lent; 0 if now, Infinity if never. `time` is in milliseconds of
   * any clock.
   */
  wait({ bucket, limit }: ConcurrencyClaim, time: number, lent = 0): number {
    const known = this.#buckets.get(bucket)
    if (limit <= 0) return Infinity
    if (!known) return lent < limit ? 0 : retryMs
    if (known.leases.size + lent < limit) return 0
    this.#sweep(bucket, known, time)
    if (known.leases.size + lent < limit) return 0
    return Math.max(1, Math.min(retryMs, Math.ceil(known.endsFrom - time)))
  }

  /** Holds a slot until it is released or the time `until`, even if none is free. Taking it again extends it. */
  take({ bucket }: ConcurrencyClaim, id: string, until: number): void {
    const known = this.#buckets.get(bucket)
    if (known) {
      known.leases.set(id, until)
      known.endsFrom = Math.min(known.endsFrom, until)
    } else this.#buckets.set(bucket, { leases: new Map([[id, until]]), endsFrom: until })
  }

  release({ bucket }: ConcurrencyClaim, id: string): void {
    const known = this.#buckets.get(bucket)
    if (known?.leases.delete(id) && known.leases.size === 0) this.#buckets.delete(bucket)
  }

  level({ bucket, limit }: ConcurrencyClaim, time: number): LimitStatus {
    const known = this.#buckets.get(bucket)
    if (known) this.#sweep(bucket, known, time)
    return { limit, remaining: Math.max(0, limit - (known?.leases.size ?? 0)), resetMs: 0 }
  }

  clear(): void {
    this.#buckets.clear()
  }

  #sweep(name: string, bucket: Bucket, time: number): void {
    if (time < bucket.endsFrom) return
    let endsFrom = Infinity
    for (const [id, until] of bucket.leases)
      if (until <= time) bucket.leases.delete(id)
      else endsFrom = Math.min(endsFrom, until)
    bucket.endsFrom = endsFrom
    if (bucket.leases.size === 0) this.#buckets.delete(name)
  }
}

interface Bucket {
  readonly leases: Map<string, number>
  /** No lease ends before this time, so that expired ones are rarely searched for. */
  endsFrom: number
}
