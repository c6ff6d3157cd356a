import type { FastifyRequest } from 'fastify'
import type { ServerOptions } from './address.ts'
import { isSecure } from './session-cookie.ts'

/**
 * The gateway's address as the caller sees it, without a trailing slash: the configured one, otherwise the one the request
 * came to. A Host header is only used in responses to the same caller.
 */
export function publicAddress({
  request,
  options,
}: {
  readonly request: FastifyRequest
  readonly options: Pick<ServerOptions, 'publicUrl' | 'trustedProxies'>
}): string {
  if (options.publicUrl !== undefined) return options.publicUrl
  const host = request.headers.host ?? `${request.socket.localAddress}:${request.socket.localPort}`
  const protocol = isSecure(request, options) ? 'https' : 'http'
  return `${protocol}://${/^[\w.:[\]-]+$/.test(host) ? host : 'localhost'}`
}
