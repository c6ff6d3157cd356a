import { protocols } from '@sluice/protocols/protocols.ts'
import type { Settings } from '../settings/settings.ts'
import type { Concealed } from '../call/concealer.ts'
import type { Upstream } from './routing.ts'

/**
 * Secrets and hosts from the settings and the environment that must be masked when an upstream quotes them. `own` are the
 * secrets in sluice.yaml, each with the name of its setting or header.
 */
export function concealedSettings(
  config: Settings,
  upstreams: Iterable<Upstream>,
  own: readonly { readonly name: string; readonly secret: string }[],
): Concealed {
  const secrets = new Set<string>()
  const hosts = new Set<string>()
  const add = (secret: string | undefined): void => {
    for (const part of secret === undefined ? [] : partsOf(secret)) secrets.add(part)
  }
  for (const { secrets: keys, headers, baseUrl, provider } of upstreams) {
    for (const key of keys) add(key)
    for (const [name, value] of Object.entries(headers)) if (isSecretHeader(name)) add(value)
    addAddress(baseUrl, provider.baseUrl)
  }
  for (const { name, secret } of own) if (isSecretHeader(name)) add(secret)
  // Disabled providers and those served by a package have no upstream.
  for (const { baseUrl } of Object.values(config.providers))
    if (baseUrl !== undefined) addAddress(baseUrl, '')
  for (const [name, value] of Object.entries(config.variables))
    if (credentialName.test(name)) add(value)
  addAddress(config.storage.url ?? '', '')
  return { secrets, hosts }

  function addAddress(address: string, usual: string): void {
    if (!URL.canParse(address)) return
    const { host, hostname, password } = new URL(address)
    add(decodeURIComponent(password))
    // Addresses in the catalogue are public.
    if (host === '' || (URL.canParse(usual) && new URL(usual).host === host)) return
    hosts.add(host)
    hosts.add(hostname)
  }
}

/** Names of variables that hold credentials, such as AZURE_API_KEY, AWS_SESSION_TOKEN or PGPASSWORD. */
const credentialName = /(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)S?(?:_\d+)?$/i

/** Headers whose values are not secret. */
const ordinaryHeaders: ReadonlySet<string> = new Set([
  'accept',
  'content-type',
  'user-agent',
  ...protocols.flatMap(({ native }) =>
    Object.values(native).flatMap(({ headers = [] }) => headers),
  ),
])

function isSecretHeader(name: string): boolean {
  return !ordinaryHeaders.has(name.toLowerCase())
}

/** The secret and the secrets it contains: scheme and value, several parts, a list, or a service account in JSON. */
function partsOf(secret: string): readonly string[] {
  const whole = secret.trim()
  if (whole.startsWith('{')) return [whole, ...textsIn(whole)]
  const [scheme, value] = whole.split(/\s+/, 2)
  const basic = scheme?.toLowerCase() === 'basic' && value !== undefined ? fromBase64(value) : ''
  const password = basic.slice(basic.indexOf(':') + 1)
  return [whole, value ?? '', password, ...whole.split(/[:,\s]/).filter(isPart)]
}

/** Short parts of a secret are usually only names, so only longer parts are masked. */
const partLengthMin = 12
const isPart = (text: string): boolean => text.length >= partLengthMin

function textsIn(json: string): readonly string[] {
  try {
    const account: unknown = JSON.parse(json)
    const values = typeof account === 'object' && account !== null ? Object.entries(account) : []
    return values.flatMap(([name, value]) =>
      typeof value === 'string' && /key|secret|token|email/i.test(name) ? [value] : [],
    )
  } catch {
    return []
  }
}

function fromBase64(text: string): string {
  return Buffer.from(text, 'base64').toString('utf8')
}
