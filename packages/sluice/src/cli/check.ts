import { existsSync } from 'node:fs'
import { engineCard } from '@sluice/engine'
import { type Config, loadConfig } from '../config/config.ts'
import { type Environment, unknownVariables } from '../config/env.ts'
import { routeTargets } from '../config/route-targets.ts'
import { isWildcard, restOf } from '@sluice/gateway/route/wildcards.ts'
import { readTextIfAny } from '../config/read-text.ts'
import { aliasesOf } from '@sluice/gateway/settings/alias-table.ts'
import { shownUrl } from '@sluice/gateway/settings/shown-url.ts'
import { retiringModels } from '@sluice/gateway/route/retirement.ts'
import { unlistedNote } from '@sluice/gateway/route/unlisted.ts'
import type { Upstream } from '@sluice/gateway/route/routing.ts'
import { configuredUpstreams } from '@sluice/gateway/route/upstreams.ts'
import { whyOff } from '@sluice/gateway/route/why-off.ts'
import { Network } from '@sluice/gateway/dial/network.ts'
import { createSender } from '@sluice/gateway/upstream/send.ts'
import { providers as catalogue } from '@sluice/gateway/providers/index.ts'
import { checkLive, type LiveOptions, type LiveResult } from './check-live.ts'
import type { Printed } from './command.ts'
import { targetsOf, unpricedRoutes } from './configured-prices.ts'
import { dayOf } from './day.ts'
import { databaseName } from './open-data.ts'
import { createProgress, type Screen } from './progress.ts'
import { reachableAddress } from './start-message.ts'

export interface CheckOptions {
  /** Send requests to every provider with each of its keys. Default: none. */
  readonly live?: boolean
  /** Per provider and key. Default 10,000. */
  readonly timeoutMs?: number
  readonly json?: boolean
  /** Where progress is shown. */
  readonly screen?: Screen
}

interface Report extends ReturnType<typeof describe> {
  readonly live?: readonly LiveResult[]
  readonly warnings: readonly string[]
  readonly problems: readonly string[]
  readonly isFine: boolean
}

/**
 * Reads the configuration as a start would and describes it. Nothing is started. Fine unless a call to a configured provider or
 * model could not work.
 *
 * @throws ConfigError if a start would fail.
 */
export async function check(
  environment: Environment,
  { live = false, timeoutMs = 10_000, json = false, screen }: CheckOptions = {},
): Promise<Printed> {
  const config = await loadConfig(environment)
  const skipped = new Map<string, string>()
  await using network = new Network(config.proxies)
  const skip = (id: string, reason: string) => skipped.set(id, reason)
  const fetchThrough = network.fetchThrough.bind(network)
  const upstreams = configuredUpstreams(config, catalogue, skip, fetchThrough)
  const results = live
    ? await triedKeys(upstreams.values(), { send: createSender(network), timeoutMs }, screen)
    : []
  const off = (id: string) => whyOff(id, { config, catalogue, upstreams, skipped })
  const problems = [
    ...[...skipped.keys()].map((id) => `${off(id)}.`),
    ...brokenTargets({ config, upstreams, off, listed: results.flatMap(({ models }) => models) }),
    ...results.filter(({ verdict }) => verdict !== 'ok').map((result) => `${liveLine(result)}.`),
  ]
  const report: Report = {
    ...describe(config, upstreams),
    ...(live && { live: results }),
    warnings: [
      ...unknownVariables(environment.variables, readTextIfAny(config.configFile)),
      ...retiringModels(config, upstreams, dayOf(Date.now())).map(({ text }) => `${text}.`),
      ...unlistedModels(config, upstreams, results),
      ...(await unpricedRoutes(config, upstreams)),
      ...signInWarnings(config),
    ],
    problems,
    isFine: problems.length === 0,
  }
  return {
    text: json ? JSON.stringify(report, null, 2) : textOf(report),
    isFine: report.isFine,
  }
}

