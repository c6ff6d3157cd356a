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
  let held: T[] = []
  let reader: Sink<T> | undefined
  let ending: ((sink: Sink<T>) => void) | undefined
  let isPaused = false
  let isCancelled = false

  function finish(end: (sink: Sink<T>) => void): void {
    if (ending || isCancelled) return
    ending = end
    if (reader) end(reader)
  }

  return {
    push(item) {
      if (isCancelled || ending) return
      if (reader) return reader.push(item)
      held.push(item)
      if (held.length < heldMax || isPaused) return
      isPaused = true
      valve.pause()
    },
    end: () => finish((sink) => sink.end()),
    fail: (error) => finish((sink) => sink.fail(error)),
    flow(sink) {
      if (isCancelled) return
      reader = sink
      const before = held
      held = []
      for (const item of before) sink.push(item)
      ending?.(sink)
      if (!isPaused) return
      isPaused = false
      valve.resume()
    },
    pause: () => valve.pause(),
    resume: () => valve.resume(),
    cancel(error) {
      if (isCancelled) return
      isCancelled = true
      held = []
      if (!ending) valve.cancel(error)
    },
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
