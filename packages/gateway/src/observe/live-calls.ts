import type { Call } from '../call/call.ts'
import type { KeptRefusal } from '../ports/refusals.ts'
import type { Target } from '../route/routing.ts'

/** A call that has begun, as plain data that processes send to each other. */
export interface BegunCall {
  readonly id: string
  /** The caller's request id. */
  readonly givenId?: string
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  readonly keyId: string
  readonly owners: Call['key']['owners']
  readonly tags: readonly string[]
  readonly clientAddress?: string
  readonly operation: string
  readonly format: string
  readonly stream: boolean
  /** The model as the caller wrote it. */
  readonly model: string
  readonly provider: string
  readonly upstreamModel: string
}

/** A call refused before any upstream was asked, as plain data. */
export interface RefusedCall
  extends Omit<KeptRefusal, 'callId' | 'requestId' | keyof Call['key']['owners']> {
  readonly id: string
  readonly givenId?: string
  readonly owners: Call['key']['owners']
}

/** Notified of the first attempt of each call. Called synchronously during the call, so it must be fast. */
export interface LiveListener {
  began(begun: BegunCall): void
  refused(refused: RefusedCall): void
  /** The gateway is stopping; no more events follow. */
  ended(): void
}

/** The other processes of this gateway. */
interface LiveElsewhere {
  /** Announces whether anybody is watching in this process. */
  watched(isWatched: boolean): void
  /** A call has begun or was refused here while another process is being watched. */
  began(begun: BegunCall): void
  refused(refused: RefusedCall): void
}

/** Maximum number of concurrent listeners. */
const listenersMax = 100
/** Maximum length of a model name that the caller chose. */
const modelMax = 200

/** Subscriptions to calls in progress. Without listeners a call pays only for reading one flag. */
export class LiveCalls {
  #listeners: readonly LiveListener[] = []
  #elsewhere: LiveElsewhere | undefined
  #isWatchedElsewhere = false
  #isOver = false
  /** Whether beginning calls must be reported. Only this object changes it. */
  isWatched = false

  get isFull(): boolean {
    return this.#listeners.length >= listenersMax
  }

  /** Listens until disposed or ended. */
  watch(listener: LiveListener): Disposable {
    if (this.#isOver) listener.ended()
    else this.#setListeners([...this.#listeners, listener])
    return {
      [Symbol.dispose]: () => this.#setListeners(this.#listeners.filter((one) => one !== listener)),
    }
  }

  /** Reports the first attempt of a call in this process. */
  began(call: Call, target: Target, at: number): void {
    const begun = begunCall(call, target, at)
    for (const listener of this.#listeners) listener.began(begun)
    if (this.#isWatchedElsewhere) this.#elsewhere?.began(begun)
  }

  /** Reports a refused call of this process. */
  refused(refused: RefusedCall): void {
    this.refusedElsewhere(refused)
    if (this.#isWatchedElsewhere) this.#elsewhere?.refused(refused)
  }

  /**
   * Connects this process with the others. From then on it sends them its events and receives theirs through the
   * three methods below.
   */
  share(elsewhere: LiveElsewhere): void {
    this.#elsewhere = elsewhere
    if (this.#listeners.length > 0) elsewhere.watched(true)
  }

  setWatchedElsewhere(isWatched: boolean): void {
    this.#isWatchedElsewhere = isWatched
    this.isWatched = isWatched || this.#listeners.length > 0
  }

  beganElsewhere(begun: BegunCall): void {
    for (const listener of this.#listeners) listener.began(begun)
  }

  refusedElsewhere(refused: RefusedCall): void {
    for (const listener of this.#listeners) listener.refused(refused)
  }

  /** Ends all subscriptions when the gateway stops. */
  end(): void {
    this.#isOver = true
    for (const listener of this.#listeners) listener.ended()
    this.#setListeners([])
  }

  #setListeners(listeners: readonly LiveListener[]): void {
    const wasWatched = this.#listeners.length > 0
    const isWatched = listeners.length > 0
    this.#listeners = listeners
    this.isWatched = isWatched || this.#isWatchedElsewhere
    if (wasWatched !== isWatched) this.#elsewhere?.watched(isWatched)
  }
}

function begunCall(call: Call, target: Target, startedAt: number): BegunCall {
  const { model } = call.request
  return {
    id: call.id,
    ...(call.givenId !== undefined && { givenId: call.givenId }),
    startedAt,
    keyId: call.key.id,
    owners: call.key.owners,
    tags: call.tags,
    ...(call.clientAddress !== undefined && { clientAddress: call.clientAddress }),
    operation: call.operation,
    format: call.format.id,
    stream: call.stream,
    model: typeof model === 'string' ? model.slice(0, modelMax) : target.id,
    provider: target.providerId,
    upstreamModel: target.model,
  }
}
