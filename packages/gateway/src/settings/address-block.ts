import { BlockList, isIP, SocketAddress } from 'node:net'

/** Whether a text is an address or a block in CIDR notation (RFC 4632): `10.0.0.0/8`, `2001:db8::1`. */
export function isAddressBlock(text: string): boolean {
  const [network = '', length, ...more] = text.split('/')
  const version = isIP(network)
  if (version === 0 || network.includes('%') || more.length > 0) return false
  if (length === undefined) return true
  return /^\d{1,3}$/.test(length) && Number(length) <= bitsOf(version)
}

/** Builds a lookup list of such blocks. */
export function addressListOf(blocks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const block of blocks) {
    const [network = '', length] = block.split('/')
    const version = isIP(network)
    const bits = length === undefined ? bitsOf(version) : Number(length)
    list.addSubnet(network, bits, version === 6 ? 'ipv6' : 'ipv4')
  }
  return list
}

/** Whether an address is in a list; false for invalid addresses. */
export function isListed(list: BlockList, address: string | undefined): boolean {
  if (address === undefined) return false
  const plain = unmapped(address)
  const version = isIP(plain)
  return version !== 0 && list.check(plain, version === 6 ? 'ipv6' : 'ipv4')
}

const mapped = '::ffff:'

/** Dual-stack sockets report IPv4 addresses as `::ffff:10.1.2.3` (RFC 4291, 2.5.5.2), and proxies also as `::FFFF:a01:203`. */
function unmapped(address: string): string {
  if (!address.includes(':')) return address
  const usual = address.startsWith(mapped) ? address.slice(mapped.length) : address
  if (isIP(usual) === 4 || isIP(address) !== 6) return usual
  const written = new SocketAddress({ address, family: 'ipv6' }).address
  const short = written.startsWith(mapped) ? written.slice(mapped.length) : ''
  return isIP(short) === 4 ? short : address
}

function bitsOf(version: number): number {
  return version === 6 ? 128 : 32
}
