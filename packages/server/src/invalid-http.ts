import { type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { GatewayError } from '@sluice/contract'

/** Responses that wait behind another one on their connection (pipelining), until they are closed. */
export class QueuedResponses {
  readonly #bySocket = new WeakMap<Duplex, Set<ServerResponse>>()

  add(response: ServerResponse): void {
    const { socket } = response.req
    const others = this.of(socket)
    this.#bySocket.set(socket, others.add(response))
    response.once('close', () => others.delete(response))
  }

  of(socket: Duplex): Set<ServerResponse> {
    return this.#bySocket.get(socket) ?? new Set()
  }
}

/**
 * Answers CONNECT with 405; by default Node closes the connection without a response. Node also removes its own listeners
 * from such a connection, so that responses queued there behind another one would never be closed and their requests would
 * hold their resources forever: they are closed here.
 */
export function refuseTunnels(server: Server, queued: QueuedResponses): void {
  server.on('connect', (_request, socket) => {
    // Node has removed its listeners, and an error without one ends the process.
    socket.on('error', () => {})
    const others = queued.of(socket)
    refuseSocket(
      socket,
      new GatewayError('method_not_allowed', 'CONNECT is not supported'),
      'allow: \r\n',
    )
    for (const response of others) response.destroy()
  })
}

/**
 * Answers invalid HTTP, oversized headers and requests that do not arrive in time, and closes the connection. Nothing is
 * written into a response that has begun.
 */
export function refuseClient(thrown: Error & { readonly code?: string }, socket: Duplex): void {
  if (thrown.code === 'ECONNRESET') return
  refuseSocket(socket, meaningOf(thrown.code))
}

/** Writes an error response with additional header lines to a connection and closes it. */
function refuseSocket(socket: Duplex, error: GatewayError, headers = ''): void {
  if (socket.destroyed) return
  // Node keeps the current response here and checks it for the same purpose.
  const { _httpMessage: current } = socket as { readonly _httpMessage?: ServerResponse | null }
  if (socket.writable && current?.headersSent !== true) {
    const body = JSON.stringify(error.toJSON())
    socket.write(
      `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}\r\n${headers}connection: close\r\n` +
        `content-type: application/json; charset=utf-8\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    )
  }
  if (socket instanceof Socket) socket.destroySoon()
  else socket.destroy()
}

function meaningOf(code: string | undefined): GatewayError {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new GatewayError('invalid_request', 'The request was not received in time', {
        status: 408,
      })
    case 'HPE_HEADER_OVERFLOW':
      return new GatewayError('invalid_request', 'The request headers are too large', {
        status: 431,
      })
    // The preface of HTTP/2 (RFC 9113, 3.4), from clients that assume it instead of asking.
    case 'HPE_PAUSED_H2_UPGRADE':
      return new GatewayError(
        'invalid_request',
        'HTTP/2 is not served here: use HTTP/1.1, or a proxy that ends TLS in front of the gateway',
        { status: 505 },
      )
    default:
      return new GatewayError('invalid_request', 'This is not an HTTP request')
  }
}
