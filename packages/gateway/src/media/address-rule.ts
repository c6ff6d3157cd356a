import { lookup } from 'node:dns/promises'
import ipaddr from 'ipaddr.js'

/** Which addresses files may be fetched from beside public ones. */
export interface AddressRuleOptions {
  /** Allows loopback, private and link-local addresses; default false. */
  readonly allowPrivateAddresses?: boolean
  /** Addresses or networks (CIDR) that are allowed although they are private; default none. */
  readonly allowedNetworks?: readonly string[]
}

/** Public addresses that serve cloud metadata: Azure's wire server. */
const metadataAddresses: readonly string[] = ['168.63.129.16']

/**
 * Returns a test whether an address may be connected to: by default only public unicast ones (IANA's special-purpose address
 * registries, as ipaddr.js knows them), without those that serve cloud metadata. What is no address is not allowed.
 *
 * @throws Error if one of `allowedNetworks` is neither an address nor a network.
 */
export function addressRule(options: AddressRuleOptions = {}): (address: string) => boolean {
  const networks = (options.allowedNetworks ?? []).map(parseNetwork)
  return (address) => {
    if (!ipaddr.isValid(address)) return false
    if (options.allowPrivateAddresses === true) return true
    const parsed = embeddedIpv4(ipaddr.process(address))
    const excepted = networks.some(
      ([network, bits]) => network.kind() === parsed.kind() && parsed.match(network, bits),
    )
    return excepted || isPublic(parsed)
  }
}

type Address = ReturnType<typeof ipaddr.parse>

function parseNetwork(text: string): [Address, number] {
  if (text.includes('/')) return ipaddr.parseCIDR(text)
  const address = ipaddr.process(text)
  return [address, address.kind() === 'ipv4' ? 32 : 128]
}

/** The IPv4 address inside a NAT64 address (RFC 6052, 64:ff9b::/96), to which a NAT64 gateway would connect. */
function embeddedIpv4(address: Address): Address {
  if (address.range() !== 'rfc6052') return address
  const bytes = address.toByteArray()
  return bytes[4] === 0 && bytes[5] === 0 ? ipaddr.fromByteArray(bytes.slice(12)) : address
}

/** ipaddr.js names every special range except IPv4-compatible addresses (::/96). */
function isPublic(address: Address): boolean {
  if (metadataAddresses.includes(address.toString())) return false
  if (
    address.kind() === 'ipv6' &&
    address
      .toByteArray()
      .slice(0, 12)
      .every((byte) => byte === 0)
  )
    return false
  return address.range() === 'unicast'
}

/** The addresses of a host name; none if it is unknown. */
export async function resolveBySystem(hostname: string): Promise<readonly string[]> {
  try {
    const found = await lookup(hostname, { all: true })
    return found.map(({ address }) => address)
  } catch {
    return []
  }
}
