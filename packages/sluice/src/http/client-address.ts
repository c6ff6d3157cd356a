import type { BlockList } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { isListed } from '../config/address-block.ts'

/**
 * Where a request comes from. What proxies say of it (`x-forwarded-for`) is believed as far as they are known: it is the last
 * address that is none of theirs.
 */
export function clientAddress(
  { raw }: Pick<FastifyRequest, 'raw'>,
  proxies: BlockList | undefined,
): string | undefined {
  const peer = raw.socket.remoteAddress
  const said = raw.headers['x-forwarded-for']
  if (!proxies || said === undefined || !isListed(proxies, peer)) return peer
  const way = (Array.isArray(said) ? said.join(',') : said).split(',').map((hop) => hop.trim())
  return way.findLast((hop) => !isListed(proxies, hop)) ?? way[0]
}
