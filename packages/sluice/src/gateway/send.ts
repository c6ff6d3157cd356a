import { GatewayError, parseJson } from '@sluice/contract'
import type { Received } from '@sluice/protocols'

/** One request on its way out, credentials included. */
export interface Outgoing {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | undefined
  readonly connectMs: number
}

export interface Incoming {
  readonly status: number
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: AsyncIterable<Uint8Array> & { destroy(): void }
}

/**
 * The only way out to the network. Rejects, and its body throws, as soon as the signal aborts; the socket is closed
 * then. Failures to connect reject with `upstream_unavailable` or `upstream_timeout`.
 */
export type Send = (request: Outgoing, signal: AbortSignal) => Promise<Incoming>

/** A larger whole answer is refused as garbled: 256 MiB holds a base64 video. */
const answerBytesMax = 256 * 1024 * 1024

/** Reads a whole answer. Throws `upstream_garbled` when it is larger than 256 MiB, `upstream_cut` when it breaks off. */
export async function receive(incoming: Incoming): Promise<Received> {
  const pieces: Uint8Array[] = []
  let size = 0
  try {
    for await (const piece of incoming.body) {
      size += piece.length
      if (size > answerBytesMax)
        throw new GatewayError('upstream_garbled', 'The upstream’s answer is too large')
      pieces.push(piece)
    }
  } catch (thrown) {
    if (thrown instanceof GatewayError) throw thrown
    throw new GatewayError('upstream_cut', 'The upstream broke off its answer', { cause: thrown })
  }
  const bytes = pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces)
  return {
    status: incoming.status,
    headers: incoming.headers,
    contentType: incoming.headers['content-type'] ?? '',
    bytes,
    json: () => parse(bytes),
  }
}

function parse(bytes: Uint8Array): unknown {
  try {
    return parseJson(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8'))
  } catch (cause) {
    throw new GatewayError('upstream_garbled', 'The upstream did not answer in JSON', { cause })
  }
}
