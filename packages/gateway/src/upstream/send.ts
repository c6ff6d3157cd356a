import type { Send } from '../call/send.ts'
import { addressRule, resolveBySystem } from '../media/address-rule.ts'
import type { Dispatchers } from '../dial/dispatchers.ts'
import type { Network } from '../dial/network.ts'
import type { DownloadRules } from './downloads.ts'
import { UpstreamExchange } from './exchange.ts'

export interface SenderOptions {
  /** Whether a download may lead to this address; default: public addresses. */
  readonly isAllowed?: (address: string) => boolean
  /** Resolves a host name to addresses; default: the system's resolver. */
  readonly resolve?: (hostname: string) => Promise<readonly string[]>
  /** Whether a proxy may resolve the host names of downloads; default: never. */
  readonly proxyResolves?: () => boolean
}

/** Sends requests to upstreams. */
export function createSender(
  network: Network,
  {
    isAllowed = addressRule(),
    resolve = resolveBySystem,
    proxyResolves = () => false,
  }: SenderOptions = {},
): Send {
  const rules: DownloadRules = { isAllowed, resolve, proxyResolves }
  return (outgoing, receiver) => {
    const exchange = new UpstreamExchange(outgoing, receiver)
    const start = (dispatchers: Dispatchers) => exchange.start({ dispatchers, rules })
    if (network.dispatchers) start(network.dispatchers)
    else network.open().then(start, (cause: unknown) => exchange.fail(cause))
    return exchange
  }
}
