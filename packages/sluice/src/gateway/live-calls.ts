import type { Call } from './call.ts'
import type { Target } from './route/routing.ts'

/** A call as it begins, in plain data: processes of one gateway tell each other. */
export interface BegunCall {
  readonly id: string
  /** As its caller named it. */
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
  /** As its caller wrote it. */
  readonly model: string
  readonly provider: string
  readonly upstreamModel: string
}

/** A call that was refused before any upstream was asked, in plain data too. */
export interface RefusedCall {
  readonly id: string
  readonly givenId?: string
  /** When it was over, in milliseconds since the epoch. */
  readonly at: number
  readonly durationMs: number
  readonly keyId: string
  readonly owners: Call['key']['owners']
  readonly operation: string
  readonly format: string
  /** As its caller wrote it; absent where the request was not read so far. */
  readonly model?: string
  readonly status: number
  /** The gateway's own name of the error. */
  readonly code: string
  /** What its caller was told. */
  readonly message: string
}

/** Told of the first attempt of each call. Called on the way of the call: it only takes down what it needs. */
export interface LiveListener {
  began(begun: BegunCall): void
  refused(refused: RefusedCall): void
  /** The gateway stops, and there will be no more. */
  ended(): void
}

/** The other processes of this gateway. */
interface LiveElsewhere {
  /** Whether somebody looks on here. */
  watched(isWatched: boolean): void
  /** A call has begun here, or was refused, while somebody looks on there. */
  began(begun: BegunCall): void
  refused(refused: RefusedCall): void
}

/** So many may look on at the same time. */
const listenersMax = 100
/** How much of a name is told that a caller made up. */
const modelMax = 200

/** Who looks on while calls are made. As long as nobody does a call pays for one look at a number. */
export class LiveCalls {
  #listeners: readonly LiveListener[] = []
  #elsewhere: LiveElsewhere | undefined
  #isWatchedElsewhere = false
  #isWatched = false
  #isOver = false

  /** Whether it has to be said that a call begins. */
  get isWatched(): boolean {
    return this.#isWatched
  }

  get isFull(): boolean {
    return this.#listeners.length >= listenersMax
  }

  /** Listens until disposed, or until it was told of the end. */
  watch(listener: LiveListener): Disposable {
    if (this.#isOver) listener.ended()
    else this.#setListeners([...this.#listeners, listener])
    return {
      [Symbol.dispose]: () => this.#setListeners(this.#listeners.filter((one) => one !== listener)),
    }
  }

  /** The first attempt of a call of this process begins. */
  began(call: Call, target: Target, at: number): void {
    const begun = begunCall(call, target, at)
    for (const listener of this.#listeners) listener.began(begun)
    if (this.#isWatchedElsewhere) this.#elsewhere?.began(begun)
  }

  /** A call of this process was refused. */
  refused(refused: RefusedCall): void {
    this.refusedElsewhere(refused)
    if (this.#isWatchedElsewhere) this.#elsewhere?.refused(refused)
  }

  /** Tells other processes from now on, and is told by them with the three methods below. */
  share(elsewhere: LiveElsewhere): void {
    this.#elsewhere = elsewhere
    if (this.#listeners.length > 0) elsewhere.watched(true)
  }

  setWatchedElsewhere(isWatched: boolean): void {
    this.#isWatchedElsewhere = isWatched
    this.#isWatched = isWatched || this.#listeners.length > 0
  }

  beganElsewhere(begun: BegunCall): void {
    for (const listener of this.#listeners) listener.began(begun)
  }

  refusedElsewhere(refused: RefusedCall): void {
    for (const listener of this.#listeners) listener.refused(refused)
  }

  /** The gateway stops. */
  end(): void {
    this.#isOver = true
    for (const listener of this.#listeners) listener.ended()
    this.#setListeners([])
  }

  #setListeners(listeners: readonly LiveListener[]): void {
    const wasWatched = this.#listeners.length > 0
    const isWatched = listeners.length > 0
    this.#listeners = listeners
    this.#isWatched = isWatched || this.#isWatchedElsewhere
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
