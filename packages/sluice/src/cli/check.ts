import { existsSync } from 'node:fs'
import { type Config, loadConfig } from '../config/config.ts'
import type { Environment } from '../config/env.ts'
import { configuredUpstreams } from '../gateway/route/upstreams.ts'
import type { Upstream } from '../gateway/route/routing.ts'
import { providers as catalogue } from '../providers/index.ts'
import { engineCard } from '@sluice/engine'
import { databaseName } from './open-data.ts'
import { reachableAddress } from './start-message.ts'

export interface Checked {
  readonly text: string
  /** False when a call to something configured could not work. */
  readonly isFine: boolean
}

/**
 * Reads the settings as a start would and says what they come to. Nothing is started and nobody is asked.
 *
 * @throws ConfigError where a start would stop.
 */
export async function check(environment: Environment): Promise<Checked> {
  const config = await loadConfig(environment)
  const problems: string[] = []
  const upstreams = configuredUpstreams(config, catalogue, (id, reason) =>
    problems.push(`providers.${id} is off. ${reason}.`),
  )
  problems.push(...brokenTargets(config, upstreams))
  const { server, limits, storage, dataFolder, configFile } = config
  const lines = [
    `Settings   ${existsSync(configFile) ? configFile : 'the environment alone (there is no settings file)'}`,
    `Address    ${reachableAddress(server.host, server.port)}`,
    `Data       ${dataFolder}`,
    `Database   ${storage.url === undefined ? 'SQLite, in the data folder' : databaseName(storage.url)}`,
    `Keys       ${keyLine(config)}`,
    `Rate       ${limits.requestsPerMinute === undefined ? 'no limit' : `${limits.requestsPerMinute} requests per minute and key`}`,
    `Built in   ${builtinLine(config, upstreams)}`,
    'Providers',
    ...providerLines(upstreams),
    ...Object.keys(config.models).map((name) => `Model      ${name} → ${targetsOf(config, name)}`),
    ...problems.map((problem) => `PROBLEM    ${problem}`),
    problems.length === 0 ? 'Everything fits.' : `${problems.length} to put right.`,
  ]
  return { text: lines.join('\n'), isFine: problems.length === 0 }
}

function keyLine({ keys, apiKeys, adminKey }: Config): string {
  const given = keys.length + apiKeys.length
  const admin = adminKey === undefined ? 'no administrator key' : 'an administrator key'
  return `${given} for callers and ${admin} in the settings; the others are in the data folder`
}

function builtinLine({ builtin }: Config, upstreams: ReadonlyMap<string, Upstream>): string {
  if (builtin.enabled === 'never') return 'off'
  const aliases = Object.keys(builtin.aliases).length
  const on = builtin.enabled === 'always' || upstreams.size === 0
  return on
    ? `on, also under ${aliases} well-known names`
    : 'on, under its own names alone, since there are providers'
}

function providerLines(upstreams: ReadonlyMap<string, Upstream>): readonly string[] {
  if (upstreams.size === 0) return ['           none']
  return [...upstreams.values()].map(({ id, baseUrl, secrets, models }) => {
    const keys = secrets.filter((secret) => secret !== '').length
    const many = keys === 1 ? 'one key' : `${keys} keys`
    const listed = models
      ? `models ${models.map((model) => model.id).join(', ')}`
      : 'the models it lists'
    return `           ${id} at ${baseUrl}, ${keys === 0 ? 'no key' : many}, ${listed}`
  })
}

function targetsOf({ models }: Config, name: string): string {
  const model = models[name]
  if (model === undefined || typeof model === 'string') return model ?? ''
  const fallback = model.fallback ?? []
  const targets = model.targets.map(({ target }) => target).join(', ')
  return fallback.length > 0 ? `${targets}, then ${fallback.join(', ')}` : targets
}

/** Targets and fallbacks that lead nowhere. */
function brokenTargets(config: Config, upstreams: ReadonlyMap<string, Upstream>): string[] {
  const leadsSomewhere = (target: string) => {
    const slash = target.indexOf('/')
    const provider = target.slice(0, slash)
    if (provider === engineCard.id)
      return (
        config.builtin.enabled !== 'never' &&
        engineCard.models.some(({ id }) => id === target.slice(slash + 1))
      )
    return upstreams.has(provider) || config.providers[provider]?.type === 'ai-sdk'
  }
  return Object.entries(config.models).flatMap(([name, model]) => {
    const targets = typeof model === 'string' ? [model] : model.targets.map(({ target }) => target)
    const fallback = typeof model === 'string' ? [] : (model.fallback ?? [])
    const wrong = [
      ...targets.filter((target) => !leadsSomewhere(target)),
      ...fallback.filter(
        (next) => next.includes('/') && !leadsSomewhere(next) && !(next in config.models),
      ),
    ]
    return wrong.map((target) => `models.${name} leads to ${target}, which is not configured.`)
  })
}
