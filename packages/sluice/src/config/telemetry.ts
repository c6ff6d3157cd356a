import { ConfigError } from './config-error.ts'
import { percentDecoded } from './percent-decoded.ts'
import type { Environment } from './env.ts'
import type { ConfigFile } from './schema.ts'

/** The configuration of metrics and traces. */
export interface TelemetryConfig {
  readonly metrics: {
    readonly enabled: boolean
    /** A separate address for metrics; absent means the gateway's own. */
    readonly listen?: { readonly host: string; readonly port: number }
    readonly key?: string
    readonly perKey: boolean
  }
  /** Absent if tracing is off. */
  readonly traces?: TraceConfig
}

export interface TraceConfig {
  readonly endpoint: string
  readonly headers: Readonly<Record<string, string>>
  /** The fraction of traces started here that is sampled, from 0 to 1. */
  readonly ratio: number
  /** Whether spans contain prompts and responses, for calls whose content is stored. */
  readonly content: boolean
  /** Timeout of the collector, in milliseconds. */
  readonly timeoutMs: number
  /** Resource attributes of all spans, including `service.name`. */
  readonly resource: Readonly<Record<string, string>>
}

const timeoutMsUsual = 10_000

/**
 * Combines the settings with OpenTelemetry's standard variables
 * (https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/).
 *
 * @throws ConfigError that names an invalid variable.
 */
export function readTelemetry(
  { openTelemetry }: Environment,
  { metrics = {}, traces = {} }: NonNullable<ConfigFile['telemetry']> = {},
): TelemetryConfig {
  const { listen, key } = metrics
  const endpoint = endpointOf(openTelemetry) ?? traces.endpoint
  const isTraced = endpoint !== undefined && !openTelemetry.isDisabled
  return {
    metrics: {
      enabled: metrics.enabled ?? true,
      ...(listen !== undefined && { listen: addressOf(listen) }),
      ...(key !== undefined && { key }),
      perKey: metrics.perKey ?? false,
    },
    ...(isTraced && {
      traces: {
        endpoint,
        headers: { ...traces.headers, ...pairsIn(openTelemetry.headers) },
        ratio: ratioOf(openTelemetry) ?? traces.ratio ?? 1,
        content: traces.content ?? false,
        timeoutMs: timeoutOf(openTelemetry) ?? timeoutMsUsual,
        resource: {
          'service.name': openTelemetry.serviceName ?? 'sluice',
          ...pairsIn(openTelemetry.resourceAttributes),
          ...(openTelemetry.serviceName !== undefined && {
            'service.name': openTelemetry.serviceName,
          }),
        },
      },
    }),
  }
}

type Variables = Environment['openTelemetry']

/** The traces endpoint is a complete URL; the path is appended to the general endpoint. */
function endpointOf({ tracesEndpoint, endpoint }: Variables): string | undefined {
  const found = tracesEndpoint ?? (endpoint && `${endpoint.replace(/\/+$/, '')}/v1/traces`)
  if (found === undefined || /^https?:\/\/\S+$/.test(found)) return found
  const name = tracesEndpoint === undefined ? '' : 'TRACES_'
  throw new ConfigError(`OTEL_EXPORTER_OTLP_${name}ENDPOINT must begin with http:// or https://`)
}

function timeoutOf({ timeout }: Variables): number | undefined {
  if (timeout === undefined) return undefined
  const ms = Number(timeout)
  if (Number.isInteger(ms) && ms > 0) return ms
  throw new ConfigError('OTEL_EXPORTER_OTLP_TIMEOUT must be a whole number of milliseconds')
}

function ratioOf({ samplerArgument }: Variables): number | undefined {
  if (samplerArgument === undefined) return undefined
  const ratio = Number(samplerArgument)
  if (ratio >= 0 && ratio <= 1) return ratio
  throw new ConfigError('OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1')
}

/**
 * Parses `name=value,name=value` with percent-encoding (W3C Baggage). Invalid pairs are ignored, as other implementations do.
 */
function pairsIn(text: string | undefined): Readonly<Record<string, string>> {
  const pairs = (text ?? '').split(',').flatMap((pair) => {
    const [, name, value] = /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/.exec(pair) ?? []
    return name === undefined || value === undefined ? [] : [[name, percentDecoded(value)]]
  })
  return Object.fromEntries(pairs)
}

function addressOf(listen: string): { readonly host: string; readonly port: number } {
  const at = listen.lastIndexOf(':')
  const port = Number(listen.slice(at + 1))
  if (port > 65_535)
    throw new ConfigError('telemetry.metrics.listen must have a port from 0 to 65535')
  return { host: listen.slice(0, at).replace(/^\[|\]$/g, ''), port }
}
