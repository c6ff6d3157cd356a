import { GatewayError } from '@sluice/contract'

const windowMs = 60_000
/** Maximum number of sign-in attempts per address and window. */
const attemptsMax = 20
/** The weight of a successful attempt: a whole office may share one address. */
const successShare = 0.1
/** Maximum number of addresses; the oldest is evicted first. */
const addressesMax = 10_000

interface Tries {
  /** Milliseconds since the epoch. */
  readonly until: number
  count: number
}

/** Limits sign-in attempts per address, against guessing. */
export interface SignInAttempts {
  /** @throws GatewayError `rate_limited` with the time after which the address may try again. */
  count(address: string, now: number): void | Promise<void>
  /** The last counted attempt was successful; it counts as a tenth. */
  succeeded(address: string): void
}

/** Keeps the attempts in the memory of one process. */
export class MemorySignInAttempts implements SignInAttempts {
  readonly #tries = new Map<string, Tries>()

  count(address: string, now: number): void {
    const known = this.#tries.get(address)
    const tries = known && known.until > now ? known : { until: now + windowMs, count: 0 }
    if (tries !== known) {
      this.#tries.delete(address)
      const [oldest] = this.#tries.keys()
      if (this.#tries.size >= addressesMax && oldest !== undefined) this.#tries.delete(oldest)
      this.#tries.set(address, tries)
    }
    tries.count += 1
    if (tries.count > attemptsMax)
      throw new GatewayError('rate_limited', 'Too many attempts to sign in from this address', {
        retryAfterMs: tries.until - now,
      })
  }

  succeeded(address: string): void {
    const tries = this.#tries.get(address)
    if (tries) tries.count = Math.max(0, tries.count - 1 + successShare)
  }
}
