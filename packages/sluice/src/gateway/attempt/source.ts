import type { GatewayError } from '@sluice/contract'

/** Where a stream goes. Nothing follows `end` or `fail`. */
export interface Sink<T> {
  push(item: T): void
  /** The stream is over and was whole. */
  end(): void
  fail(error: GatewayError): void
}

/** A stream that has begun. Whoever makes it pushes it: an item costs a call, and no promise. */
export interface Source<T> {
  /** Hands on what has come so far, and from then on what comes. Called once. */
  flow(sink: Sink<T>): void
  /** The reader is slow: nothing more is read from where the stream comes from. What was read may still be pushed. */
  pause(): void
  resume(): void
  /** Nobody reads any more: nothing is pushed after it, and where the stream comes from is closed. */
  cancel(error: GatewayError): void
}

/** What a held stream tells whoever makes it. */
export interface Valve {
  pause(): void
  resume(): void
  cancel(error: GatewayError): void
}

/** More items than this are not kept for a reader that has not come yet: where they come from is asked to wait. */
const heldMax = 512

/** A stream that keeps what it is given until somebody reads it. */
export function createHeld<T>(valve: Valve): Sink<T> & Source<T> {
  return new HeldStream(valve)
}

class HeldStream<T> implements Sink<T>, Source<T> {
  readonly #valve: Valve
  #held: T[] = []
  #reader: Sink<T> | undefined
  #isEnded = false
  /** Why it ended, where it was not whole. */
  #failure: GatewayError | undefined
  #isPaused = false
  #isCancelled = false

  constructor(valve: Valve) {
    this.#valve = valve
  }

  push(item: T): void {
    if (this.#isCancelled || this.#isEnded) return
    if (this.#reader) return this.#reader.push(item)
    this.#held.push(item)
    if (this.#held.length < heldMax || this.#isPaused) return
    this.#isPaused = true
    this.#valve.pause()
  }

  end(): void {
    this.#finish()
  }

  fail(error: GatewayError): void {
    this.#finish(error)
  }

  flow(sink: Sink<T>): void {
    if (this.#isCancelled) return
    this.#reader = sink
    const before = this.#held
    this.#held = []
    for (const item of before) sink.push(item)
    if (this.#isEnded) this.#tell(sink)
    if (!this.#isPaused) return
    this.#isPaused = false
    this.#valve.resume()
  }

  pause(): void {
    this.#valve.pause()
  }

  resume(): void {
    this.#valve.resume()
  }

  cancel(error: GatewayError): void {
    if (this.#isCancelled) return
    this.#isCancelled = true
    this.#held = []
    if (!this.#isEnded) this.#valve.cancel(error)
  }

  #finish(failure?: GatewayError): void {
    if (this.#isEnded || this.#isCancelled) return
    this.#isEnded = true
    this.#failure = failure
    if (this.#reader) this.#tell(this.#reader)
  }

  #tell(sink: Sink<T>): void {
    if (this.#failure) sink.fail(this.#failure)
    else sink.end()
  }
}

/** The same stream through a sink made for it. */
export function through<From, To>(
  source: Source<From>,
  stage: (sink: Sink<To>) => Sink<From>,
): Source<To> {
  return {
    flow: (sink) => source.flow(stage(sink)),
    pause: () => source.pause(),
    resume: () => source.resume(),
    cancel: (error) => source.cancel(error),
  }
}
