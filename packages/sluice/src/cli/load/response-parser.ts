import { InvalidResponse } from './invalid-response.ts'
import { checkBeginning, parseResponseHead, type ResponseHead } from './response-head.ts'

/** Receives the parts of one response. Interim responses (1xx) are skipped. */
export interface ResponseListener {
  /** Header names are in lower case; values of a repeated header are joined with ", ". */
  onHead(status: number, headers: Readonly<Record<string, string>>): void
  /** The bytes may be overwritten afterwards. */
  onData(piece: Buffer): void
}

/** The end of a head and the size of all of it, as Node and undici limit them. */
const headEnd = Buffer.from('\r\n\r\n')
const headBytesMax = 16 * 1024
/** Of an unfinished head, so much is looked at. */
const beginningMax = 32
/** A chunk size with its extensions, or a trailer. */
const lineBytesMax = 16 * 1024

const CR = 13
const LF = 10

type State = 'head' | 'sized' | 'unsized' | 'chunk size' | 'chunk' | 'chunk end' | 'trailer' | 'end'

/**
 * Parses the responses of one connection, one after the other (RFC 9112). Strict where parsers that differ could see two
 * different responses: lines end with CRLF, a length and a transfer coding exclude each other, and no coding but "chunked"
 * is accepted, because no other was asked for.
 */
export class ResponseParser {
  #state: State = 'end'
  #listener: ResponseListener | undefined
  #isKept = false
  #idleSeconds: number | undefined
  /** Bytes of a head or line of which the end has not come yet. */
  #begun: Buffer | undefined
  #trailerBytes = 0
  /** What is left of the body or chunk. */
  #left = 0

  /** Begins to read a response. */
  expect(listener: ResponseListener): void {
    this.#listener = listener
    this.#state = 'head'
    this.#isKept = false
    this.#begun = undefined
  }

  /** Whether the response is complete. */
  get isAtEnd(): boolean {
    return this.#state === 'end'
  }

  /** Whether the upstream keeps the connection open after this response. */
  get isKept(): boolean {
    return this.#isKept
  }

  /** For how long, in seconds, if the upstream says so. */
  get idleSeconds(): number | undefined {
    return this.#idleSeconds
  }

  /**
   * Parses what was read; `bytes` may be overwritten afterwards. Returns how many of them belong to the response. Throws
   * InvalidResponse.
   */
  parse(bytes: Buffer): number {
    let at = 0
    if (this.#state === 'head') {
      at = this.#parseHead(bytes)
      if (at < 0) return bytes.length
    }
    switch (this.#state) {
      case 'sized':
        return this.#parseSized(bytes, at)
      case 'unsized':
        this.#give(bytes, at, bytes.length)
        return bytes.length
      case 'end':
        return at
      default:
        return this.#parseChunks(bytes, at)
    }
  }

  /** The upstream has closed the connection. Returns whether the response is complete with it. */
  close(): boolean {
    if (this.#state === 'unsized') this.#state = 'end'
    return this.#state === 'end'
  }

  /** Returns where the body begins, or -1 if the head is not complete yet. */
  #parseHead(given: Buffer): number {
    // The end may be in both.
    const before = this.#begun?.length ?? 0
    const bytes = this.#begun ? Buffer.concat([this.#begun, given]) : given
    let from = 0
    for (;;) {
      const end = bytes.indexOf(headEnd, Math.max(from, before - headEnd.length + 1))
      if ((end < 0 ? bytes.length : end) - from > headBytesMax)
        throw new InvalidResponse('The response headers are larger than 16 KiB')
      if (end < 0) {
        checkBeginning(bytes.toString('latin1', from, from + beginningMax))
        // `given` is overwritten by the next read.
        this.#begun = Buffer.from(bytes.subarray(from))
        return -1
      }
      const head = parseResponseHead(bytes.toString('latin1', from, end))
      if (head.status === 101)
        throw new InvalidResponse('The upstream switches to another protocol')
      from = end + headEnd.length
      if (head.status >= 200) {
        this.#begun = undefined
        this.#begin(head)
        return from - before
      }
    }
  }

  #begin(head: ResponseHead): void {
    const { status, headers, length } = head
    this.#isKept = head.isKept
    this.#idleSeconds = head.idleSeconds
    this.#left = length ?? 0
    if (status === 204 || status === 304 || length === 0) this.#state = 'end'
    else if (head.isChunked) this.#state = 'chunk size'
    else if (length !== undefined) this.#state = 'sized'
    else this.#state = 'unsized'
    if (this.#state === 'unsized') this.#isKept = false
    this.#listener?.onHead(status, headers)
  }

