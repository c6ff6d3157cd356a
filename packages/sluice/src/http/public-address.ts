import type { FastifyRequest } from 'fastify'

/**
 * Where the caller reaches the gateway, without a trailing slash: the configured address, else the one the request
 * came to. A Host header is believed only as far as the answer to the same caller.
 */
export function publicAddress({
  request,
  options,
}: {
  readonly request: FastifyRequest
  readonly options: { readonly publicUrl?: string }
}): string {
  if (options.publicUrl !== undefined) return options.publicUrl
  const host = request.headers.host ?? `${request.socket.localAddress}:${request.socket.localPort}`
  return `${request.protocol}://${/^[\w.:[\]-]+$/.test(host) ? host : 'localhost'}`
}
