import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Alerting, readAlerts } from './alerts.ts'
import { ConfigError } from './config-error.ts'
import { type ConsoleConfig, readConsole } from './console.ts'
import { databaseUrlPattern } from './database-url.ts'
import { defaultAliases } from './default-aliases.ts'
import type { Environment, Variables } from './env.ts'
import type {
  ConfigFile,
  JwtConfig,
  KeyConfig,
  ProviderConfig,
  RouteConfig,
  RouteOptions,
} from './schema.ts'
import type { PriceConfig } from './schema-prices.ts'
import { readTelemetry, type TelemetryConfig } from './telemetry.ts'
import type { UnsupportedMode } from './unsupported-mode.ts'

/** Everything that can be set, complete: environment over sluice.yaml over the defaults. */
export interface Config {
  readonly server: {
    readonly host: string
    /** 0 takes a free port. */
    readonly port: number
    /** Without a trailing slash; absent means the address a request came to. */
    readonly publicUrl?: string
    /** Addresses and blocks of the proxies whose `x-forwarded-for` is believed. */
    readonly trustedProxies?: readonly string[]
    readonly bodyLimitBytes: number
    readonly inflatedLimitBytes: number
    readonly bodyLimitValues: number
    readonly requestTimeoutMs: number
    /** How long what is under way may go on after the signal to stop. */
    readonly stopTimeoutMs: number
    readonly workerTimeoutMs: number
    /** How long it goes on accepting after that signal, while it says that it is not ready. */
    readonly drainMs: number
    /** Processes that serve the port. */
    readonly workers: number | 'auto'
    readonly allowPrivateMedia: boolean
  }
  readonly limits: {
    readonly requestsPerMinute?: number
    readonly tokensPerMinute?: number
    readonly concurrentRequestsPerKey?: number
    readonly unknownPrices?: 'refuse' | 'allow'
    /** Tokens that are put aside for what nobody can count before an upstream has. */
    readonly estimates: Required<NonNullable<NonNullable<ConfigFile['limits']>['estimates']>>
    readonly concurrentRequests?: number
    /** How many may wait for a place of these, and how long. */
    readonly waitingRequests: number
    readonly waitMs: number
    /** Of all keys together. */
    readonly heldBytes: number
    readonly heldBytesPerKey: number
    /** What one request may name for fetching. */
    readonly namedFiles: { readonly count: number; readonly bytes: number }
    /** What one key may have stored; the oldest beyond it are removed. */
    readonly keptResponses: { readonly count: number; readonly bytes: number }
    /** What one key may have stored; only what is over is removed. */
    readonly keptVideos: { readonly count: number; readonly bytes: number }
  }
  readonly builtin: {
    readonly enabled: 'auto' | 'always' | 'never'
    readonly aliases: Readonly<Record<string, string>>
  }
  /** Where keys, usage, video tasks and responses are kept. Without a `url`: in a SQLite file in the data folder. */
  readonly storage: { readonly url?: string }
  /** Where limits are kept; absent means in memory. */
  readonly redis?: {
    readonly url: string
    readonly whenDown: 'refuse' | { readonly processes: number }
    readonly timeoutMs: number
  }
  readonly alerts: Alerting
  readonly providers: Readonly<Record<string, ProviderConfig>>
  readonly models: Readonly<Record<string, string | RouteConfig>>
  /** By `provider/model`, which may end in `*`. */
  readonly prices: Readonly<Record<string, PriceConfig>>
  /** How many days usage records are kept; absent means for ever. */
  readonly usage: { readonly keepDays?: number }
  readonly defaults: RouteOptions
  /** What happens to fields that a target cannot express, where nothing nearer says. */
  readonly unsupported: UnsupportedMode
  /** Keys of sluice.yaml, their secrets in clear. */
  readonly keys: readonly KeyConfig[]
  /** Issuers of tokens that stand for a key. */
  readonly jwt: readonly JwtConfig[]
  readonly console: ConsoleConfig
  /** Secrets of SLUICE_API_KEYS. */
  readonly apiKeys: readonly string[]
  /** The secret of SLUICE_ADMIN_KEY. */
  readonly adminKey?: string
  readonly log: { readonly level: LogLevel; readonly file?: string }
  readonly telemetry: TelemetryConfig
  /** Of keys whose prompts and answers are kept. */
  readonly contentLogging: { readonly keepDays: number; readonly bytesMax: number }
  /** Absolute path of the folder of all that is kept. */
  readonly dataFolder: string
  /** Absolute path of the settings file, whether it exists or not. */
  readonly configFile: string
  /** The environment, in which providers look for their keys. */
  readonly variables: Variables
}

export type LogLevel = (typeof logLevels)[number]

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

