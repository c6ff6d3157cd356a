import { GatewayError } from '@sluice/contract'
import type { Receiver } from '../call/send.ts'
import { createAnswerDecoder, type Decoder } from './decoders.ts'

/** The connection the bytes come from. */
interface Flow {
  pause(): void
  resume(): void
  close(): void
}

/** Decompresses the response of an upstream that compresses without being asked to (RFC 9110, 8.4.1), with backpressure. */
export class DecodedAnswer {
  readonly #encoding: string
  readonly #receiver: Receiver
  readonly #flow: Flow
  /** Created with the first chunk: an empty response has nothing to decode. */
  #decoder: Decoder | undefined
  #isPaused = false
  #isFull = false
  #isAtEnd = false
  #isOver = false

  constructor(encoding: string, receiver: Receiver, flow: Flow) {
    this.#encoding = encoding
    this.#receiver = receiver
    this.#flow = flow
  }

  write(piece: Uint8Array): void {
    if (this.#isOver) return
    this.#decoder ??= this.#open(piece)
    if (this.#decoder.write(piece)) return
    this.#isFull = true
    this.#flow.pause()
  }

  end(): void {
    this.#isAtEnd = true
    if (this.#decoder) this.#decoder.end()
    else this.#receiver.end()
  }

  /** The connection broke. Data that is still in the decoder is lost. */
  fail(error: GatewayError): void {
    if (this.#isOver) return
    this.close()
    this.#receiver.fail(error)
  }

  pause(): void {
    this.#isPaused = true
    this.#decoder?.pause()
    this.#flow.pause()
  }

  resume(): void {
    this.#isPaused = false
    this.#decoder?.resume()
    if (!this.#isFull) this.#flow.resume()
  }

  close(): void {
    this.#isOver = true
    this.#decoder?.destroy()
  }

  #open(first: Uint8Array): Decoder {
    const decoder = createAnswerDecoder(this.#encoding, first)
    if (!decoder) throw new Error(`No decoder for ${this.#encoding}`)
    decoder.on('data', (piece: Buffer) => {
      if (!this.#isOver) this.#receiver.data(piece)
    })
    decoder.on('drain', () => {
      this.#isFull = false
      if (!this.#isPaused) this.#flow.resume()
    })
    decoder.on('end', () => {
      if (this.#isOver) return
      this.#isOver = true
      this.#receiver.end()
    })
    decoder.on('error', (cause) => {
      if (this.#isOver) return
      this.close()
      if (!this.#isAtEnd) this.#flow.close()
      this.#receiver.fail(unreadable(cause))
    })
    return decoder
  }
}

function unreadable(cause: Error): GatewayError {
  // Node's message for truncated data, for all encodings.
  return /unexpected end/i.test(cause.message)
    ? new GatewayError('upstream_cut', 'The upstream ended its answer too early', { cause })
    : new GatewayError('upstream_garbled', 'The upstream’s response cannot be decompressed', {
        cause,
      })
}
