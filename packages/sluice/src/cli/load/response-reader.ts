/** Receives the responses on a connection, one after another. */
export interface ResponseEvents {
  head(status: number): void
  body(piece: Buffer): void
  /** The response is complete. `reusable` tells whether the connection may carry another request. */
  end(reusable: boolean): void
}

/** No server sends longer headers; without a limit a broken server could fill the memory. */
const lineBytesMax = 64 * 1024

const lineFeed = 10

type Step = 'head' | 'fixed' | 'chunkSize' | 'chunk' | 'chunkEnd' | 'trailers' | 'untilClosed'

/** Parses consecutive HTTP/1.1 responses, however they are split into chunks. Body bytes are not copied. */
export class ResponseReader {
  readonly #events: ResponseEvents
  #rest: Buffer = Buffer.alloc(0)
  #left = 0
  #reusable = true
  #step: Step = 'head'

  constructor(events: ResponseEvents) {
    this.#events = events
  }

  /** Throws RangeError if headers or a chunk line exceed 64 KiB, SyntaxError if this is not HTTP/1.1. */
  push(piece: Buffer): void {
    const data = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece])
    let at = 0
    while (at < data.length) {
      const next = this.#take(data, at)
      if (next < 0) break
      at = next
    }
    this.#rest = data.subarray(at)
    if (this.#rest.length > lineBytesMax) throw new RangeError('a line of the answer is too long')
  }

  /** The server closed the connection. Returns true if that ended a response without a length. */
  close(): boolean {
    if (this.#step !== 'untilClosed') return false
    this.#finish()
    return true
  }

  /** Consumes what the step needs from `at` on. Returns where the next step begins, or -1 if bytes are missing. */
  #take(data: Buffer, at: number): number {
    switch (this.#step) {
      case 'head':
        return this.#head(data, at)
      case 'fixed':
        return this.#fixed(data, at)
      case 'chunkSize':
        return this.#chunkSize(data, at)
      case 'chunk':
        return this.#chunk(data, at)
      case 'chunkEnd':
        return this.#chunkEnd(data, at)
      case 'trailers':
        return this.#trailers(data, at)
      case 'untilClosed':
        this.#events.body(data.subarray(at))
        return data.length
    }
  }

  #head(data: Buffer, at: number): number {
    const end = data.indexOf('\r\n\r\n', at)
    if (end < 0) return -1
    const text = data.toString('latin1', at, end)
    const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(text)?.[1])
    if (Number.isNaN(status)) throw new SyntaxError('the answer is not HTTP/1.1')
    if (status >= 100 && status < 200) return end + 4
    this.#reusable = !/\r\nconnection: *close/i.test(text) && !text.startsWith('HTTP/1.0')
    this.#events.head(status)
    const length = /\r\ncontent-length: *(\d+)/i.exec(text)?.[1]
    if (/\r\ntransfer-encoding: *chunked/i.test(text)) this.#step = 'chunkSize'
    else if (length !== undefined) this.#expect(Number(length))
    else if (status === 204 || status === 304) this.#finish()
    else this.#closesAtEnd()
    return end + 4
  }

  #expect(length: number): void {
    this.#left = length
    this.#step = 'fixed'
    if (length === 0) this.#finish()
  }

  #closesAtEnd(): void {
    this.#reusable = false
    this.#step = 'untilClosed'
  }

  #fixed(data: Buffer, at: number): number {
    const end = this.#body(data, at)
    if (this.#left === 0) this.#finish()
    return end
  }

  #chunkSize(data: Buffer, at: number): number {
    const end = data.indexOf(lineFeed, at)
    if (end < 0) return -1
    this.#left = Number.parseInt(data.toString('latin1', at, end), 16)
    if (Number.isNaN(this.#left)) throw new SyntaxError('a chunk of the answer has no length')
    this.#step = this.#left === 0 ? 'trailers' : 'chunk'
    return end + 1
  }

  #chunk(data: Buffer, at: number): number {
    const end = this.#body(data, at)
    if (this.#left === 0) this.#step = 'chunkEnd'
    return end
  }

  #chunkEnd(data: Buffer, at: number): number {
    const end = data.indexOf(lineFeed, at)
    if (end < 0) return -1
    this.#step = 'chunkSize'
    return end + 1
  }

  #trailers(data: Buffer, at: number): number {
    const end = data.indexOf(lineFeed, at)
    if (end < 0) return -1
    if (end - at <= 1) this.#finish()
    return end + 1
  }

  #body(data: Buffer, at: number): number {
    const end = Math.min(data.length, at + this.#left)
    this.#left -= end - at
    this.#events.body(data.subarray(at, end))
    return end
  }

  #finish(): void {
    this.#step = 'head'
    this.#events.end(this.#reusable)
  }
}