/**
 * The settings of this start.
 *
 * @throws ConfigError with a sentence that names the wrong setting.
 */
export async function loadConfig(environment: Environment): Promise<Config> {
  const { configFile } = environment
  const file = absoluteConfigFile(environment)
  if (!existsSync(file)) {
    if (configFile !== undefined)
      throw new ConfigError(`SLUICE_CONFIG names ${configFile}, and there is no such file`)
    return createConfig(environment, {}, file)
  }
  // The YAML reader and the compiled schema of the file are needed only where there is one.
  const { readConfigFile } = await import('./file.ts')
  return createConfig(environment, readConfigFile(file, environment.variables), file)
}

/** The settings after the file was given another text. Throws as `loadConfig` does. */
export async function changedConfig(environment: Environment, text: string): Promise<Config> {
  const file = absoluteConfigFile(environment)
  const { parseConfig } = await import('./file.ts')
  return createConfig(environment, parseConfig(text, file, environment.variables), file)
}

/** Puts environment, file and defaults together. `file` is the absolute path of the settings file. */
export function createConfig(environment: Environment, content: ConfigFile, file: string): Config {
  const { server = {}, limits = {}, builtin = {}, storage = {}, log = {} } = content
  const { port: _port, host: _host, publicUrl, ...restOfServer } = server
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
      workers: readWorkers(environment) ?? server.workers ?? 1,
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
      keptResponses: { count: 10_000, bytes: 512 * 1024 * 1024, ...limits.keptResponses },
      keptVideos: { count: 1_000, bytes: 2048 * 1024 * 1024, ...limits.keptVideos },
    },
    builtin: {
      enabled: builtin.enabled ?? 'auto',
      aliases: builtin.aliases ?? defaultAliases,
    },
    storage: { ...storage, ...readDatabaseUrl(environment) },
    ...readRedis(environment, content.redis),
    alerts: readAlerts(content.alerts ?? {}),
    providers: content.providers ?? {},
    models: content.models ?? {},
    prices: content.prices ?? {},
    usage: content.usage ?? {},
    defaults: content.defaults ?? {},
    unsupported: content.defaults?.unsupported ?? content.unsupported ?? 'hints',
    keys: content.keys ?? [],
    jwt: content.jwt ?? [],
    console: readConsole(content.console),
    apiKeys: environment.apiKeys,
    ...(environment.adminKey !== undefined && { adminKey: environment.adminKey }),
    log: {
      level: readLogLevel(environment) ?? log.level ?? 'info',
      ...(log.file !== undefined && { file: log.file }),
    },
    telemetry: readTelemetry(environment, content.telemetry),
    contentLogging: { keepDays: 30, bytesMax: 65_536, ...content.contentLogging },
    dataFolder: absoluteDataFolder(environment),
    configFile: file,
    variables: environment.variables,
  }
}

function readRedis(
  { redisUrl }: Environment,
  { url, whenDown, processes = 1, timeoutMs = 250 }: NonNullable<ConfigFile['redis']> = {},
): Pick<Config, 'redis'> {
  const chosen = redisUrl ?? url
  if (chosen === undefined) return {}
  // Without the value, which may hold a password.
  if (!/^rediss?:\/\/\S+$/.test(chosen))
    throw new ConfigError('REDIS_URL must begin with redis:// or rediss://')
  const policy = whenDown === 'local' ? { processes } : 'refuse'
  return { redis: { url: chosen, whenDown: policy, timeoutMs } }
}

function readDatabaseUrl({ databaseUrl }: Environment): Config['storage'] {
  if (databaseUrl === undefined) return {}
  if (databaseUrlPattern.test(databaseUrl)) return { url: databaseUrl }
  // Without the value, which holds a password.
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

function readWorkers({ workers }: Environment): Config['server']['workers'] | undefined {
  if (workers === undefined) return undefined
  const count = workersIn(workers)
  if (count !== undefined) return count
  throw new ConfigError(`SLUICE_WORKERS ${workersSaid(workers)}`)
}

/** A number of workers as it is written; undefined where it is none. */
export function workersIn(text: string): Config['server']['workers'] | undefined {
  if (text === 'auto') return 'auto'
  return /^[1-9]\d{0,2}$/.test(text) ? Number(text) : undefined
}

/** What is wrong with one that is none. */
export function workersSaid(text: string): string {
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

/** The absolute path of the folder of all that is kept. */
function absoluteDataFolder({ dataFolder }: Environment): string {
  return resolve(dataFolder)
}

/** The absolute path of the settings file, whether it exists or not. */
export function absoluteConfigFile({ configFile }: Environment): string {
  return resolve(configFile ?? 'sluice.yaml')
}
