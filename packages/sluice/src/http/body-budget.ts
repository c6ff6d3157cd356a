import { GatewayError } from '@sluice/contract'
import type { HeldBytes } from '../gateway/held-bytes.ts'

/** Bytes that requests may hold at the same time: their bodies as they come, and what they name for fetching. */
export interface BudgetLimits {
  /** Of all keys together. */
  readonly heldBytes: number
  readonly heldBytesPerKey: number
}

/** How soon it may be worth another try. */
const retryAfterMs = 1_000

/** Counts the bytes that requests hold, of each key and of all together. */
export class BodyBudget {
  readonly #limits: () => BudgetLimits
  readonly #byKey = new Map<string, number>()
  #all = 0

  constructor(limits: () => BudgetLimits) {
    this.#limits = limits
  }

  /** The part of one request, which gives back what it holds when the request is over. */
  open(keyId: string): BudgetShare {
    return new BudgetShare(this, keyId)
  }

  /** Throws `rate_limited` where the key holds as much as it may, and `overloaded` where all do; then nothing is taken. */
  take(keyId: string, bytes: number): void {
    const { heldBytes, heldBytesPerKey } = this.#limits()
    const held = (this.#byKey.get(keyId) ?? 0) + bytes
    if (held > heldBytesPerKey)
      throw new GatewayError(
        'rate_limited',
        `The requests of this key that are being answered may hold ${heldBytesPerKey} bytes in all`,
        { retryAfterMs },
      )
    if (this.#all + bytes > heldBytes)
      throw new GatewayError(
        'overloaded',
        'The gateway holds as many bytes of requests as it may',
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
    // What comes after the end is thrown away by whoever reads it.
    if (this.#isOver) return
    this.#budget.take(this.#keyId, bytes)
    this.#bytes += bytes
  }

  /** The request is over. */
  release(): void {
    if (this.#isOver) return
    this.#isOver = true
    if (this.#bytes > 0) this.#budget.give(this.#keyId, this.#bytes)
  }
}
