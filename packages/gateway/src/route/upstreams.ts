import { hash } from 'node:crypto'
import type { Dialing } from '../call/send.ts'
import type { Settings } from '../settings/settings.ts'
import type { ProviderConfig } from '../settings/schema-provider.ts'
import type { Credentials, Provider } from '../providers/provider.ts'
import type { Upstream, UpstreamModel } from './routing.ts'

/**
 * All enabled providers: those with a key in the environment and those in sluice.yaml. Local servers must be
 * configured. `skipped` is called with the reason why a configured provider is off.
 */
export function configuredUpstreams(
  config: Settings,
  catalogue: ReadonlyMap<string, Provider>,
  skipped: (id: string, reason: string) => void = () => {},
  fetchThrough: (dialing: Dialing) => typeof globalThis.fetch = () => globalThis.fetch,
): ReadonlyMap<string, Upstream> {
  const found = new Map<string, Upstream>()
  for (const provider of catalogue.values()) {
    if (Object.hasOwn(config.providers, provider.id) || provider.local === true) continue
    const secret = secretOf(provider, config.variables)
    if (secret !== undefined)
      add(provider.id, { provider, secrets: [secret], variables: config.variables })
  }
  for (const [id, settings] of Object.entries(config.providers)) {
    if (settings.enabled === false || settings.type === 'ai-sdk') continue
    const provider = baseOf(id, settings, catalogue)
    if (!provider) {
      skipped(id, `it is not in the catalog, so it needs a type and a baseUrl`)
      continue
    }
    const isStored = config.stored.providers.includes(id)
    const variables = isStored ? noVariables : config.variables
    const own = settings.keys ?? (settings.key === undefined ? undefined : [settings.key])
    const fromEnvironment =
      settings.baseUrl === undefined || settings.kind !== undefined || catalogue.has(id)
        ? secretOf(provider, variables)
        : undefined
    const secrets = own ?? (fromEnvironment === undefined ? undefined : [fromEnvironment])
    if (!secrets && settings.baseUrl === undefined && provider.local !== true) {
      const means = isStored ? 'give it a key' : `set ${provider.environment.join(' or ')}`
      skipped(id, isStored ? means : `${means}, or providers.${id}.key`)
      continue
    }
    if (isStored && secrets?.some((secret) => provider.isOfMachine?.(secret) === true)) {
      skipped(id, 'its key is an identity of this machine, which only sluice.yaml can give')
      continue
    }
    add(id, { provider, given: settings, secrets: secrets ?? [''], variables })
  }
  return found

  function add(id: string, { provider, given, secrets, variables }: Added): void {
    const elsewhere = catalogue.has(id) ? baseUrlFrom(provider, variables) : undefined
    if (given?.baseUrl === undefined && elsewhere && leadsHere(elsewhere.url, config.server))
      return skipped(id, `${elsewhere.name} leads to this gateway itself`)
    const upstream = createUpstream(id, {
      provider,
      given: { ...(elsewhere && { baseUrl: elsewhere.url }), ...given },
      // Key files often end in a line break, which is invalid in a header.
      secrets: secrets.map((secret) => secret.trim()),
      variables,
      fetchThrough,
    })
    if (typeof upstream === 'string') skipped(id, upstream)
    else found.set(id, { ...upstream, ambient: given === undefined && provider.ambient === true })
  }
}

interface Added extends Pick<Ingredients, 'provider' | 'secrets' | 'variables'> {
  readonly given?: ProviderConfig
}

/** Whoever stores a provider in the database may not read the environment: its keys would be sent to any address. */
const noVariables: Settings['variables'] = {}

function baseOf(
  id: string,
  { kind, type }: ProviderConfig,
  catalogue: ReadonlyMap<string, Provider>,
): Provider | undefined {
  if (type !== undefined && kind === undefined) {
    const named = [...catalogue.values()].find((one) => one.type === type)
    const base = named ?? catalogue.get(type)
    // Only the protocol is shared with the catalogue entry, not its models, quirks or limits.
    return base && { ...withoutModels(base), id, name: id }
  }
  const known = catalogue.get(kind ?? id)
  return known && { ...known, id }
}

function withoutModels({
  models: _models,
  protocolOf: _,
  retirements: _retirements,
  ...provider
}: Provider): Provider {
  return provider
}

interface Ingredients {
  readonly provider: Provider
  readonly given: ProviderConfig
  readonly secrets: readonly string[]
  readonly variables: Readonly<Record<string, string | undefined>>
  readonly fetchThrough: (dialing: Dialing) => typeof globalThis.fetch
}

