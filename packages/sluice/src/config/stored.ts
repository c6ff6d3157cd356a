import { isObject } from '@sluice/contract'
import { configuredUpstreams } from '@sluice/gateway/route/upstreams.ts'
import { providers } from '@sluice/gateway/providers/index.ts'
import type { Section, StoredSetting } from '@sluice/gateway/ports/stored-settings.ts'
import type { Written } from '@sluice/gateway/route/setting-sections.ts'
import { routeOf } from '@sluice/gateway/settings/written-route.ts'
import { withCertificates } from './certificates.ts'
import type { Config } from './config.ts'
import { ConfigError } from './config-error.ts'
import type { Sealing } from './sealing.ts'

/** Stored settings, decrypted. */
export interface OpenedSettings {
  readonly models: Written
  readonly providers: Written
  /** Providers that no key here opens. */
  readonly locked: readonly string[]
}

/** What an encrypted document is bound to. */
export function placeOf(section: Section, name: string): string {
  return `${section}/${name}`
}

/** Decrypts stored settings. */
export function openedSettings(rows: readonly StoredSetting[], sealing: Sealing): OpenedSettings {
  const models: Record<string, unknown> = {}
  const opened: Record<string, unknown> = {}
  const locked: string[] = []
  for (const { section, name, document } of rows) {
    if (section === 'models') models[name] = JSON.parse(document)
    else {
      const text = sealing.open(document, placeOf(section, name))
      if (text === undefined) locked.push(name)
      else opened[name] = JSON.parse(text)
    }
  }
  return { models, providers: opened, locked }
}

/** The names that sluice.yaml or the environment have. `base` is the configuration without stored settings. */
export function declaredNames(base: Config): Readonly<Record<Section, ReadonlySet<string>>> {
  return {
    models: new Set(Object.keys(base.models)),
    providers: new Set([
      ...Object.keys(base.providers),
      ...configuredUpstreams(base, providers).keys(),
    ]),
  }
}

/**
 * The configuration with what is stored. A name that is declared, too, is used as declared. `leftOut` is told of settings that this
 * program does not understand.
 */
export async function withStored(
  base: Config,
  opened: OpenedSettings,
  leftOut: (section: Section, name: string, reason: string) => void = () => {},
): Promise<Config> {
  const declared = declaredNames(base)
  const added: Record<Section, Record<string, unknown>> = { models: {}, providers: {} }
  for (const section of ['models', 'providers'] as const)
    for (const [name, value] of Object.entries(opened[section])) {
      if (declared[section].has(name)) {
        leftOut(section, name, 'it is declared in sluice.yaml or the environment, too')
        continue
      }
      try {
        added[section][name] = await checked(section, name, value)
      } catch (thrown) {
        if (!(thrown instanceof ConfigError)) throw thrown
        leftOut(section, name, thrown.message)
      }
    }
  return {
    ...base,
    // They were validated against the schema of the file.
    models: { ...(added.models as Config['models']), ...base.models },
    providers: { ...(added.providers as Config['providers']), ...base.providers },
    stored: {
      models: Object.keys(added.models),
      providers: Object.keys(added.providers),
      locked: opened.locked.filter((name) => !declared.providers.has(name)),
    },
  }
}

/** A reference to an environment variable. */
const reference = /\$\{[A-Za-z_]/

/** Certificates as text: a stored setting opens no file of the gateway. */
const pemFields = ['ca', 'certificate', 'certificateKey'] as const

/**
 * A setting as `Config` has it. References to variables and names of files are refused: whoever writes settings in the database
 * may not read the environment and the files of the gateway.
 *
 * @throws ConfigError that begins with the path of the field.
 */
export async function checked(section: Section, name: string, value: unknown): Promise<unknown> {
  const place = `${section}.${name}`
  if (textsIn(value).some((text) => reference.test(text)))
    throw new ConfigError(`${place} refers to a variable, which only sluice.yaml can do`)
  if (section === 'providers' && isObject(value)) {
    if (value['type'] === 'ai-sdk')
      throw new ConfigError(
        `${place}.type is ai-sdk, which loads a package: declare it in sluice.yaml`,
      )
    for (const field of pemFields) {
      const text = value[field]
      if (typeof text === 'string' && !text.trimStart().startsWith('-----BEGIN'))
        throw new ConfigError(`${place}.${field} must be the text of a PEM file, not its name`)
    }
  }
  // The compiled schema is loaded with the first file or stored setting.
  const { checkSettings } = await import('./file.ts')
  const { models = {}, providers: given = {} } = checkSettings({ [section]: { [name]: value } })
  const route = models[name]
  return route === undefined ? withCertificates(given)[name] : routeOf(route)
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return [...Object.keys(value), ...Object.values(value).flatMap(textsIn)]
}
