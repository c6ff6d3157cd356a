/** Limits on concurrent and waiting requests. */
export interface SlotLimits {
  /** Concurrent requests. One key may hold all but a tenth of them, rounded down: `mostOfOneKey`. */
  readonly inside: number
  /** Waiting requests of all keys; one key may have half of them, rounded up. */
  readonly waiting: number
  /** Maximum waiting time, in milliseconds. */
  readonly waitMs: number
}

/** The share of all slots that one key cannot have. */
const othersPart = 1 / 10

/** The number of slots one key may have. */
export function mostOfOneKey({ inside }: Pick<SlotLimits, 'inside'>): number {
  return inside - Math.floor(inside * othersPart)
}

/**
 * Admits a limited number of concurrent requests. Others wait, and keys take turns: however many requests one key has waiting,
 * another key's request comes next.
 */
export interface SlotQueue {
  /**
   * Asks for one or several slots, held until `leave`. More than one key may have are never granted.
   *
   * @throws GatewayError `rate_limited` if the key's share of waiting requests is used, `overloaded` if nobody can wait any
   *   more.
   */
  enter(key: string, bounds: SlotLimits, count?: number): SlotTicket
  /** The number of slots taken, and of requests waiting. */
  look(): SlotUsage | Promise<SlotUsage>
}

export interface SlotUsage {
  readonly inside: number
  readonly waiting: number
}

export interface SlotTicket {
  /** Undefined if it was admitted at once. Rejects with `overloaded` after waiting too long, or `cancelled` if it left before. */
  readonly entered: Promise<void> | undefined
  /** Gives the slot back, or stops waiting. Calling it again does nothing. */
  leave(): void
}
