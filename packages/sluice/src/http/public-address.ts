import type { FastifyRequest } from 'fastify'
import type { ServerOptions } from './address.ts'
import { isSecure } from './session-cookie.ts'

/**
 * Where the caller reaches the gateway, without a trailing slash: the configured address, else the one the request
 * came to. A Host header is believed only as far as the answer to the same caller.
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
