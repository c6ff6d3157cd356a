import type { FastifyRequest } from 'fastify'
import { isListed } from '@sluice/gateway/settings/address-block.ts'
import type { ServerOptions } from './address.ts'

/** What decides at which address callers see the gateway. */
export type Place = Pick<ServerOptions, 'publicUrl' | 'trustedProxies'>

/**
 * The gateway's address as the caller sees it, without a trailing slash: the configured one, otherwise the one the request
 * came to. A Host header is only used in responses to the same caller.
 */
export function publicAddress(request: FastifyRequest, place: Place): string {
  if (place.publicUrl !== undefined) return place.publicUrl
  const host = request.headers.host ?? `${request.socket.localAddress}:${request.socket.localPort}`
  const protocol = isSecure(request, place) ? 'https' : 'http'
  return `${protocol}://${/^[\w.:[\]-]+$/.test(host) ? host : 'localhost'}`
}

/** Whether the browser uses https, according to the settings and trusted proxies. */
export function isSecure(
  { headers, raw }: Pick<FastifyRequest, 'headers' | 'raw'>,
  { publicUrl, trustedProxies }: Place,
): boolean {
  if (publicUrl !== undefined) return publicUrl.startsWith('https:')
  const protocol = headers['x-forwarded-proto']
  return (
    protocol === 'https' &&
    trustedProxies !== undefined &&
    isListed(trustedProxies, raw.socket.remoteAddress)
  )
}
