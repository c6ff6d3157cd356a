/** The proxies that the environment names, as curl and most other programs read them. */
export interface ProxyVariables {
  /** `HTTP_PROXY`, or else `ALL_PROXY`: for addresses that begin with http. */
  readonly http?: string
  /** `HTTPS_PROXY`, or else `ALL_PROXY`: for addresses that begin with https. */
  readonly https?: string
  /** `NO_PROXY`: hosts, separated by commas or spaces, that are connected to directly. */
  readonly none?: string
}

/** What a proxy's address looks like, in settings and variables. */
export const proxyPattern = '^(?:https?|socks5)://[^\\s/]+/?$'

/** The hosts that programs of this machine listen on. */
const loopback = 'localhost,.localhost,127.0.0.1,127.0.0.0/8,::1,[::1]'

/** The variables again, for Node's own HTTP client (`proxyEnv`): loopback addresses never go through a proxy. */
export function proxyEnvironment({ http, https, none }: ProxyVariables): Record<string, string> {
  return {
    ...(http !== undefined && { HTTP_PROXY: http }),
    ...(https !== undefined && { HTTPS_PROXY: https }),
    NO_PROXY: none === undefined ? loopback : `${none},${loopback}`,
  }
}
