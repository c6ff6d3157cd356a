import { didYouMean } from './similar-name.ts'

/** The environment as it was at the start. An empty variable counts as absent, as shells and compose files set them. */
export type Variables = Readonly<Record<string, string | undefined>>

/** What the environment alone decides, still as text; config.ts makes sense of it. */
export interface Environment {
  readonly host: string | undefined
  /** Where the port was read, so that a mistake is told by its name. */
  readonly port: { readonly name: string; readonly value: string } | undefined
  /** How many processes serve the port. */
  readonly workers: string | undefined
  /** The folder of all that is kept. Default `data`. */
  readonly dataFolder: string
  /** The database server that keeps what there is to keep, instead of a file in the data folder. */
  readonly databaseUrl: string | undefined
  /** Where several processes keep their limits together. */
  readonly redisUrl: string | undefined
  readonly apiKeys: readonly string[]
  readonly adminKey: string | undefined
  /** Named explicitly; absent means `sluice.yaml` if there is one. */
  readonly configFile: string | undefined
  readonly logLevel: string | undefined
  /** What every program that traces reads, as text. */
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
  /** Everything, for `${NAME}` in sluice.yaml and for the providers' keys. */
  readonly variables: Variables
}

/** Reads the environment: nothing else in the program does. */
export function readEnvironment(variables: Variables = process.env): Environment {
  const read = (name: string) => secret(name, variables)
  return {
    host: read('SLUICE_HOST') ?? read('HOST'),
    port: firstSet(['SLUICE_PORT', 'PORT'], variables),
    workers: read('SLUICE_WORKERS'),
    dataFolder: read('SLUICE_DATA') ?? 'data',
    databaseUrl: read('DATABASE_URL'),
    redisUrl: read('REDIS_URL'),
    apiKeys: (read('SLUICE_API_KEYS') ?? '')
      .split(',')
      .map((key) => key.trim())
      .filter((key) => key !== ''),
    adminKey: read('SLUICE_ADMIN_KEY'),
    configFile: read('SLUICE_CONFIG'),
    logLevel: read('SLUICE_LOG_LEVEL'),
    openTelemetry: readOpenTelemetry(read),
    variables,
  }
}

function readOpenTelemetry(
  read: (name: string) => string | undefined,
): Environment['openTelemetry'] {
  return {
    isDisabled: read('OTEL_SDK_DISABLED')?.toLowerCase() === 'true',
    endpoint: read('OTEL_EXPORTER_OTLP_ENDPOINT'),
    tracesEndpoint: read('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'),
    headers: read('OTEL_EXPORTER_OTLP_TRACES_HEADERS') ?? read('OTEL_EXPORTER_OTLP_HEADERS'),
    timeout: read('OTEL_EXPORTER_OTLP_TRACES_TIMEOUT') ?? read('OTEL_EXPORTER_OTLP_TIMEOUT'),
    samplerArgument: read('OTEL_TRACES_SAMPLER_ARG'),
    serviceName: read('OTEL_SERVICE_NAME'),
    resourceAttributes: read('OTEL_RESOURCE_ATTRIBUTES'),
  }
}

/** One variable, trimmed; undefined when absent or empty. */
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

/** Every variable of our own, and what the README's examples set for callers. */
const ownVariables: ReadonlySet<string> = new Set([
  'SLUICE_HOST',
  'SLUICE_PORT',
  'SLUICE_WORKERS',
  'SLUICE_DATA',
  'SLUICE_API_KEYS',
  'SLUICE_ADMIN_KEY',
  'SLUICE_CONFIG',
  'SLUICE_LOG_LEVEL',
  'SLUICE_KEY',
  'SLUICE_LAUNCHER_PID',
])

/** What Kubernetes sets for a service that is called sluice. */
const serviceVariable = /^SLUICE_(?:SERVICE_|PORT_\d)/

/** A sentence about each SLUICE_ variable that means nothing; those that the settings file refers to mean something. */
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
