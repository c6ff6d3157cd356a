import { Connector, type Origin } from './connect.ts'
import { type ConnectionOwner, type Exchange, UpstreamConnection } from './connection.ts'

/** Idle connections stay open for a minute, because a handshake costs more than the rest of a request. */
const idleSecondsMax = 60

interface Waiting {
  readonly origin: Origin
  readonly request: readonly Uint8Array[]
  readonly exchange: Exchange
}

/**
 * Connections to upstreams, each used by one request at a time. The connection that became free last is used next, without
 * a search. Disposing closes all of them; requests that they carry fail.
 */
export class Connections implements ConnectionOwner, Disposable {
  readonly #connector: Connector
  readonly #all = new Set<UpstreamConnection>()
  /** Free connections by origin, the one that became free last at the end. */
  readonly #free = new Map<string, UpstreamConnection[]>()
  /** Requests that get a free connection at the end of this turn of the event loop. */
  #waiting: Waiting[] = []
  /** Counts seconds while connections are free, so that no request reads a clock for them. */
  #seconds = 0
  #clock: NodeJS.Timeout | undefined

  /** `connectMs`: how long establishing a connection may take. */
  constructor(connectMs: number) {
    this.#connector = new Connector(connectMs)
  }

  /**
   * Sends a request over a free connection or a new one. What an upstream sent unasked over a free connection may still wait
   * to be read in this turn of the event loop; a free connection is used after that, because such bytes would be taken
   * for the response (undici's GHSA-35p6-xmwp-9g52).
   */
  send(origin: Origin, request: readonly Uint8Array[], exchange: Exchange): void {
    if (!this.#free.has(origin.name)) this.#open(origin).send(request, exchange)
    else if (this.#waiting.push({ origin, request, exchange }) === 1)
      setImmediate(() => this.#sendWaiting())
  }

  onFree(connection: UpstreamConnection, idleSeconds = idleSecondsMax + 1): void {
    // Upstreams give the time at which they close; a request must not meet that.
    const seconds = Math.min(idleSeconds - 1, idleSecondsMax)
    if (seconds <= 0) return connection.close()
    connection.freeUntil = this.#seconds + seconds
    const { name } = connection.origin
    const free = this.#free.get(name)
    if (free) free.push(connection)
    else this.#free.set(name, [connection])
    this.#clock ??= setInterval(() => this.#closeIdle(), 1_000).unref()
  }

  onClosed(connection: UpstreamConnection): void {
    this.#all.delete(connection)
    const { name } = connection.origin
    const free = this.#free.get(name)
    const place = free?.indexOf(connection) ?? -1
    if (!free || place < 0) return
    free.splice(place, 1)
    if (free.length === 0) this.#free.delete(name)
  }

  [Symbol.dispose](): void {
    clearInterval(this.#clock)
    const stopped = new Error('The gateway closes its connections')
    for (const { exchange } of this.#waiting.splice(0)) exchange.onError(stopped)
    for (const connection of this.#all) connection.fail(stopped)
  }

  #sendWaiting(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const { origin, request, exchange } of waiting) {
      if (exchange.isOver) continue
      const connection = this.#take(origin.name) ?? this.#open(origin)
      connection.send(request, exchange)
    }
  }

  #take(name: string): UpstreamConnection | undefined {
    const free = this.#free.get(name)
    for (;;) {
      const connection = free?.pop()
      if (free?.length === 0) this.#free.delete(name)
      if (connection?.isOpen !== false) return connection
    }
  }

  #open(origin: Origin): UpstreamConnection {
    const connection = new UpstreamConnection(origin, this.#connector, this)
    this.#all.add(connection)
    return connection
  }

  #closeIdle(): void {
    this.#seconds += 1
    for (const free of this.#free.values())
      for (const connection of free) if (connection.freeUntil <= this.#seconds) connection.close()
    if (this.#free.size > 0) return
    clearInterval(this.#clock)
    this.#clock = undefined
  }
}
