/** How many requests may be under way at the same time, and how many more may wait for that. */
export interface EntranceBounds {
  /** Requests that are in. One key alone may have all of them but a tenth, rounded down: `mostOfOneKey`. */
  readonly inside: number
  /** Requests that wait, all keys together; one key may have half of them, rounded up. */
  readonly waiting: number
  /** How long each may wait, in milliseconds. */
  readonly waitMs: number
}

/** The part of all places that one key cannot have. */
const othersPart = 1 / 10

/** How many places one key may have. */
export function mostOfOneKey({ inside }: Pick<EntranceBounds, 'inside'>): number {
  return inside - Math.floor(inside * othersPart)
}

/**
 * Lets so many requests in at the same time. Those that find no room wait, and keys take turns: however many requests one
 * key has waiting, another one's comes next.
 */
export interface Entrance {
  /**
   * Asks for a place, or for several at once, which are held until `leave`. More than one key may have are never granted.
   *
   * @throws GatewayError `rate_limited` where the key has its share waiting, `overloaded` where there is no room to wait.
   */
  enter(key: string, bounds: EntranceBounds, count?: number): Ticket
  /** How many places are taken, and how many requests wait for one. */
  look(): EntranceLevel | Promise<EntranceLevel>
}

export interface EntranceLevel {
  readonly inside: number
  readonly waiting: number
}

export interface Ticket {
  /** Undefined where it is in. Rejects with `overloaded` when it has waited too long, or `cancelled` when it left before. */
  readonly entered: Promise<void> | undefined
  /** It is over, or does not want to wait any longer. Leaving twice is leaving once. */
  leave(): void
}
