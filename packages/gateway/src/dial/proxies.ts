import ipaddr from 'ipaddr.js'
import type { ProxyVariables } from '../settings/proxy-variables.ts'

/** An address to connect to. */
export interface Goal {
  readonly isTls: boolean
  /** Without the brackets of an IPv6 address. */
  readonly hostname: string
  readonly port: number
}

/**
 * The proxy for an address; undefined for a direct connection. Loopback addresses never go through a proxy of the environment, which
 * would connect to itself. `NO_PROXY` has `*`, host names, which mean their subdomains, too, addresses and networks (CIDR), each but
 * the networks with or without a port.
 */
export function createProxyChoice({
  http,
  https,
  none = '',
}: ProxyVariables): (goal: Goal) => string | undefined {
  const exceptions = none.split(/[\s,]+/).filter((entry) => entry !== '')
  const isExcepted = exceptions.map(exceptionOf)
  return (goal) => {
    const proxy = goal.isTls ? https : http
    if (proxy === undefined || isLoopback(goal.hostname)) return undefined
    return isExcepted.some((excepts) => excepts(goal)) ? undefined : proxy
  }
}

function isLoopback(hostname: string): boolean {
  if (/^(?:.+\.)?localhost\.?$/i.test(hostname)) return true
  return ipaddr.isValid(hostname) && ipaddr.process(hostname).range() === 'loopback'
}

function exceptionOf(entry: string): (goal: Goal) => boolean {
  if (entry === '*') return () => true
  if (ipaddr.isValidCIDR(entry)) {
    const [network, bits] = ipaddr.parseCIDR(entry)
    return ({ hostname }) => {
      if (!ipaddr.isValid(hostname)) return false
      const address = ipaddr.process(hostname)
      return address.kind() === network.kind() && address.match(network, bits)
    }
  }
  const [, named = entry, port] = portOf(entry)
  const host = named
    .replace(/^\[|\]$/g, '')
    .replace(/^\*?\.|\.$/g, '')
    .toLowerCase()
  return (goal) => {
    if (port !== undefined && Number(port) !== goal.port) return false
    const hostname = goal.hostname.replace(/\.$/, '').toLowerCase()
    return hostname === host || hostname.endsWith(`.${host}`)
  }
}

/** An IPv6 address without brackets has no port. */
function portOf(entry: string): readonly (string | undefined)[] {
  return ipaddr.isValid(entry) ? [] : (/^(.*):(\d+)$/.exec(entry) ?? [])
}
