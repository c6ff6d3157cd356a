import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Alerting, readAlerts } from './alerts.ts'
import { withCertificates } from './certificates.ts'
import { ConfigError } from './config-error.ts'
import { isTimeZone } from '@sluice/gateway/settings/time-zone.ts'
import { readConsole } from './console.ts'
import { databaseUrlPattern } from './database-url.ts'
import { aliasTable } from './default-aliases.ts'
import type { Environment } from './env.ts'
import type { JwtConfig } from '@sluice/gateway/settings/schema-jwt.ts'
import { routeOf } from '@sluice/gateway/settings/written-route.ts'
import type { KeyConfig } from '@sluice/gateway/settings/schema-server.ts'
import { noStored, type Settings } from '@sluice/gateway/settings/settings.ts'
import type { ConfigFile } from './schema.ts'
import { readProxies } from './proxies.ts'
import { readEncryptionKeys } from './encryption-keys.ts'
import { readTelemetry, type TelemetryConfig } from './telemetry.ts'

/** The complete configuration. */
export interface Config extends Settings {
  /** Where limits are kept; absent means in memory. */
  readonly redis?: {
    readonly url: string
    readonly whenDown: 'refuse' | { readonly processes: number }
    readonly timeoutMs: number
  }
  readonly alerts: Alerting
  /** How many days usage records are kept; absent means forever. */
  readonly usage: { readonly keepDays?: number }
  /** Keys from sluice.yaml, with their secrets in clear text. */
  readonly keys: readonly KeyConfig[]
  /** Issuers of tokens that callers may use instead of a key. */
  readonly jwt: readonly JwtConfig[]
  /** Secrets from SLUICE_API_KEYS. */
  readonly apiKeys: readonly string[]
  /** The secret from SLUICE_ADMIN_KEY. */
  readonly adminKey?: string
  /** Secrets from SLUICE_ENCRYPTION_KEY or its file: the first encrypts stored providers, and all decrypt them. */
  readonly encryptionKeys: readonly string[]
  readonly log: { readonly level: LogLevel; readonly file?: string }
  readonly telemetry: TelemetryConfig
  /** For keys whose prompts and responses are stored. */
  readonly contentLogging: { readonly keepDays: number; readonly bytesMax: number }
  /** Absolute path of the data folder. */
  readonly dataFolder: string
  /** Absolute path of the settings file, which need not exist. */
  readonly configFile: string
  /** What that file said when it was read; absent if there was none. */
  readonly configText?: string
}

export type LogLevel = (typeof logLevels)[number]

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

/**
 * Loads the configuration at startup.
 *
 * @throws ConfigError with a sentence that names the invalid setting.
 */
export async function loadConfig(environment: Environment): Promise<Config> {
  const { configFile } = environment
  const file = absoluteConfigFile(environment)
  if (!existsSync(file)) {
    if (configFile !== undefined)
      throw new ConfigError(`SLUICE_CONFIG names ${configFile}, and there is no such file`)
    return createConfig(environment, {}, file)
  }
  // The YAML reader and the compiled schema are needed only if there is a file.
  const { readConfigFile } = await import('./file.ts')
  const { text, content } = readConfigFile(file, environment.variables)
  return { ...createConfig(environment, content, file), configText: text }
}

/** The configuration for a changed text of the file. Throws as `loadConfig` does. */
export async function changedConfig(environment: Environment, text: string): Promise<Config> {
  const file = absoluteConfigFile(environment)
  const { parseConfig } = await import('./file.ts')
  const content = parseConfig(text, file, environment.variables)
  return { ...createConfig(environment, content, file), configText: text }
}

/** Combines environment, file and defaults. `file` is the absolute path of the settings file. */
export function createConfig(environment: Environment, content: ConfigFile, file: string): Config {
  const { server = {}, limits = {}, builtin = {}, storage = {}, log = {} } = content
  const { port: _port, host: _host, publicUrl, ...restOfServer } = server
  const { timeZone } = limits
  if (timeZone !== undefined && !isTimeZone(timeZone))
    throw new ConfigError(`limits.timeZone: there is no time zone ${timeZone}`)
  return {
    server: {
      bodyLimitBytes: 128 * 1024 * 1024,
      inflatedLimitBytes: 64 * 1024 * 1024,
      bodyLimitValues: 500_000,
      requestTimeoutMs: 120_000,
      stopTimeoutMs: 10_000,
      workerTimeoutMs: 30_000,
      drainMs: 0,
      allowPrivateMedia: false,
      ...restOfServer,
      ...(publicUrl !== undefined && { publicUrl: publicUrl.replace(/\/+$/, '') }),
      host: environment.host ?? server.host ?? '127.0.0.1',
      port: readPort(environment) ?? server.port ?? 8080,
      ...startOf(environment, server),
    },
    limits: {
      heldBytes: 512 * 1024 * 1024,
      heldBytesPerKey: 256 * 1024 * 1024,
      waitingRequests: 1_000,
      waitMs: 5_000,
      ...limits,
      estimates: {
        outputTokens: 1_024,
        imageTokens: 2_000,
        fileTokens: 10_000,
        historyTokens: 10_000,
        ...limits.estimates,
      },
      namedFiles: { count: 64, bytes: 50 * 1024 * 1024, ...limits.namedFiles },
      ...keptLimits(limits),
    },
    builtin: { enabled: builtin.enabled ?? 'auto', ...aliasTable(builtin.aliases) },
    storage: { ...storage, ...readDatabaseUrl(environment) },
    ...readRedis(environment, content.redis),
    alerts: readAlerts(content.alerts ?? {}),
    providers: withCertificates(content.providers ?? {}),
    proxies: readProxies(environment.variables),
    media: content.media ?? {},
    models: routesOf(content.models),
    ...(content.defaultModel !== undefined && { defaultModel: content.defaultModel }),
    prices: content.prices ?? {},
    usage: content.usage ?? {},
    defaults: content.defaults ?? {},
    unsupported: content.defaults?.unsupported ?? content.unsupported ?? 'hints',
    keys: content.keys ?? [],
    jwt: content.jwt ?? [],
    console: readConsole(content.console),
    apiKeys: environment.apiKeys,
    ...(environment.adminKey !== undefined && { adminKey: environment.adminKey }),
    encryptionKeys: readEncryptionKeys(environment),
    stored: noStored,
    log: {
      level: readLogLevel(environment) ?? log.level ?? 'info',
      ...(log.file !== undefined && { file: log.file }),
    },
    telemetry: readTelemetry(environment, content.telemetry),
    contentLogging: { keepDays: 30, bytesMax: 65_536, ...content.contentLogging },
    dataFolder: resolve(environment.dataFolder),
    configFile: file,
    variables: environment.variables,
  }
}