/** The upstream, or a sentence that says what is missing. */
function createUpstream(
  id: string,
  { provider, given, secrets, variables, fetchThrough }: Ingredients,
): Omit<Upstream, 'ambient'> | string {
  const settings = settingsOf(provider, given, variables)
  const known = provider.baseUrlFrom?.(settings) ?? provider.baseUrl
  const template = withVersion((given.baseUrl ?? known).replace(/\/+$/, ''), known, provider)
  const missing = [...template.matchAll(/\{(\w+)\}/g)].find(
    ([, name = '']) => settings[name] === undefined,
  )
  const dialing = dialingOf(given)
  if (missing) return `its address needs the setting ${missing[1]}`
  const isOtherBase = template !== known
  const speaking = isOtherBase ? speakingAt(template, provider) : provider
  return {
    id,
    provider: secrets.includes('')
      ? { ...speaking, credentials: withoutEmptySecret(speaking.credentials) }
      : speaking,
    baseUrl: template.replace(/\{(\w+)\}/g, (_, name: string) => settings[name] ?? ''),
    isOtherBase,
    ...versionOf(template),
    secrets,
    settings,
    headers: given.headers ?? {},
    models: given.models?.map((model) => (typeof model === 'string' ? { id: model } : model)) as
      | readonly UpstreamModel[]
      | undefined,
    timeouts: given.timeouts ?? {},
    ...(dialing && { dialing }),
    fetch: fetchThrough(dialing ?? {}),
    sharesIds: given.sharedIds === 'allow',
    allowsRouting: given.routingFields === 'allow',
  }
}

/** The provider with what it speaks at a base URL that is not its own. */
function speakingAt(baseUrl: string, provider: Provider): Provider {
  const { elsewhere } = provider
  if (elsewhere === undefined || elsewhere.except.test(baseUrl)) return provider
  const { protocol, protocolOf } = elsewhere
  return { ...provider, protocol, ...(provider.protocolOf && protocolOf && { protocolOf }) }
}

function dialingOf({
  proxy,
  ca,
  certificate,
  certificateKey,
  http2,
}: ProviderConfig): Dialing | undefined {
  const own = {
    ...(proxy !== undefined && { proxy }),
    ...(http2 === true && { http2 }),
    ...(ca !== undefined && { authorities: ca }),
    ...(certificate !== undefined &&
      certificateKey !== undefined && { certificate: { chain: certificate, key: certificateKey } }),
  }
  if (Object.keys(own).length === 0) return undefined
  return { ...own, name: hash('sha256', JSON.stringify(own)) }
}

/** Adds the path of the protocol's version to a bare host, if the provider's own base URL ends in it. */
function withVersion(
  baseUrl: string,
  known: string,
  { protocol: { versionPath } }: Provider,
): string {
  const isBare = /^https?:\/\/[^/]+$/.test(baseUrl)
  return versionPath !== undefined && isBare && isBareWith(versionPath, known)
    ? baseUrl + versionPath
    : baseUrl
}

function isBareWith(path: string, url: string): boolean {
  return url.endsWith(path) && /^https?:\/\/[^/]+$/.test(url.slice(0, -path.length))
}

/** The version segment at the end of a base URL, which a protocol's path may repeat. */
function versionOf(baseUrl: string): Pick<Upstream, 'version'> {
  const version = /\/v\d\w*$/.exec(baseUrl)?.[0]
  return version === undefined ? {} : { version: `${version}/` }
}

/** The base URL set in the environment, and the variable it came from. */
function baseUrlFrom(
  { environment, baseUrlVariables = [] }: Provider,
  variables: Ingredients['variables'],
): { readonly name: string; readonly url: string } | undefined {
  const usual = environment.map((name) => name.replace(/_(?:API_)?(?:KEY|TOKEN)$/, '_BASE_URL'))
  for (const name of [...baseUrlVariables, ...usual]) {
    const url = variables[name]
    if (url !== undefined && /^https?:\/\/\S+$/.test(url)) return { name, url }
  }
  return undefined
}

const loopback: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]', '0.0.0.0'])

/**
 * Users who point applications at this gateway with OPENAI_BASE_URL may start it in the same shell. The key there is
 * then the gateway's own, and requests would loop.
 */
function leadsHere(url: string, { host, port }: Settings['server']): boolean {
  if (!URL.canParse(url)) return false
  const { hostname, port: named, protocol } = new URL(url)
  const target = named === '' ? (protocol === 'https:' ? 443 : 80) : Number(named)
  return target === port && (loopback.has(hostname) || hostname === host)
}

function withoutEmptySecret(credentials: Credentials): Credentials {
  return (secret, request, settings, fetch) =>
    secret === '' ? {} : credentials(secret, request, settings, fetch)
}

const settingNames = [
  'region',
  'project',
  'location',
  'resource',
  'apiVersion',
  'storageUri',
] as const

function settingsOf(
  provider: Provider,
  given: ProviderConfig,
  variables: Ingredients['variables'],
): Readonly<Record<string, string>> {
  const settings: Record<string, string> = { ...provider.settings }
  for (const [name, names] of Object.entries(provider.settingsFrom ?? {})) {
    const value = firstOf(names, variables)
    if (value !== undefined) settings[name] = value
  }
  for (const name of settingNames) {
    const value = given[name]
    if (value !== undefined) settings[name] = value
  }
  // Google calls its regions locations.
  if (given.location !== undefined && given.region === undefined)
    settings['region'] = given.location
  return settings
}

function secretOf(provider: Provider, variables: Ingredients['variables']): string | undefined {
  return provider.secretFrom?.(variables) ?? firstOf(provider.environment, variables)
}

function firstOf(
  names: readonly string[],
  variables: Ingredients['variables'],
): string | undefined {
  for (const name of names) {
    const value = variables[name]?.trim()
    if (value !== undefined && value !== '') return value
  }
  return undefined
}
