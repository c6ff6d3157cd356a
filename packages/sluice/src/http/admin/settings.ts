import type { Config } from '../../config/config.ts'
import { concealedSettings } from '../../gateway/route/concealed-settings.ts'
import type { Address } from '../address.ts'
import { object, text } from '../openapi-written.ts'
import { wholeReaders } from './endpoint.ts'
import { gatewayAddress } from './gateway-endpoint.ts'

/** Replaces secret values. */
const hidden = '••••••'

/** Settings controlled by the environment, with their variables; the first one that is set wins. */
const fromEnvironment: Readonly<Record<string, readonly string[]>> = {
  'server.host': ['SLUICE_HOST', 'HOST'],
  'server.port': ['SLUICE_PORT', 'PORT'],
  'storage.url': ['DATABASE_URL'],
  'redis.url': ['REDIS_URL'],
  'log.level': ['SLUICE_LOG_LEVEL'],
  dataFolder: ['SLUICE_DATA'],
  configFile: ['SLUICE_CONFIG'],
  adminKey: ['SLUICE_ADMIN_KEY'],
  apiKeys: ['SLUICE_API_KEYS'],
}

/** Names of settings whose values are always treated as credentials. */
const secretName = /(?:^|[a-z_-])(?:key|keys|secret|token|password|credentials?)$/i
/** Names that match `secretName` but hold counts or lists. */
const plainName = /(?:per|of|max|requests|responses|concurrent\w*)key$|^tokens/i

/** The effective settings and the source of each. */
export const settingsAddresses: readonly Address[] = [
  gatewayAddress({
    method: 'GET',
    path: '/admin/v1/settings',
    roles: wholeReaders,
    operationId: 'getSettings',
    summary: 'Get the settings that hold now, without secrets, and where each came from',
    tag: 'Operation',
    reply: object({
      file: text,
      data: {
        type: 'array',
        items: object({
          path: text,
          value: { description: 'The value; a secret is hidden.' },
          source: text,
          isHidden: { type: 'boolean' },
        }),
      },
    }),
    async serve({ gateway }) {
      const config = gateway.settings.config()
      const concealed = concealedSettings(config, gateway.routing().upstreams.values())
      const secrets = new Set(concealed.secrets)
      const inFile = await pathsInFile(config)
      const switchedOn = [...gateway.routing().upstreams.values()]
        .filter(({ id }) => !Object.hasOwn(config.providers, id))
        .map(({ id, provider }) => ({
          path: `providers.${id}`,
          value: 'on',
          source: `environment: ${variableOf(provider.environment, config) ?? 'its key'}`,
          isHidden: false,
        }))
      const found = leavesOf(settingsOf(config), '').map(([path, value]) => {
        const isHidden = isSecret(path, value, secrets)
        return {
          path,
          value: isHidden ? hidden : value,
          source: sourceOf(path, config, inFile),
          isHidden,
        }
      })
      return {
        file: config.configFile,
        data: [...found, ...switchedOn].toSorted((one, other) =>
          one.path.localeCompare(other.path, 'en'),
        ),
      }
    },
  }),
]

/** All settings except the environment variables. */
function settingsOf({ variables: _variables, ...config }: Config): object {
  return config
}

type Leaf = readonly [path: string, value: unknown]

function leavesOf(value: unknown, path: string): readonly Leaf[] {
  if (typeof value !== 'object' || value === null) return [[path, value]]
  const entries: readonly (readonly [string, unknown])[] = Array.isArray(value)
    ? value.map((item, at) => [`${path}[${at}]`, item])
    : Object.entries(value)
        .filter(([, item]) => item !== undefined)
        .map(([name, item]) => [joined(path, name), item])
  if (entries.length === 0) return path === '' ? [] : [[path, value]]
  return entries.flatMap(([name, item]) => leavesOf(item, name))
}

function joined(path: string, name: string): string {
  const step = /^[\w-]+$/.test(name) ? name : `[${JSON.stringify(name)}]`
  if (path === '') return step
  return step.startsWith('[') ? path + step : `${path}.${step}`
}

function isSecret(path: string, value: unknown, secrets: ReadonlySet<string>): boolean {
  if (typeof value !== 'string') return false
  const [, name = path] = /([^.[\]"]+)(?:\[\d+\])?"?\]?$/.exec(path) ?? []
  if (secrets.has(value) || (secretName.test(name) && !plainName.test(name))) return true
  if (/^apiKeys|\.headers[.[]/.test(path)) return true
  // A URL may contain a password.
  return URL.canParse(value) && new URL(value).password !== ''
}

function sourceOf(path: string, config: Config, inFile: (path: string) => boolean): string {
  const variables = fromEnvironment[path.replace(/\[\d+\]$/, '')] ?? []
  const variable = variableOf(variables, config)
  if (variable !== undefined) return `environment: ${variable}`
  return inFile(path) ? 'sluice.yaml' : 'default'
}

function variableOf(names: readonly string[], { variables }: Config): string | undefined {
  return names.find((name) => (variables[name] ?? '').trim() !== '')
}

/** Tests whether a setting, or an object it is part of, is written in the settings file. */
async function pathsInFile(config: Config): Promise<(path: string) => boolean> {
  const { readTextIfAny } = await import('../../config/read-text.ts')
  const text = readTextIfAny(config.configFile)
  if (text === '') return () => false
  const { parsePath } = await import('../../config/edit.ts')
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
