import { isIP } from 'node:net'
import { untilAborted } from '../call/until-aborted.ts'

/** Which addresses a download may lead to, when an upstream names them. */
export interface DownloadRules {
  readonly isAllowed: (address: string) => boolean
  readonly resolve: (hostname: string) => Promise<readonly string[]>
  /** Whether a forward proxy may resolve host names, which are not checked then. */
  readonly proxyResolves: () => boolean
}

export class ForbiddenAddress extends Error {
  override readonly name = 'ForbiddenAddress'
}

/**
 * The addresses of a host that an upstream named.
 *
 * @throws ForbiddenAddress if one of them is not allowed, or if there is none: names inside the network cannot be told from
 *   unknown ones.
 */
export async function checkedAddresses(
  hostname: string,
  { isAllowed, resolve }: DownloadRules,
  connectMs: number,
): Promise<readonly string[]> {
  const signal = AbortSignal.timeout(connectMs)
  const addresses = isIP(hostname) > 0 ? [hostname] : await untilAborted(resolve(hostname), signal)
  if (addresses.length === 0 || !addresses.every(isAllowed))
    throw new ForbiddenAddress('The upstream named an address that the gateway may not read from')
  return addresses
}
