import { ConfigError } from './config-error.ts'
import { proxyPattern, type ProxyVariables } from '@sluice/gateway/settings/proxy-variables.ts'
import type { Variables } from '@sluice/gateway/settings/settings.ts'

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