/** Targets of routes whose model its provider does not list: in its settings, or when it was asked. */
function unlistedModels(
  { models }: Config,
  upstreams: ReadonlyMap<string, Upstream>,
  results: readonly LiveResult[],
): readonly string[] {
  const told = (id: string) =>
    results.filter(({ provider }) => provider === id).flatMap((result) => result.models)
  return Object.entries(models).flatMap(([name, route]) =>
    targetsOf(route).flatMap((target) => {
      const slash = target.indexOf('/')
      const upstream = upstreams.get(target.slice(0, slash))
      if (!upstream) return []
      const listed = upstream.models ?? told(upstream.id).map((id) => ({ id }))
      const note = unlistedNote({ upstream, model: target.slice(slash + 1) }, listed)
      if (note === undefined) return []
      return [`models.${name} leads to ${target}, but ${note.endsWith('?') ? note : `${note}.`}`]
    }),
  )
}

function signInWarnings({ console: { oidc }, server: { publicUrl } }: Config): readonly string[] {
  if (!oidc || publicUrl !== undefined) return []
  return [
    'console.oidc is set and server.publicUrl is not: the issuer sends users back to the host that their request names. Set server.publicUrl.',
  ]
}

async function triedKeys(
  upstreams: Iterable<Upstream>,
  options: Omit<LiveOptions, 'at'>,
  screen: Screen | undefined,
): Promise<readonly LiveResult[]> {
  using progress = createProgress('keys tried', screen)
  return await checkLive(upstreams, { ...options, at: (done, total) => progress.at(done, total) })
}

/** The effective configuration. */
function describe(config: Config, upstreams: ReadonlyMap<string, Upstream>) {
  const { server, limits, storage, dataFolder, configFile } = config
  return {
    settings: existsSync(configFile) ? configFile : null,
    address: reachableAddress(server.host, server.port),
    data: dataFolder,
    database: storage.url === undefined ? 'SQLite, in the data folder' : databaseName(storage.url),
    keys: keyLine(config),
    rate:
      limits.requestsPerMinute === undefined
        ? 'no limit'
        : `${limits.requestsPerMinute} requests per minute and key`,
    builtin: builtinLine(config, upstreams),
    proxies: shownProxies(config),
    providers: [...upstreams.values()].map(({ id, baseUrl, secrets, models }) => ({
      id,
      baseUrl: shownUrl(baseUrl),
      keys: secrets.filter((secret) => secret !== '').length,
      /** Null if the provider is asked for its list. */
      models: models?.map((model) => model.id) ?? null,
    })),
    models: Object.fromEntries(
      Object.entries(config.models).map(([name, model]) => [name, targetLine(model)]),
    ),
  }
}

/** The forward proxies of the environment by what they are for, and what is connected to directly. */
function shownProxies({
  proxies: { http, https, none },
}: Config): Readonly<Record<string, string>> {
  return {
    ...(https !== undefined && { https: shownUrl(https) }),
    ...(http !== undefined && { http: shownUrl(http) }),
    ...(none !== undefined && { 'not for': none }),
  }
}

function textOf(report: Report): string {
  const { providers, models, live, warnings, problems } = report
  const lines = [
    `Settings   ${report.settings ?? 'the environment alone (there is no settings file)'}`,
    `Address    ${report.address}`,
    `Data       ${report.data}`,
    `Database   ${report.database}`,
    `Keys       ${report.keys}`,
    `Rate       ${report.rate}`,
    `Built in   ${report.builtin}`,
    ...Object.entries(report.proxies).map(([what, proxy]) => `Proxy      ${what}: ${proxy}`),
    'Providers',
    ...(providers.length === 0 ? ['           none'] : providers.map(providerLine)),
    ...Object.entries(models).map(([name, targets]) => `Model      ${name} → ${targets}`),
    ...(live === undefined
      ? []
      : ['Live', ...live.map((result) => `           ${liveLine(result)}`)]),
    ...warnings.map((warning) => `WARNING    ${warning}`),
    ...problems.map((problem) => `PROBLEM    ${problem}`),
    problems.length === 0 ? 'No problems found.' : `Problems found: ${problems.length}.`,
  ]
  return lines.join('\n')
}

