import { GatewayError } from '@sluice/contract'

/** Why every call that is still open ends when the gateway stops: not its caller's choice. */
export const stopping = new GatewayError('overloaded', 'The gateway is stopping', {
  retryAfterMs: 1_000,
})

/** Why the calls of a key end that was revoked, disabled or has expired. */
export const keyEnded = new GatewayError('unauthenticated', 'The API key is not valid any more')

/** Told once, when what it works for is not wanted any more. */
export interface CancelListener {
  cancelled(reason: unknown): void
}

/**
 * Whether a call, or one of several attempts at it, is still wanted. Does what an AbortController does for less, as most
 * calls never end this way; those who need a real signal get one.
 */
export class Cancellation implements CancelListener {
  readonly #whole: Cancellation | undefined
  readonly #listeners: CancelListener[] = []
  #own: { readonly reason: unknown } | undefined
  #controller: AbortController | undefined
  #signal: AbortSignal | undefined

  /** A part of something larger is cancelled with it. */
  constructor(whole?: Cancellation) {
    this.#whole = whole
  }

  get isCancelled(): boolean {
    return this.#own !== undefined || this.#whole?.isCancelled === true
  }

  /** Why; undefined before. */
  get reason(): unknown {
    return this.#own ? this.#own.reason : this.#whole?.reason
  }

  /** What a call fails with that is not wanted any more. */
  get error(): GatewayError {
    return cancelledBy(this.reason)
  }

  /** Aborts when this is cancelled: for work that takes a signal. */
  get signal(): AbortSignal {
    this.#signal ??= this.#createSignal()
    return this.#signal
  }

  /** Tells all who listen; the first reason counts. */
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

  /** Listens; told at once where it has happened. */
  add(listener: CancelListener): void {
    if (this.isCancelled) listener.cancelled(this.reason)
    // The whole is listened to only as long as somebody listens here, so that nothing is left there.
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

/** The error that ends what was cancelled; the failure of another attempt is none of its own. */
export function cancelledBy(reason: unknown): GatewayError {
  if (reason === stopping) return stopping
  if (reason === keyEnded) return keyEnded
  return reason instanceof GatewayError && reason.code === 'cancelled'
    ? reason
    : new GatewayError('cancelled', 'The caller went away', { cause: reason })
}
