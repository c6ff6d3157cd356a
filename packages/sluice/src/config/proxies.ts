import { ConfigError } from './config-error.ts'
import type { Variables } from './env.ts'

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

/**
 * Reads the variables in either case; lower case wins, as in curl.
 *
 * @throws ConfigError that names a variable without its value, which may hold a password.
 */
export function readProxies(variables: Variables): ProxyVariables {
  const all = proxyIn(variables, 'ALL_PROXY')
  const http = proxyIn(variables, 'HTTP_PROXY') ?? all
  const https = proxyIn(variables, 'HTTPS_PROXY') ?? all
  const none = valueOf(variables, 'NO_PROXY')
  return {
    ...(http !== undefined && { http }),
    ...(https !== undefined && { https }),
    ...(none !== undefined && { none }),
  }
}

function proxyIn(variables: Variables, name: string): string | undefined {
  const value = valueOf(variables, name)
  if (value === undefined) return undefined
  // Many programs accept a host and a port alone.
  const named = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`
  // The proxy resolves names in any case.
  const url = named.replace(/^socks(?:5h)?:/i, 'socks5:')
  if (new RegExp(proxyPattern).test(url) && URL.canParse(url)) return url
  throw new ConfigError(`${name} must be the URL of a proxy, such as http://proxy.example:3128`)
}

function valueOf(variables: Variables, name: string): string | undefined {
  return variables[name.toLowerCase()] || variables[name] || undefined
}

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
