import type { Config } from '../../config/config.ts'
import type { Concealed } from '../run/concealer.ts'
import type { Upstream } from './routing.ts'

/** What of the settings and of the environment no caller may read, should an upstream quote it. */
export function concealedSettings(config: Config, upstreams: Iterable<Upstream>): Concealed {
  const secrets = new Set<string>()
  const hosts = new Set<string>()
  const add = (secret: string | undefined): void => {
    for (const part of secret === undefined ? [] : partsOf(secret)) secrets.add(part)
  }
  for (const { secrets: keys, headers, baseUrl, provider } of upstreams) {
    for (const key of keys) add(key)
    for (const value of secretHeaders(headers)) add(value)
    addAddress(baseUrl, provider.baseUrl)
  }
  // Those that are off or answered by a package have no upstream.
  for (const { key, keys = [], headers = {}, baseUrl } of Object.values(config.providers)) {
    for (const one of [key, ...keys, ...secretHeaders(headers)]) add(one)
    if (baseUrl !== undefined) addAddress(baseUrl, '')
  }
  for (const one of [config.adminKey, ...config.apiKeys, ...config.keys.map(({ key }) => key)])
    add(one)
  add(config.console.oidc?.clientSecret)
  for (const { url, secret } of config.alerts.webhooks) {
    add(secret)
    add(url)
  }
  for (const [name, value] of Object.entries(config.variables))
    if (credentialName.test(name)) add(value)
  addAddress(config.storage.url ?? '', '')
  return { secrets, hosts }

  function addAddress(address: string, usual: string): void {
    if (!URL.canParse(address)) return
    const { host, hostname, password } = new URL(address)
    add(decodeURIComponent(password))
    // What the catalogue says of a provider is known to everybody.
    if (host === '' || (URL.canParse(usual) && new URL(usual).host === host)) return
    hosts.add(host)
    hosts.add(hostname)
  }
}

/** Variables by which programs are given credentials, such as AZURE_API_KEY, AWS_SESSION_TOKEN or PGPASSWORD. */
const credentialName = /(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)S?(?:_\d+)?$/i

/** Headers whose values say how a request is meant, and are no secret. */
const ordinaryHeaders: ReadonlySet<string> = new Set([
  'accept',
  'anthropic-beta',
  'anthropic-version',
  'content-type',
  'openai-beta',
  'user-agent',
])

function secretHeaders(headers: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(headers).flatMap(([name, value]) =>
    ordinaryHeaders.has(name.toLowerCase()) ? [] : [value],
  )
}

/** The secret, and each secret that it is made of: a scheme and its value, several parts, a list, an account in JSON. */
function partsOf(secret: string): readonly string[] {
  const whole = secret.trim()
  if (whole.startsWith('{')) return [whole, ...textsIn(whole)]
  const [scheme, value] = whole.split(/\s+/, 2)
  const basic = scheme?.toLowerCase() === 'basic' && value !== undefined ? fromBase64(value) : ''
  const password = basic.slice(basic.indexOf(':') + 1)
  return [whole, value ?? '', password, ...whole.split(/[:,\s]/).filter(isPart)]
}

/** A part of a secret is often only a name: it is hidden where it is long. */
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
