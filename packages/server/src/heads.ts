import type { IncomingMessage } from 'node:http'
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
