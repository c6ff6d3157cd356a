import { GatewayError } from '@sluice/contract'

/** The reason for ending open calls when the gateway stops, as opposed to a disconnecting caller. */
export const stopping = new GatewayError('overloaded', 'The gateway is stopping', {
  retryAfterMs: 1_000,
})

/** The reason for ending the calls of a key that was revoked, disabled or has expired. */
export const keyEnded = new GatewayError('unauthenticated', 'The API key is not valid any more')

/** Called at most once, when the work is no longer wanted. */
export interface CancelListener {
  cancelled(reason: unknown): void
}

/**
 * Whether a call, or one of several attempts of it, is still wanted. A cheaper AbortController: most calls are never
 * cancelled. Code that needs a real AbortSignal can get one.
 */
export class Cancellation implements CancelListener {
  readonly #whole: Cancellation | undefined
  readonly #listeners: CancelListener[] = []
  #own: { readonly reason: unknown } | undefined
  #controller: AbortController | undefined
  #signal: AbortSignal | undefined

  /** With `whole`, this is cancelled whenever `whole` is. */
  constructor(whole?: Cancellation) {
    this.#whole = whole
  }

  get isCancelled(): boolean {
    return this.#own !== undefined || this.#whole?.isCancelled === true
  }

  /** The reason; undefined until cancelled. */
  get reason(): unknown {
    return this.#own ? this.#own.reason : this.#whole?.reason
  }

  /** The error a cancelled call fails with. */
  get error(): GatewayError {
    return cancelledBy(this.reason)
  }

  /** Aborts when this is cancelled: for work that takes a signal. */
  get signal(): AbortSignal {
    this.#signal ??= this.#createSignal()
    return this.#signal
  }

  /** Notifies all listeners. Only the first reason is kept. */
  cancel(reason: unknown): void {
    if (this.isCancelled) return
    this.#own = { reason }
    this.#controller?.abort(reason)
    this.#whole?.remove(this)
    this.cancelled(reason)
  }

  cancelled(reason: unknown): void {
    for (const listener of this.#listeners.splice(0)) listener.cancelled(reason)
  }

  /** Adds a listener; calls it at once if already cancelled. */
  add(listener: CancelListener): void {
    if (this.isCancelled) listener.cancelled(this.reason)
    // Subscribe to the parent only while there are listeners here, so that none are left behind on it.
    else if (this.#listeners.push(listener) === 1) this.#whole?.add(this)
  }

  remove(listener: CancelListener): void {
    const place = this.#listeners.indexOf(listener)
    if (place < 0) return
    this.#listeners.splice(place, 1)
    if (this.#listeners.length === 0) this.#whole?.remove(this)
  }

  #createSignal(): AbortSignal {
    this.#controller = new AbortController()
    const { signal } = this.#controller
    if (this.#own) this.#controller.abort(this.#own.reason)
    return this.#whole ? AbortSignal.any([signal, this.#whole.signal]) : signal
  }
}

/** Whether something failed because it was no longer wanted. */
export function isCancelled(error: unknown): error is GatewayError {
  return error instanceof GatewayError && error.code === 'cancelled'
}

/**
 * Maps a cancellation reason to the error of the call. The failure of another attempt is not reported as this one's.
 */
export function cancelledBy(reason: unknown): GatewayError {
  if (reason === stopping) return stopping
  if (reason === keyEnded) return keyEnded
  return isCancelled(reason)
    ? reason
    : new GatewayError('cancelled', 'The caller went away', { cause: reason })
}
