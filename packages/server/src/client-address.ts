import type { BlockList } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { isListed } from '@sluice/gateway/settings/address-block.ts'

/**
 * The client's address. `x-forwarded-for` is trusted only from known proxies: the result is its last address that is not one
 * of them.
 */
export function clientAddress(
  { raw }: Pick<FastifyRequest, 'raw'>,
  proxies: BlockList | undefined,
): string | undefined {
  const peer = raw.socket.remoteAddress
  const forwarded = raw.headers['x-forwarded-for']
  if (!proxies || forwarded === undefined || !isListed(proxies, peer)) return peer
  const way = (Array.isArray(forwarded) ? forwarded.join(',') : forwarded)
    .split(',')
    .map(withoutPort)
  return way.findLast((hop) => !isListed(proxies, hop)) ?? way[0]
}

/**
 * Removes the port, which some proxies add and which differs per connection.
 * Azure Application Gateway: https://azure.microsoft.com/en-us/blog/rewrite-http-headers-with-azure-application-gateway/
 */
function withoutPort(hop: string): string {
  const plain = hop.trim()
  const [, address = plain] =
    /^\[([^\]]+)\](?::\d+)?$/.exec(plain) ?? /^([\d.]+):\d+$/.exec(plain) ?? []
  return address
}
