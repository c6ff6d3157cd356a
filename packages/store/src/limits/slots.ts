import type { ConcurrencyClaim, LimitStatus } from '@sluice/gateway/ports/limiter.ts'

/** Suggested retry delay if it is unknown when a call will end, in milliseconds. */
const retryMs = 1_000

/** Concurrency leases per bucket. Empty buckets are removed. */
export class SlotLeases {
  readonly #held = new Map<string, Bucket>()

  /** Milliseconds until the claim may be granted; 0 if now. */
  wait({ bucket, limit }: ConcurrencyClaim, time: number): number {
    const held = this.#held.get(bucket)
    if (!held) return limit > 0 ? 0 : Infinity
    if (held.leases.size < limit) return 0
    this.#sweep(bucket, held, time)
    if (held.leases.size < limit) return 0
    if (limit <= 0) return Infinity
    return Math.max(1, Math.min(retryMs, Math.ceil(held.endsFrom - time)))
  }

  take({ bucket }: ConcurrencyClaim, id: string, until: number): void {
    const held = this.#held.get(bucket)
    if (held) {
      held.leases.set(id, until)
      held.endsFrom = Math.min(held.endsFrom, until)
    } else this.#held.set(bucket, { leases: new Map([[id, until]]), endsFrom: until })
  }

  release({ bucket }: ConcurrencyClaim, id: string): void {
    const held = this.#held.get(bucket)
    if (held?.leases.delete(id) && held.leases.size === 0) this.#held.delete(bucket)
  }

  level({ bucket, limit }: ConcurrencyClaim, time: number): LimitStatus {
    const held = this.#held.get(bucket)
    if (held) this.#sweep(bucket, held, time)
    return { limit, remaining: Math.max(0, limit - (held?.leases.size ?? 0)), resetMs: 0 }
  }

  clear(): void {
    this.#held.clear()
  }

  #sweep(name: string, bucket: Bucket, time: number): void {
    if (time < bucket.endsFrom) return
    let endsFrom = Infinity
    for (const [id, until] of bucket.leases)
      if (until <= time) bucket.leases.delete(id)
      else endsFrom = Math.min(endsFrom, until)
    bucket.endsFrom = endsFrom
    if (bucket.leases.size === 0) this.#held.delete(name)
  }
}

interface Bucket {
  readonly leases: Map<string, number>
  /** No lease ends before this time, so that expired ones are rarely searched for. */
  endsFrom: number
}
