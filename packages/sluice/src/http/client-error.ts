import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { GatewayError } from '@sluice/contract'

/**
 * Answers bytes that are no HTTP request, a head that is too large and a request that does not arrive in time, and
 * closes the connection. Nothing is written into an answer that has begun.
 */
export function refuseClient(thrown: Error & { readonly code?: string }, socket: Socket): void {
  if (thrown.code === 'ECONNRESET' || socket.destroyed) return
  // Node keeps the answer that is under way here, and looks at it for the same reason.
  const { _httpMessage: current } = socket as { readonly _httpMessage?: ServerResponse | null }
  if (socket.writable && current?.headersSent !== true) {
    const error = meaningOf(thrown.code)
    const body = JSON.stringify(error.toJSON())
    socket.write(
      `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}\r\nconnection: close\r\n` +
        `content-type: application/json; charset=utf-8\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    )
  }
  socket.destroySoon()
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
    default:
      return new GatewayError('invalid_request', 'This is not an HTTP request')
  }
}
