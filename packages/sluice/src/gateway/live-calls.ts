import type { Call } from './call.ts'
import type { Target } from './route/routing.ts'

/** Told of the first attempt of each call of this process. Called on the way of the call: it only takes down what it needs. */
export interface LiveListener {
  began(call: Call, target: Target): void
  /** The gateway stops, and there will be no more. */
  ended(): void
}

/** So many may look on at the same time. */
const listenersMax = 100

/** Who looks on while calls are made. As long as nobody does a call pays for one look at a number. */
export class LiveCalls {
  #listeners: readonly LiveListener[] = []
  #isOver = false

  get isWatched(): boolean {
    return this.#listeners.length > 0
  }

  get isFull(): boolean {
    return this.#listeners.length >= listenersMax
  }

  /** Listens until disposed, or until it was told of the end. */
  watch(listener: LiveListener): Disposable {
    if (this.#isOver) listener.ended()
    else this.#listeners = [...this.#listeners, listener]
    return {
      [Symbol.dispose]: () => {
        this.#listeners = this.#listeners.filter((one) => one !== listener)
      },
    }
  }

  began(call: Call, target: Target): void {
    for (const listener of this.#listeners) listener.began(call, target)
  }

  /** The gateway stops. */
  end(): void {
    this.#isOver = true
    for (const listener of this.#listeners) listener.ended()
    this.#listeners = []
  }
}