function keyLine({ keys, apiKeys, adminKey }: Config): string {
  const given = keys.length + apiKeys.length
  const admin = adminKey === undefined ? 'no administrator key' : 'an administrator key'
  return `${given} for callers and ${admin} in the settings; the others are in the database`
}

function builtinLine({ builtin }: Config, upstreams: ReadonlyMap<string, Upstream>): string {
  if (builtin.enabled === 'never') return 'off'
  const aliases = Object.keys(builtin.aliases).length
  const families = builtin.families.length > 0 ? ' and their families' : ''
  const on = builtin.enabled === 'always' || upstreams.size === 0
  return on
    ? `on, also under ${aliases} well-known names${families}`
    : 'on, as builtin-* only (providers are configured)'
}

function providerLine({ id, baseUrl, keys, models }: Report['providers'][number]): string {
  const many = keys === 0 ? 'no key' : keys === 1 ? 'one key' : `${keys} keys`
  const listed = models ? `models ${models.join(', ')}` : 'the models it lists'
  return `           ${id} at ${baseUrl}, ${many}, ${listed}`
}

function liveLine({ provider, key, detail, ms }: LiveResult): string {
  return `${provider}${key === undefined ? '' : `, key ${key}`}: ${detail}, ${ms} ms`
}

function targetLine(model: Config['models'][string]): string {
  const { targets, fallback, longer } = routeTargets(model)
  const parts = [
    targets.join(', '),
    ...(fallback.length > 0 ? [`then ${fallback.join(', ')}`] : []),
    ...(longer.length > 0 ? [`for longer prompts ${longer.join(', ')}`] : []),
  ]
  return parts.join(', ')
}

interface Leading {
  readonly config: Config
  readonly upstreams: ReadonlyMap<string, Upstream>
  readonly off: (id: string) => string | undefined
  /** Models that the providers list. */
  readonly listed: readonly string[]
}

/** Targets and fallbacks that cannot be routed. */
function brokenTargets(leading: Leading): string[] {
  const { config, off } = leading
  const { defaultModel } = config
  const isLost = defaultModel !== undefined && !isFallback(defaultModel, leading)
  const lost = isLost ? [`defaultModel is ${defaultModel}, which is not configured.`] : []
  const broken = Object.entries(config.models).flatMap(([name, model]) => {
    const { targets, fallback, longer } = routeTargets(model)
    const wrong = [
      ...targets.filter((target) => !isTarget(target, leading)),
      ...[...fallback, ...longer].filter((next) => !isFallback(next, leading)),
    ]
    return wrong.map((target) => {
      const why = target.includes('/') ? off(target.slice(0, target.indexOf('/'))) : undefined
      return `models.${name} leads to ${target}, which is not configured${why === undefined ? '' : ` (${why})`}.`
    })
  })
  return [...lost, ...broken]
}

function isTarget(target: string, { config, upstreams }: Leading): boolean {
  const slash = target.indexOf('/')
  const provider = target.slice(0, slash)
  if (provider === engineCard.id) return isBuiltIn(target.slice(slash + 1), config)
  return upstreams.has(provider) || config.providers[provider]?.type === 'ai-sdk'
}

/** A bare name that only a provider's own list contains is unknown without asking the provider. */
function isFallback(next: string, leading: Leading): boolean {
  const { config, upstreams, listed } = leading
  if (Object.keys(config.models).some((name) => name === next || restOf(name, next) !== undefined))
    return true
  if (next.includes('/') && isTarget(next, leading)) return true
  const { builtin } = config
  const isAlias =
    (builtin.enabled === 'always' || (builtin.enabled === 'auto' && upstreams.size === 0)) &&
    aliasesOf(builtin, next).length > 0
  if (isAlias || isBuiltIn(next, config) || listed.includes(next)) return true
  return [...upstreams.values()].some(({ models, provider }) =>
    (models ?? provider.models ?? []).some(({ id }) => id === next),
  )
}

function isBuiltIn(model: string, { builtin }: Config): boolean {
  if (builtin.enabled === 'never') return false
  return isWildcard(model) || engineCard.models.some(({ id }) => id === model)
}
