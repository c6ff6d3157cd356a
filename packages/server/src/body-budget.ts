import { GatewayError } from '@sluice/contract'
import type { HeldBytes } from '@sluice/gateway/call/held-bytes.ts'

/** Limits on the bytes requests hold at once: bodies and fetched files. */
export interface BudgetLimits {
  /** Of all keys together. */
  readonly heldBytes: number
  readonly heldBytesPerKey: number
}

/** Suggested retry delay, in milliseconds. */
const retryAfterMs = 1_000

/** Counts the bytes that requests hold, per key and in total. */
export class BodyBudget {
  readonly #current: { readonly limits: BudgetLimits }
  readonly #byKey = new Map<string, number>()
  #all = 0

  constructor(current: { readonly limits: BudgetLimits }) {
    this.#current = current
  }

  /** Opens the share of one request; it is released when the request is over. */
  open(keyId: string): BudgetShare {
    return new BudgetShare(this, keyId)
  }

  /** Throws `rate_limited` if the key's limit is reached and `overloaded` if the total limit is; nothing is counted then. */
  take(keyId: string, bytes: number): void {
    const { heldBytes, heldBytesPerKey } = this.#current.limits
    const held = (this.#byKey.get(keyId) ?? 0) + bytes
    if (held > heldBytesPerKey)
      throw new GatewayError(
        'rate_limited',
        `The requests in progress of this key may hold ${heldBytesPerKey} bytes in all`,
        { retryAfterMs },
      )
    if (this.#all + bytes > heldBytes)
      throw new GatewayError(
        'overloaded',
        'The requests in progress hold as many bytes as the gateway allows',
        {
          retryAfterMs,
        },
      )
    this.#byKey.set(keyId, held)
    this.#all += bytes
  }

  give(keyId: string, bytes: number): void {
    this.#all -= bytes
    const held = (this.#byKey.get(keyId) ?? 0) - bytes
    if (held > 0) this.#byKey.set(keyId, held)
    else this.#byKey.delete(keyId)
  }
}

export class BudgetShare implements HeldBytes {
  readonly #budget: BodyBudget
  readonly #keyId: string
  #bytes = 0
  #isOver = false

  constructor(budget: BodyBudget, keyId: string) {
    this.#budget = budget
    this.#keyId = keyId
  }

  get bytes(): number {
    return this.#bytes
  }

  add(bytes: number): void {
    // Data that arrives after the end is discarded by its reader.
    if (this.#isOver) return
    this.#budget.take(this.#keyId, bytes)
    this.#bytes += bytes
  }

  /** Releases the bytes when the request is over. */
  release(): void {
    if (this.#isOver) return
    this.#isOver = true
    if (this.#bytes > 0) this.#budget.give(this.#keyId, this.#bytes)
  }
}
