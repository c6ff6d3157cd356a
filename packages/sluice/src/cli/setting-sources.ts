import type { Upstream } from '@sluice/gateway/route/routing.ts'
import { concealedSettings } from '@sluice/gateway/route/concealed-settings.ts'
import { hidden } from '@sluice/gateway/settings/shown-url.ts'
import type { ShownSetting } from '@sluice/gateway/route/setting-sections.ts'
import type { Config } from '../config/config.ts'
import { settingVariables } from '../config/env.ts'
import { formatPath } from '../config/references.ts'
import { secretSettings, shownSettings } from '../config/shown-settings.ts'

const fromEnvironment: Readonly<Record<string, readonly string[]>> = settingVariables

/** The effective settings without secrets, sorted by path, and the source of each. */
export async function sourcedSettings(
  config: Config,
  upstreams: Iterable<Upstream>,
): Promise<readonly (ShownSetting & { readonly source: string })[]> {
  const enabled = [...upstreams]
  const concealed = concealedSettings(config, enabled, secretSettings(config))
  const inFile = await pathsInFile(config)
  const switchedOn = enabled
    .filter(({ id }) => !Object.hasOwn(config.providers, id))
    .map(({ id, provider }) => ({
      path: `providers.${id}`,
      value: 'on',
      source: `environment: ${variableOf(provider.environment, config) ?? 'its key'}`,
      isHidden: false,
    }))
  const found = shownSettings(config).map((setting) => ({
    ...withoutSecrets(setting, concealed.secrets),
    source: sourceOf(setting.path, config, inFile),
  }))
  return [...found, ...switchedOn].toSorted((one, other) =>
    one.path.localeCompare(other.path, 'en'),
  )
}

/** Hides a value in which a secret stands although its setting is no place for one, such as a key in a description. */
function withoutSecrets(setting: ShownSetting, secrets: Iterable<string>): ShownSetting {
  const { value } = setting
  if (typeof value !== 'string') return setting
  for (const secret of secrets)
    if (secret.length >= secretLengthMin && value.includes(secret))
      return { ...setting, value: hidden, isHidden: true }
  return setting
}

/** Shorter texts, such as the password of a test database, also stand in ordinary values. */
const secretLengthMin = 8

function sourceOf(path: string, config: Config, inFile: (path: string) => boolean): string {
  const variables = fromEnvironment[path.replace(/\[\d+\]$/, '')] ?? []
  const variable = variableOf(variables, config)
  if (variable !== undefined) return `environment: ${variable}`
  if (isStored(path, config)) return 'database'
  return inFile(path) ? 'sluice.yaml' : 'default'
}

/** Whether a setting belongs to a route or a provider that is stored, such as `providers.acme.baseUrl`. */
function isStored(path: string, { stored }: Config): boolean {
  return (['providers', 'models'] as const).some((section) =>
    stored[section].some((name) => {
      const place = formatPath([section, name])
      return path === place || path.startsWith(`${place}.`) || path.startsWith(`${place}[`)
    }),
  )
}

function variableOf(names: readonly string[], { variables }: Config): string | undefined {
  return names.find((name) => (variables[name] ?? '').trim() !== '')
}

/** Tests whether a setting, or an object it is part of, is written in the settings file. */
async function pathsInFile(config: Config): Promise<(path: string) => boolean> {
  const { readTextIfAny } = await import('../config/read-text.ts')
  const text = readTextIfAny(config.configFile)
  if (text === '') return () => false
  const { parsePath } = await import('../config/edit.ts')
  const { parseDocument } = await import('yaml')
  const document = parseDocument(text, { merge: true })
  return (path) => {
    try {
      return document.hasIn(parsePath(path))
    } catch {
      return false
    }
  }
}
