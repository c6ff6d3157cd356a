import type { Socket } from 'node:net'
import type { Connector, Origin } from './connect.ts'
import { InvalidResponse } from './invalid-response.ts'
import { type ResponseListener, ResponseParser } from './response-parser.ts'

/** What one request is told. Nothing is called after `onEnd` or `onError`, or after the connection was closed by `close`. */
export interface Exchange extends ResponseListener {
  /** Whether the request need not be sent any more. */
  readonly isOver: boolean
  /** The connection that carries the request, which may still have to be established. */
  onConnection(connection: UpstreamConnection): void
  /** The connection is established, and the request is being written. */
  onSent(): void
  onEnd(): void
  onError(error: Error): void
}

/** Where a connection goes when it carries no request any more. */
export interface ConnectionOwner {
  /** It can carry another request, for `idleSeconds` if the upstream gives a limit. */
  onFree(connection: UpstreamConnection, idleSeconds: number | undefined): void
  onClosed(connection: UpstreamConnection): void
}

/** All connections of a thread read into it: a read is parsed before the next one begins. */
const readBuffer = Buffer.allocUnsafeSlow(64 * 1024)

/** One connection to an upstream, which carries one request at a time (HTTP/1.1 without pipelining, RFC 9112). */
export class UpstreamConnection {
  readonly origin: Origin
  /** Until when it is kept while it is free, by its owner's clock. */
  freeUntil = 0
  readonly #socket: Socket
  readonly #owner: ConnectionOwner
  readonly #parser = new ResponseParser()
  #exchange: Exchange | undefined
  #request: readonly Uint8Array[] = []
  #isEstablished = false
  #isPaused = false

  /** Begins to connect; the request is written as soon as that is done. */
  constructor(origin: Origin, connector: Connector, owner: ConnectionOwner) {
    this.origin = origin
    this.#owner = owner
    const onread = {
      buffer: readBuffer,
      callback: (size: number) => this.#read(size),
    }
    const socket = connector.connect(origin, onread, () => {
      this.#isEstablished = true
      if (this.#exchange) this.#write(this.#exchange)
    })
    this.#socket = socket
    socket.on('end', () => this.#ended())
    socket.on('error', (error) => this.fail(error))
    socket.on('close', () => {
      this.fail(new Error('The connection was closed'))
      owner.onClosed(this)
    })
  }

  get isOpen(): boolean {
    return !this.#socket.destroyed
  }

  /** Sends a request over a connection that is free. */
  send(request: readonly Uint8Array[], exchange: Exchange): void {
    this.#request = request
    this.#exchange = exchange
    this.#parser.expect(exchange)
    exchange.onConnection(this)
    if (this.#isEstablished) this.#write(exchange)
  }

  pause(): void {
    this.#isPaused = true
    this.#socket.pause()
  }

  resume(): void {
    if (!this.#isPaused) return
    this.#isPaused = false
    this.#socket.resume()
  }

  /** Closes it at once. A request that it carries is told nothing any more. */
  close(): void {
    this.#exchange = undefined
    this.#socket.destroy()
  }

  /** Closes it at once. A request that it carries fails. */
  fail(error: Error): void {
    const exchange = this.#exchange
    this.close()
    exchange?.onError(error)
  }

  #write(exchange: Exchange): void {
    const pieces = this.#request
    this.#request = []
    exchange.onSent()
    // `onSent` may close it.
    if (this.#exchange !== exchange) return
    if (pieces.length > 1) this.#socket.cork()
    for (const piece of pieces) this.#socket.write(piece)
    if (pieces.length > 1) this.#socket.uncork()
  }

  #read(size: number): boolean {
    try {
      this.#parse(size)
    } catch (thrown) {
      this.fail(thrown instanceof Error ? thrown : new Error('Failed while reading a response'))
    }
    return true
  }

  #parse(size: number): void {
    const exchange = this.#exchange
    // Bytes that nobody asked for would be taken for the response of the next request.
    if (!exchange) {
      this.#socket.destroy()
      return
    }
    const used = this.#parser.parse(readBuffer.subarray(0, size))
    if (this.#exchange !== exchange || !this.#parser.isAtEnd) return
    const isClean = used === size && this.#socket.writableLength === 0
    this.#complete(exchange, isClean && this.#parser.isKept)
  }

  #complete(exchange: Exchange, isKept: boolean): void {
    this.#exchange = undefined
    if (isKept) this.resume()
    else this.#socket.destroy()
    try {
      exchange.onEnd()
    } finally {
      if (isKept) this.#owner.onFree(this, this.#parser.idleSeconds)
    }
  }

  #ended(): void {
    const exchange = this.#exchange
    if (exchange && this.#parser.close()) this.#complete(exchange, false)
    else
      this.fail(
        new InvalidResponse('The upstream closed the connection before the end of its response'),
      )
  }
}
