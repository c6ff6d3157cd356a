import { setTimeout as wait } from 'node:timers/promises'

/** Maximum number of unknown keys per second for which a process asks the store. */
const keysPerSecondMax = 100
/** The same for one address, so that one that guesses does not use up what the others need. */
const keysPerSecondOfAddressMax = 25
/** How long a caller waits for a store that does not answer, in milliseconds. */
const readMsMax = 2_000

/**
 * Decides for which unknown keys the store is read, because another process may just have made them. A key is looked for once
 * a second; requests with the same key share the answer.
 */
export class UnknownKeys {
  readonly #read: () => Promise<void>
  #second = NaN
  readonly #looks = new Map<string, Promise<void>>()
  readonly #ofAddress = new Map<string, number>()

  /** `read` reads the keys, beginning after its call; several calls may share one read. */
  constructor(read: () => Promise<void>) {
    this.#read = read
  }

  /** Resolves when the store has been read; undefined if it is not read for this key now. `time` is in milliseconds. */
  look(hash: string, address: string, time: number): Promise<void> | undefined {
    this.#turn(Math.floor(time / 1_000))
    const known = this.#looks.get(hash)
    if (known) return known
    const count = this.#ofAddress.get(address) ?? 0
    if (this.#looks.size >= keysPerSecondMax || count >= keysPerSecondOfAddressMax) return undefined
    this.#ofAddress.set(address, count + 1)
    // Whoever cannot be looked up is unknown, as before the look-up.
    const look = Promise.race([this.#read().catch(() => {}), wait(readMsMax, undefined, unheld)])
    this.#looks.set(hash, look)
    return look
  }

  #turn(second: number): void {
    if (second === this.#second) return
    this.#second = second
    this.#looks.clear()
    this.#ofAddress.clear()
  }
}

/** Does not keep the process alive. */
const unheld = { ref: false }
