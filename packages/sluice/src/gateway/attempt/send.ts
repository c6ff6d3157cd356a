import { GatewayError, type OperationName, parseJson } from '@sluice/contract'
import type { Received } from '@sluice/protocols'
import { concatInTurns } from '../concat.ts'
import { parseLargeAnswer } from '../large-json.ts'

/** One request on its way out, credentials included. */
export interface Outgoing {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | undefined
  readonly connectMs: number
}

/** Takes an answer as it comes. Nothing follows `end` or `fail`. */
export interface Receiver {
  /** Names are in lower case. */
  head(status: number, headers: Readonly<Record<string, string>>): void
  data(piece: Uint8Array): void
  end(): void
  /** `upstream_unavailable` and `upstream_timeout` before the head, `upstream_cut` after it. */
  fail(error: GatewayError): void
}

/** A request under way. */
export interface Connection {
  /** Whether the upstream was reached: from then on it may have the request, and work at it. */
  readonly isOpen: boolean
  /** What was read already may still come. */
  pause(): void
  resume(): void
  /** Ends it; the receiver is told nothing any more. Does nothing after the end of the answer. */
  close(): void
}

/** The only way out to the network. Never throws: what goes wrong is told to the receiver, later. */
export type Send = (request: Outgoing, receiver: Receiver) => Connection

/** A larger whole answer is refused as garbled: 256 MiB holds a base64 video. */
const mediaBytesMax = 256 * 1024 * 1024
/** One of words: what any model says, and a few pictures with it. */
const wordsBytesMax = 64 * 1024 * 1024
/** A larger answer in JSON is looked through for what it costs, and a much larger one parsed in turns. */
const parsedAtOnceMax = 256 * 1024

const ofWords: ReadonlySet<OperationName> = new Set<OperationName>([
  'chat',
  'complete',
  'rerank',
  'moderate',
  'transcribe',
  'translate',
])

/** How many bytes a whole answer may have. */
export function answerBytesMax(operation: OperationName): number {
  return ofWords.has(operation) ? wordsBytesMax : mediaBytesMax
}

/** Puts the pieces of a whole answer together. Throws `upstream_garbled` when they are too many bytes. */
export class Collector {
  readonly #status: number
  readonly #headers: Readonly<Record<string, string>>
  readonly #bytesMax: number
  readonly #pieces: Uint8Array[] = []
  #size = 0

  constructor(status: number, headers: Readonly<Record<string, string>>, bytesMax = wordsBytesMax) {
    this.#status = status
    this.#headers = headers
    this.#bytesMax = bytesMax
  }

  add(piece: Uint8Array): void {
    this.#size += piece.length
    if (this.#size > this.#bytesMax)
      throw new GatewayError('upstream_garbled', 'The upstream’s answer is too large')
    this.#pieces.push(piece)
  }

  /** Whether parsing it would hold up all others. */
  get isLarge(): boolean {
    return this.#size > parsedAtOnceMax && (this.#headers['content-type'] ?? '').includes('json')
  }

  /** As `received`, parsed in turns. */
  async parsed(): Promise<Received> {
    const bytes = await concatInTurns(this.#pieces)
    const value = await parseLargeAnswer(bytes).catch((cause: unknown) => {
      throw unreadable(cause)
    })
    return this.#receivedOf(bytes, { value })
  }

  received(): Received {
    const [first] = this.#pieces
    return this.#receivedOf(
      this.#pieces.length === 1 && first ? first : Buffer.concat(this.#pieces),
    )
  }

  #receivedOf(bytes: Uint8Array, known?: { readonly value: unknown }): Received {
    let parsed = known
    return {
      status: this.#status,
      headers: this.#headers,
      contentType: this.#headers['content-type'] ?? '',
      bytes,
      json() {
        parsed ??= { value: parse(bytes) }
        return parsed.value
      },
    }
  }
}

function parse(bytes: Uint8Array): unknown {
  try {
    return parseJson(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8'))
  } catch (cause) {
    throw unreadable(cause)
  }
}

function unreadable(cause: unknown): GatewayError {
  if (cause instanceof GatewayError) return cause
  return new GatewayError('upstream_garbled', 'The upstream did not answer in JSON', { cause })
}

/** One request and its whole answer, whatever its status. Rejects with the signal's reason as soon as it aborts. */
export function ask(send: Send, request: Outgoing, signal: AbortSignal): Promise<Received> {
  return new Promise((resolve, reject) => {
    let collector: Collector | undefined
    const settle = (end: () => void) => {
      signal.removeEventListener('abort', abort)
      end()
    }
    const fail = (thrown: unknown) => {
      connection.close()
      settle(() => reject(GatewayError.from(thrown)))
    }
    const abort = () => fail(signal.reason)
    const connection = send(request, {
      head(status, headers) {
        collector = new Collector(status, headers)
      },
      data(piece) {
        try {
          collector?.add(piece)
        } catch (thrown) {
          fail(thrown)
        }
      },
      end: () =>
        settle(() => {
          if (collector?.isLarge === true) collector.parsed().then(resolve, reject)
          else if (collector) resolve(collector.received())
        }),
      fail,
    })
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
  })
}
