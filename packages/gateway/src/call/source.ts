import type { GatewayError } from '@sluice/contract'

/** The consumer of a stream. Nothing is called after `end` or `fail`. */
export interface Sink<T> {
  push(item: T): void
  /** The stream has ended and was complete. */
  end(): void
  fail(error: GatewayError): void
}

/** A stream that has begun. The producer pushes: an item costs one call and no promise. */
export interface Source<T> {
  /** Delivers what was buffered, and from then on every item as it arrives. Called once. */
  flow(sink: Sink<T>): void
  /** The reader is slow: the producer stops reading from its origin. Items already read may still be pushed. */
  pause(): void
  resume(): void
  /** Nothing is read any more: no item is pushed after this, and the origin is closed. */
  cancel(error: GatewayError): void
}

/** How a buffered stream controls its producer. */
export interface Valve {
  pause(): void
  resume(): void
  cancel(error: GatewayError): void
}

/** Number of items buffered for a reader that has not attached yet; beyond it the producer is paused. */
const heldMax = 512

/** A stream that buffers its items until a reader attaches. */
export function createHeld<T>(valve: Valve): Sink<T> & Source<T> {
  return new HeldStream(valve)
}

class HeldStream<T> implements Sink<T>, Source<T> {
  readonly #valve: Valve
  #held: T[] = []
  #reader: Sink<T> | undefined
  #isEnded = false
  /** Why the stream ended, if it was not complete. */
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

/** Pipes a source through a sink created for it. */
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
