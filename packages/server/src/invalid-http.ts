import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { GatewayError, invalidRequest } from '@sluice/contract'

/** The error in a request head that Node's parser accepts; undefined for a valid one. */
export function faultOfHead(request: IncomingMessage): GatewayError | undefined {
  const { headers, rawHeaders, url, method } = request
  const hosts = countHosts(rawHeaders)
  // A proxy in front may have used the other header (RFC 9112, 3.2).
  if (hosts > 1) return invalidRequest('Several Host headers')
  const isOld = request.httpVersionMinor === 0
  if (hosts === 0 && !isOld) return invalidRequest('The Host header is missing')
  // The router would take it for a wildcard.
  if (url === '*' && method !== 'OPTIONS') return invalidRequest('This is not a path: *')
  const transfer = headers['transfer-encoding']
  if (transfer !== undefined) return faultOfTransfer(transfer, isOld)
  const { expect } = headers
  if (expect !== undefined && !isOld && expect.toLowerCase() !== '100-continue')
    return new GatewayError('invalid_request', 'Only 100-continue can be expected', { status: 417 })
  return undefined
}

/**
 * Node decodes only the chunks and would pass a compressed body on as if it were the content. HTTP/1.0 has no chunks
 * (RFC 9112, 6.1): a proxy of that version would disagree about where the request ends.
 */
function faultOfTransfer(coding: string, isOld: boolean): GatewayError | undefined {
  if (isOld) return invalidRequest('Transfer-Encoding is not for HTTP/1.0')
  if (coding.trim().toLowerCase() === 'chunked') return undefined
  return new GatewayError('invalid_request', 'Transfer-Encoding must be chunked', { status: 501 })
}

/** Takes raw headers, names and values alternating. */
function countHosts(rawHeaders: readonly string[]): number {
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]
    if (name?.length === 4 && name.toLowerCase() === 'host') count += 1
  }
  return count
}

/**
 * Answers CONNECT with 405; by default Node closes the connection without a response. Node also removes its own listeners
 * from such a connection, so that responses queued there behind another one (pipelining) would never be closed and their
 * requests would hold their resources forever: they are closed here.
 */
export function refuseTunnels(server: Server): void {
  const waiting = new WeakMap<Duplex, Set<ServerResponse>>()
  server.on('request', ({ socket }, response) => {
    // Only a response queued behind another one has no socket yet.
    if (response.socket !== null) return
    const others = waiting.get(socket) ?? new Set()
    waiting.set(socket, others.add(response))
    response.once('close', () => others.delete(response))
  })
  server.on('connect', (_request, socket) => {
    // Node has removed its listeners, and an error without one ends the process.
    socket.on('error', () => {})
    const others = waiting.get(socket) ?? []
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