  #parseSized(bytes: Buffer, at: number): number {
    const end = Math.min(bytes.length, at + this.#left)
    this.#left -= end - at
    if (this.#left === 0) this.#state = 'end'
    this.#give(bytes, at, end)
    return end
  }

  #parseChunks(bytes: Buffer, from: number): number {
    let at = from
    while (at < bytes.length && this.#state !== 'end')
      at = this.#state === 'chunk' ? this.#parseChunk(bytes, at) : this.#parseLine(bytes, at)
    return at
  }

  #parseChunk(bytes: Buffer, at: number): number {
    const end = Math.min(bytes.length, at + this.#left)
    this.#left -= end - at
    if (this.#left === 0) this.#state = 'chunk end'
    this.#give(bytes, at, end)
    return end
  }

  /** Reads the line that follows a chunk, gives the size of one, or is a trailer. Returns where the next begins. */
  #parseLine(bytes: Buffer, at: number): number {
    const usual = this.#begun ? -1 : this.#parseUsualLine(bytes, at)
    if (usual >= 0) return usual
    const lf = bytes.indexOf(LF, at)
    const next = lf < 0 ? bytes.length : lf + 1
    const before = this.#begun?.length ?? 0
    if (before + next - at > lineBytesMax)
      throw new InvalidResponse('A chunk size or trailer is longer than 16 KiB')
    if (lf < 0) {
      const piece = bytes.subarray(at)
      if (!this.#begun) this.#checkBeginning(piece[0] ?? 0)
      this.#begun = Buffer.concat(this.#begun ? [this.#begun, piece] : [piece])
      return next
    }
    const line = this.#begun
      ? Buffer.concat([this.#begun, bytes.subarray(at, next)])
      : bytes.subarray(at, next)
    this.#begun = undefined
    if (line.length < 2 || line[line.length - 2] !== CR)
      throw new InvalidResponse('A line of the response does not end with CRLF')
    this.#readLine(line.subarray(0, -2))
    return next
  }

  /** As `#parseLine`, for a line that is complete and has no extension; -1 for others. */
  #parseUsualLine(bytes: Buffer, at: number): number {
    let end = at
    let size = 0
    if (this.#state === 'chunk size') {
      for (; end - at < usualDigitsMax; end += 1) {
        const digit = hexDigits[bytes[end] ?? 0] ?? -1
        if (digit < 0) break
        size = size * 16 + digit
      }
      if (end === at) return -1
    } else if (this.#state !== 'chunk end') return -1
    if (bytes[end] !== CR || bytes[end + 1] !== LF) return -1
    if (this.#state === 'chunk end') this.#state = 'chunk size'
    else this.#beginChunk(size)
    return end + 2
  }

  /** What cannot become the line that is expected may never end. */
  #checkBeginning(byte: number): void {
    if (this.#state === 'chunk end' && byte !== CR)
      throw new InvalidResponse('A chunk is longer than its size')
    if (this.#state === 'chunk size' && (hexDigits[byte] ?? -1) < 0)
      throw new InvalidResponse('A chunk has no valid size')
  }

  #beginChunk(size: number): void {
    this.#left = size
    this.#trailerBytes = 0
    this.#state = size === 0 ? 'trailer' : 'chunk'
  }

  #readLine(line: Buffer): void {
    switch (this.#state) {
      case 'chunk end':
        if (line.length > 0) throw new InvalidResponse('A chunk is longer than its size')
        this.#state = 'chunk size'
        return
      case 'chunk size':
        this.#beginChunk(chunkSize(line))
        return
      default:
        this.#trailerBytes += line.length
        if (this.#trailerBytes > headBytesMax)
          throw new InvalidResponse('The trailers are larger than 16 KiB')
        if (line.length === 0) this.#state = 'end'
    }
  }

  #give(bytes: Buffer, begin: number, end: number): void {
    if (begin < end) this.#listener?.onData(bytes.subarray(begin, end))
  }
}

/** The value of each byte that is a hexadecimal digit; -1 for others. */
const hexDigits = Int8Array.from({ length: 256 }, (_, byte) => {
  const digit = String.fromCharCode(byte)
  return /^[0-9a-f]$/i.test(digit) ? Number.parseInt(digit, 16) : -1
})
const usualDigitsMax = 8

const chunkSizeLine = /^([0-9a-f]{1,12})[ \t]*(?:;[^\0\r]*)?$/i

function chunkSize(line: Buffer): number {
  const size = chunkSizeLine.exec(line.toString('latin1'))?.[1]
  if (size === undefined) throw new InvalidResponse('A chunk has no valid size')
  return Number.parseInt(size, 16)
}