function routesOf(written: ConfigFile['models'] = {}): Config['models'] {
  return Object.fromEntries(Object.entries(written).map(([name, one]) => [name, routeOf(one)]))
}

function readRedis(
  { redisUrl }: Environment,
  { url, whenDown, processes = 1, timeoutMs = 1_000 }: NonNullable<ConfigFile['redis']> = {},
): Pick<Config, 'redis'> {
  const chosen = redisUrl ?? url
  if (chosen === undefined) return {}
  // Without the value, which may contain a password.
  if (!/^rediss?:\/\/\S+$/.test(chosen))
    throw new ConfigError('REDIS_URL must begin with redis:// or rediss://')
  const policy = whenDown === 'local' ? { processes } : 'refuse'
  return { redis: { url: chosen, whenDown: policy, timeoutMs } }
}

function readDatabaseUrl({ databaseUrl }: Environment): Config['storage'] {
  if (databaseUrl === undefined) return {}
  if (databaseUrlPattern.test(databaseUrl)) return { url: databaseUrl }
  // Without the value, which contains a password.
  throw new ConfigError('DATABASE_URL must begin with postgres:// or postgresql://')
}

function readPort({ port }: Environment): number | undefined {
  if (port === undefined) return undefined
  const number = /^\d{1,5}$/.test(port.value) ? Number(port.value) : Number.NaN
  if (number >= 0 && number <= 65_535) return number
  throw new ConfigError(
    `${port.name} must be a whole number from 0 to 65535, got ${JSON.stringify(port.value)}`,
  )
}

/** How the processes of a gateway start. */
function startOf(
  environment: Environment,
  { workers, warmStart }: NonNullable<ConfigFile['server']>,
) {
  return {
    workers: readWorkers(environment) ?? workers ?? 1,
    warmStart: readWarmStart(environment) ?? warmStart ?? true,
  }
}

function readWorkers({ workers }: Environment): Config['server']['workers'] | undefined {
  if (workers === undefined) return undefined
  const count = workersIn(workers)
  if (count !== undefined) return count
  throw new ConfigError(`SLUICE_WORKERS ${workersText(workers)}`)
}

function readWarmStart({ warmStart }: Environment): boolean | undefined {
  if (warmStart === undefined) return undefined
  if (warmStart === 'true' || warmStart === 'false') return warmStart === 'true'
  throw new ConfigError(`SLUICE_WARM_START must be true or false, got ${JSON.stringify(warmStart)}`)
}

/** Parses a number of workers; undefined if invalid. */
export function workersIn(text: string): Config['server']['workers'] | undefined {
  if (text === 'auto') return 'auto'
  return /^[1-9]\d{0,2}$/.test(text) ? Number(text) : undefined
}

/** The error text for an invalid number of workers. */
export function workersText(text: string): string {
  return `must be a whole number from 1 to 999, or auto, got ${JSON.stringify(text)}`
}

function readLogLevel({ logLevel }: Environment): LogLevel | undefined {
  if (logLevel === undefined) return undefined
  const level = logLevels.find((name) => name === logLevel.toLowerCase())
  if (level !== undefined) return level
  throw new ConfigError(
    `SLUICE_LOG_LEVEL must be one of ${logLevels.join(', ')}, got ${JSON.stringify(logLevel)}`,
  )
}

/** The absolute path of the settings file, which need not exist. */
export function absoluteConfigFile({ configFile }: Environment): string {
  return resolve(configFile ?? 'sluice.yaml')
}

/** What a key may store. */
function keptLimits(given: NonNullable<ConfigFile['limits']>) {
  const bytes = 512 * 1024 * 1024
  return {
    keptResponses: { count: 10_000, bytes, ...given.keptResponses },
    keptConversations: { count: 10_000, items: 10_000, bytes, ...given.keptConversations },
    keptVideos: { count: 1_000, bytes: 4 * bytes, ...given.keptVideos },
  }
}
