import type { Variables } from '@sluice/gateway/settings/settings.ts'
import { didYouMean } from '@sluice/gateway/settings/similar-name.ts'

/** Settings from the environment, as text; config.ts parses them. */
export interface Environment {
  readonly host: string | undefined
  /** The port and the variable it was read from, for error messages. */
  readonly port: { readonly name: string; readonly value: string } | undefined
  /** Number of processes that serve the port. */
  readonly workers: string | undefined
  /** Whether code is run before the gateway is ready. */
  readonly warmStart: string | undefined
  /** The data folder. Default `data`. */
  readonly dataFolder: string
  /** URL of the database server to use instead of a file in the data folder. */
  readonly databaseUrl: string | undefined
  /** URL of the Redis server in which several processes share their limits. */
  readonly redisUrl: string | undefined
  readonly apiKeys: readonly string[]
  readonly adminKey: string | undefined
  /** The keys that encrypt stored providers, as text, or the file that has them. */
  readonly encryptionKey: string | undefined
  readonly encryptionKeyFile: string | undefined
  /** Set explicitly; absent means `sluice.yaml` if it exists. */
  readonly configFile: string | undefined
  readonly logLevel: string | undefined
  /** The standard OpenTelemetry variables, as text. */
  readonly openTelemetry: {
    readonly isDisabled: boolean
    readonly endpoint: string | undefined
    readonly tracesEndpoint: string | undefined
    readonly headers: string | undefined
    readonly timeout: string | undefined
    readonly samplerArgument: string | undefined
    readonly serviceName: string | undefined
    readonly resourceAttributes: string | undefined
  }
  /** All variables, for `${NAME}` in sluice.yaml and the providers' keys. */
  readonly variables: Variables
}

/** The variables of settings by the paths of the settings; the first one that is set wins. */
export const settingVariables = {
  'server.host': ['SLUICE_HOST', 'HOST'],
  'server.port': ['SLUICE_PORT', 'PORT'],
  'server.workers': ['SLUICE_WORKERS'],
  'server.warmStart': ['SLUICE_WARM_START'],
  dataFolder: ['SLUICE_DATA'],
  'storage.url': ['DATABASE_URL'],
  'redis.url': ['REDIS_URL'],
  apiKeys: ['SLUICE_API_KEYS'],
  adminKey: ['SLUICE_ADMIN_KEY'],
  encryptionKeys: ['SLUICE_ENCRYPTION_KEY', 'SLUICE_ENCRYPTION_KEY_FILE'],
  configFile: ['SLUICE_CONFIG'],
  'log.level': ['SLUICE_LOG_LEVEL'],
} as const

/** Reads the environment. No other code does. */
export function readEnvironment(variables: Variables = process.env): Environment {
  const read = (path: keyof typeof settingVariables) =>
    firstSet(settingVariables[path], variables)?.value
  return {
    host: read('server.host'),
    port: firstSet(settingVariables['server.port'], variables),
    workers: read('server.workers'),
    warmStart: read('server.warmStart'),
    dataFolder: read('dataFolder') ?? 'data',
    databaseUrl: read('storage.url'),
    redisUrl: read('redis.url'),
    apiKeys: (read('apiKeys') ?? '')
      .split(',')
      .map((key) => key.trim())
      .filter((key) => key !== ''),
    adminKey: read('adminKey'),
    encryptionKey: secret('SLUICE_ENCRYPTION_KEY', variables),
    encryptionKeyFile: secret('SLUICE_ENCRYPTION_KEY_FILE', variables),
    configFile: read('configFile'),
    logLevel: read('log.level'),
    openTelemetry: readOpenTelemetry((...names) => firstSet(names, variables)?.value),
    variables,
  }
}

/** Overrides settings for this process and those that it starts, such as its workers. */
export function setEnvironment(
  given: Readonly<Partial<Record<keyof typeof settingVariables, string | undefined>>>,
): void {
  for (const [path, value] of Object.entries(given))
    if (value !== undefined)
      process.env[settingVariables[path as keyof typeof settingVariables][0]] = value
}

function readOpenTelemetry(
  read: (...names: readonly string[]) => string | undefined,
): Environment['openTelemetry'] {
  return {
    isDisabled: read('OTEL_SDK_DISABLED')?.toLowerCase() === 'true',
    endpoint: read('OTEL_EXPORTER_OTLP_ENDPOINT'),
    tracesEndpoint: read('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'),
    headers: read('OTEL_EXPORTER_OTLP_TRACES_HEADERS', 'OTEL_EXPORTER_OTLP_HEADERS'),
    timeout: read('OTEL_EXPORTER_OTLP_TRACES_TIMEOUT', 'OTEL_EXPORTER_OTLP_TIMEOUT'),
    samplerArgument: read('OTEL_TRACES_SAMPLER_ARG'),
    serviceName: read('OTEL_SERVICE_NAME'),
    resourceAttributes: read('OTEL_RESOURCE_ATTRIBUTES'),
  }
}

/** One variable, trimmed; undefined if absent or empty. */
export function secret(name: string, variables: Variables = process.env): string | undefined {
  return variables[name]?.trim() || undefined
}

function firstSet(names: readonly string[], variables: Variables): Environment['port'] {
  for (const name of names) {
    const value = secret(name, variables)
    if (value !== undefined) return { name, value }
  }
  return undefined
}

/** All variables of this program, and those that the README's examples set for clients. */
const ownVariables: ReadonlySet<string> = new Set([
  ...Object.values(settingVariables)
    .flat()
    .filter((name) => name.startsWith('SLUICE_')),
  'SLUICE_KEY',
  'SLUICE_LAUNCHER_PID',
])

/** Variables that Kubernetes sets for a service called sluice. */
const serviceVariable = /^SLUICE_(?:SERVICE_|PORT_\d)/

/** A warning for each unknown SLUICE_ variable, except those that the settings file refers to. */
export function unknownVariables(variables: Variables, settings: string): readonly string[] {
  return Object.keys(variables)
    .filter(
      (name) =>
        name.startsWith('SLUICE_') &&
        !ownVariables.has(name) &&
        !serviceVariable.test(name) &&
        !settings.includes(`{${name}`),
    )
    .map((name) => `${name} is not a setting. ${didYouMean(name, ownVariables)}`.trimEnd())
}
