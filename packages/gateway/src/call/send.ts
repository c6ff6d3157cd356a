import {
  formatJson,
  GatewayError,
  outlinedBytesMin,
  outlineJson,
  parseJson,
} from '@sluice/contract'
import type { Protocol, Received } from '@sluice/protocols/protocol.ts'
import { concatInTurns } from '../turns/concat.ts'
import { parseLargeAnswer } from '../turns/large-json.ts'

/** How connections to an upstream are made, where its settings say so. */
export interface Dialing {
  /** Distinguishes connections that are made differently. */
  readonly name?: string
  /** The URL of a proxy, or `none` for direct connections. Absent: as the environment says. */
  readonly proxy?: string
  /** Certificates of authorities in PEM, instead of the usual ones. */
  readonly authorities?: string
  /** What the gateway shows of itself, in PEM. */
  readonly certificate?: { readonly chain: string; readonly key: string }
  /**
   * Whether HTTP/2 is spoken where the server chooses it. A response without a length may then look complete when its connection
   * breaks, because undici takes it so.
   */
  readonly http2?: boolean
}

/** An outgoing request, credentials included. */
export interface Outgoing {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | undefined
  readonly connectMs: number
  /** How to connect; undefined: as usual. */
  readonly dialing?: Dialing | undefined
  /**
   * Set for a download, which follows redirects and may lead to an address that the upstream named. `home` is the upstream's
   * configured origin. Every other origin must have public addresses only, and gets no credentials. Absent: redirects are not
   * followed.
   */
  readonly download?: { readonly home: string }
}

/** Receives a response as it arrives. Nothing is called after `end` or `fail`. */
export interface Receiver {
  /** Header names are in lower case. */
  head(status: number, headers: Readonly<Record<string, string>>): void
  data(piece: Uint8Array): void
  end(): void
  /** `upstream_unavailable` and `upstream_timeout` before the head, `upstream_cut` after it. */
  fail(error: GatewayError): void
}

/** A request in progress. */
export interface Connection {
  /** Whether the upstream was reached. From then on it may have received the request and be working on it. */
  readonly isOpen: boolean
  /** Data that was already read may still arrive. */
  pause(): void
  resume(): void
  /** Closes the connection; the receiver is not called any more. Does nothing after the end of the response. */
  close(): void
}

/** The only way to the network. Never throws: errors are passed to the receiver asynchronously. */
export type Send = (request: Outgoing, receiver: Receiver) => Connection

/** Maximum size of a text response: far more than any model writes, plus a few images. */
const wordsBytesMax = 64 * 1024 * 1024
/** Larger JSON responses are scanned for their parsing cost first, and very expensive ones are parsed in turns. */
const parsedAtOnceMax = 256 * 1024

/** Joins the chunks of a whole response. Throws `upstream_garbled` if they exceed the limit. */
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
      throw new GatewayError('upstream_garbled', 'The upstream’s response is too large')
    this.#pieces.push(piece)
  }

  /** The response; a promise of it if parsing it at once would block other requests. */
  received(): Received | Promise<Received> {
    const isJson = (this.#headers['content-type'] ?? '').includes('json')
    if (isJson && this.#size > parsedAtOnceMax) return this.#parsedInTurns()
    const [first] = this.#pieces
    return this.#receivedOf(
      this.#pieces.length === 1 && first ? first : Buffer.concat(this.#pieces),
    )
  }

  async #parsedInTurns(): Promise<Received> {
    const bytes = await concatInTurns(this.#pieces)
    const value = await parseLargeAnswer(bytes).catch((cause: unknown) => {
      throw unreadable(cause)
    })
    return this.#receivedOf(bytes, { value })
  }

  #receivedOf(bytes: Uint8Array, known?: { readonly value: unknown }): Received {
    let parsed = known
    let outlined: unknown
    return {
      status: this.#status,
      headers: this.#headers,
      contentType: this.#headers['content-type'] ?? '',
      bytes,
      json() {
        try {
          parsed ??= {
            value: parseJson(
              Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8'),
            ),
          }
          return parsed.value
        } catch (cause) {
          throw unreadable(cause)
        }
      },
      outline() {
        if (parsed || bytes.length < outlinedBytesMin) return this.json()
        outlined ??= outlineJson(bytes)?.value ?? this.json()
        return outlined
      },
    }
  }
}

/** The request id an upstream returned with its response. */
export function requestIdIn(
  headers: Received['headers'],
  { requestIdHeader: own }: Pick<Protocol, 'requestIdHeader'>,
): string | undefined {
  const usual = headers['x-request-id'] ?? headers['request-id']
  return usual ?? (own === undefined ? undefined : headers[own])
}

/** The response with another body. */
export function withBody(
  { status, headers, contentType }: Received,
  body: Readonly<Record<string, unknown>>,
): Received {
  return { status, headers, contentType, bytes: Buffer.from(formatJson(body)), json: () => body }
}

/** The body of a response without its long free texts, for what does not depend on them: its usage, ids and errors. */
export function outlineOf(received: Received): unknown {
  return received.outline ? received.outline() : received.json()
}

function unreadable(cause: unknown): GatewayError {
  if (cause instanceof GatewayError) return cause
  return new GatewayError('upstream_garbled', 'The upstream did not answer in JSON', { cause })
}

/**
 * Sends one request and resolves with its whole response, whatever its status. Rejects with the signal's reason as
 * soon as it aborts.
 */
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
          if (collector) resolve(collector.received())
        }),
      fail,
    })
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
  })
}
