import { buildConnector, Client } from 'undici'

/** Idle connections stay open for a minute, because a handshake costs more than the rest of a request. */
const keepAliveMs = 60_000

/**
 * Connections to upstreams, each used by one request at a time. undici's own pool searches all connections of an origin for
 * a free one and waits a turn of the event loop after each response; here the connection that became free last is used
 * next, without a search. Disposing closes all of them.
 */
export class Connections implements AsyncDisposable {
  readonly #connect: buildConnector.connector
  /** Free connections by origin, the one that became free last at the end. */
  readonly #free = new Map<string, Client[]>()
  readonly #all = new Set<Client>()

  /** `connectMs`: how long establishing a connection may take. */
  constructor(connectMs: number) {
    this.#connect = buildConnector({ timeout: connectMs, allowH2: false })
  }

  /** A connection for one request, which is established with it if necessary. The caller gives it back. */
  take(origin: string): Client {
    return this.#free.get(origin)?.pop() ?? this.#open(origin)
  }

  /** Gives back a connection after its response has ended or failed. */
  giveBack(origin: string, client: Client): void {
    if (client.closed || client.destroyed) return
    const free = this.#free.get(origin)
    if (free) free.push(client)
    else this.#free.set(origin, [client])
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#all].map((client) => client.destroy()))
  }

  #open(origin: string): Client {
    const client = new Client(origin, {
      connect: this.#connect,
      keepAliveTimeout: keepAliveMs,
      // The gateway has its own timeout for every phase; undici's would only hide which one was reached.
      headersTimeout: 0,
      bodyTimeout: 0,
      allowH2: false,
      // Never two requests at once, see `take`. With 1, undici would wait a turn of the event loop after each response.
      pipelining: 2,
    })
    this.#all.add(client)
    const closed = () => this.#closed(origin, client)
    client.on('disconnect', closed)
    client.on('connectionError', closed)
    return client
  }

  /** Forgets a free connection that was closed or could not be established. One in use is established again for its request. */
  #closed(origin: string, client: Client): void {
    const free = this.#free.get(origin)
    const place = free?.indexOf(client) ?? -1
    if (!free || place < 0) return
    free.splice(place, 1)
    if (free.length === 0) this.#free.delete(origin)
    this.#all.delete(client)
    void client.destroy()
  }
}
