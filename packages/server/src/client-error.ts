import { type ServerResponse, STATUS_CODES } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { GatewayError } from '@sluice/contract'

/**
 * Answers invalid HTTP, oversized headers and requests that do not arrive in time, and closes the connection. Nothing is
 * written into a response that has begun.
 */
export function refuseClient(thrown: Error & { readonly code?: string }, socket: Duplex): void {
  if (thrown.code === 'ECONNRESET') return
  refuseSocket(socket, meaningOf(thrown.code))
}

/** Writes an error response with additional header lines to a connection and closes it. */
export function refuseSocket(socket: Duplex, error: GatewayError, headers = ''): void {
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
