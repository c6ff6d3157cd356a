import { GatewayError } from '@sluice/contract'
import { ForbiddenAddress } from './downloads.ts'

/** What undici calls the failures that a caller is told of in words of their own. */
const messages: Readonly<Record<string, string>> = {
  UND_ERR_HEADERS_OVERFLOW: 'The response headers are larger than 16 KiB',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'The response is longer or shorter than its content-length',
  UND_ERR_SOCKET: 'The upstream closed the connection before the end of its response',
  UND_ERR_PRX_TLS: 'The certificate of the proxy does not hold',
  UND_ERR_PRX_CONN: 'The proxy closed the connection',
}

/** What a failed exchange means. `hasHead`: whether the response had begun. */
export function failureOf(cause: unknown, hasHead: boolean, connectMs: number): GatewayError {
  if (hasHead)
    return new GatewayError(
      'upstream_cut',
      'The upstream closed the connection before its response was complete',
      { cause },
    )
  if (cause instanceof ForbiddenAddress)
    return new GatewayError('upstream_garbled', cause.message, { cause })
  const code = codeOf(cause)
  if (code === 'UND_ERR_CONNECT_TIMEOUT')
    return new GatewayError(
      'upstream_timeout',
      `The upstream could not be reached within ${connectMs} ms (connectMs)`,
      { cause },
    )
  return new GatewayError('upstream_unavailable', messageOf(cause, code), { cause })
}

function codeOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : ''
}

function messageOf(cause: unknown, code: string): string {
  if (code.startsWith('HPE_')) return 'The upstream did not answer in HTTP/1.1'
  const message = cause instanceof Error ? cause.message : ''
  if (/^Proxy .*\(407\)/.test(message)) return 'The proxy demands a user name and password'
  if (message.startsWith('Proxy response (')) return 'The proxy refused the connection'
  return messages[code] ?? 'The upstream could not be reached'
}
