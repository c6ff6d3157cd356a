import { ConfigError } from './config-error.ts'
import type { ConsoleConfig, ConsoleSettings } from '@sluice/gateway/settings/schema-console.ts'

/** A little more than a working day, so that nobody has to sign in twice a day. */
const sessionMsUsual = 12 * 60 * 60 * 1000

/** Tenants that stand for everybody with an account there. */
const anyTenant = /^https:\/\/login\.microsoftonline\.com\/(?:common|organizations|consumers)\b/

/** @throws ConfigError for an invalid issuer, or one that would let everybody in. */
export function readConsole({ sessionMs, oidc }: ConsoleSettings = {}): ConsoleConfig {
  if (oidc) {
    const { search, hash, username, password } = URL.parse(oidc.issuer) ?? { search: '?' }
    if (`${search}${hash}${username}${password}` !== '')
      throw new ConfigError('console.oidc.issuer must be a URL without a query and a password')
    if (anyTenant.test(oidc.issuer))
      throw new ConfigError(
        'console.oidc.issuer must name the tenant: common, organizations and consumers stand for everybody',
      )
    if (oidc.scopes?.includes('openid') === false)
      throw new ConfigError('console.oidc.scopes must have openid')
  }
  return { sessionMs: sessionMs ?? sessionMsUsual, ...(oidc && { oidc }) }
}
