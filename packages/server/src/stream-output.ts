import type { ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'
import { type Answer, costFieldNames, costFields } from '@sluice/gateway/call/call.ts'
import { headFields, latin1 } from './deliver.ts'

export type Piece = string | Uint8Array

type Head = Pick<Extract<Answer, { kind: 'stream' }>, 'headers' | 'contentType' | 'length'>

/** With `x-sluice-cost: stream` in the request, the cost of a stream is sent in a comment at its end. */
const costHeader = 'x-sluice-cost'

/** Larger pieces are not copied. */
const copiedBytesMax = 16_384

/**
 * A response sent piece by piece. Node writes a chunk in four parts. For chunked responses this class writes each chunk as one
 * string instead, which is cheaper per event (RFC 9112, 7.1).
 */
export class StreamOutput {
  readonly raw: ServerResponse
  readonly #reply: FastifyReply
  #isChunked = false
  #hasTrailer = false
  /** Whether the cost is sent as a comment in the event stream. */
  #tellsCost = false

  constructor(reply: FastifyReply) {
    this.raw = reply.raw
    this.#reply = reply
  }

  get hasBegun(): boolean {
    return this.raw.headersSent
  }

  /** Writes status and headers, once. After this, failures can only be reported inside the stream. */
  begin({ headers, contentType, length }: Head): void {
    const { raw } = this
    if (raw.headersSent) return
    this.#reply.hijack()
    const isText = contentType.startsWith('text/event-stream') || contentType.includes('json')
    const fields = headFields(this.#reply, headers)
    fields.push('content-type', contentType)
    if (length !== undefined) fields.push('content-length', String(length))
    if (length === undefined && takesTrailers(raw.req.headers['te'])) {
      this.#hasTrailer = true
      fields.push('trailer', costFieldNames)
    }
    this.#tellsCost =
      contentType.startsWith('text/event-stream') && raw.req.headers[costHeader] === 'stream'
    if (isText) fields.push('cache-control', 'no-cache', 'x-accel-buffering', 'no')
    raw.writeHead(this.#reply.statusCode, fields)
    this.#isChunked = raw.chunkedEncoding
    raw.chunkedEncoding = false
  }

  /** Writes a piece at once. Returns false if the socket's buffer is full. */
  write(piece: Piece): boolean {
    const { socket } = this.raw
    // Otherwise Node corks the socket until the end of the turn, with a callback for each piece.
    socket?.cork()
    const isTaken = this.#put(piece)
    socket?.uncork()
    return isTaken
  }

  #put(piece: Piece): boolean {
    const { raw } = this
    if (!this.#isChunked) return raw.write(piece)
    if (piece.length === 0) return true
    if (typeof piece === 'string') return raw.write(chunkOf(piece, Buffer.byteLength(piece)))
    if (piece.length <= copiedBytesMax)
      return raw.write(chunkOf(latin1(piece), piece.length), 'latin1')
    raw.write(`${piece.length.toString(16)}\r\n`, 'latin1')
    raw.write(piece)
    return raw.write('\r\n', 'latin1')
  }

  end(piece?: Piece): void {
    if (piece !== undefined) this.#put(piece)
    if (this.#tellsCost) this.#put(this.#costComment())
    if (this.#isChunked) this.raw.end(`0\r\n${this.#trailer()}\r\n`, 'latin1')
    else this.raw.end()
  }

  /** Sent after the last event, when clients have all they need. Clients ignore comments (HTML, 9.2.6). */
  #costComment(): string {
    const { call } = this.#reply.request
    if (!call) return ''
    const fields = Object.entries(costFields(call.trail))
    return `${fields.map(([name, value]) => `: ${name}: ${value}`).join('\n')}\n\n`
  }

  /** The cost of a stream is known only at its end (RFC 9112, 7.1.2). */
  #trailer(): string {
    const { call } = this.#reply.request
    if (!this.#hasTrailer || !call) return ''
    const fields = Object.entries(costFields(call.trail))
    return fields.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  }
}

/** `TE: trailers` declares that the client reads trailers (RFC 9110, 10.1.4). */
function takesTrailers(te: string | string[] | undefined): boolean {
  return te !== undefined && /(?:^|,)\s*trailers\s*(?:,|;|$)/i.test(String(te))
}

function chunkOf(text: string, size: number): string {
  return `${size.toString(16)}\r\n${text}\r\n`
}
