import type { ProxyVariables } from '@sluice/gateway/settings/proxy-variables.ts'
import type { TelemetryConfig, TraceConfig } from '../config/telemetry.ts'
import type { BreakerState } from '@sluice/gateway/route/breaker.ts'
import type { AttemptObserver, CallObserver, Metrics } from '@sluice/gateway/observe/observers.ts'
import { CallMetrics } from './call-metrics.ts'
import { CallTraces } from './call-traces.ts'
import type { WaitingSpans } from './content-log.ts'
import type { FamilySnapshot } from './families.ts'
import type { ProviderName } from './gen-ai.ts'
import { ProcessMetrics, type UnderWay } from './process-metrics.ts'

export interface TelemetryOptions {
  readonly config: TelemetryConfig
  /** The proxies of the environment. */
  readonly proxies: ProxyVariables
  readonly underWay: UnderWay
  readonly providerName: ProviderName
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** Called when spans could not be sent. */
  readonly sendFailed: (error: unknown) => void
  /** If several processes form one gateway: the other processes, and those that have ended. Absent for a single process. */
  readonly others?: OtherProcesses
}

export interface OtherProcesses {
  /** The measurements of all processes, given those of this one. */
  addTo(own: readonly FamilySnapshot[]): Promise<readonly FamilySnapshot[]>
  /** Lets the other processes ask this one for its measurements. */
  serve(own: () => readonly FamilySnapshot[]): void
}

/** Metrics and traces. Disposing sends the remaining spans. */
export interface OpenTelemetry extends AsyncDisposable {
  /** Metrics, and then traces. */
  readonly observers: readonly (AttemptObserver & CallObserver)[]
  /** Absent without traces. */
  readonly traces?: CallTraces
  /** Absent without metrics. */
  readonly metrics?: Metrics
  /** Spans waiting for their calls' content; absent if spans contain none. */
  readonly spans?: WaitingSpans
  /** Configured models as `provider/model`, which are labels. */
  configure(models: Iterable<string>): void
  /** Called for breakers that apply to all callers. */
  breakerChanged(target: string, state: BreakerState): void
}

export async function openTelemetry(options: TelemetryOptions): Promise<OpenTelemetry> {
  const { config, underWay, others, providerName } = options
  const calls = config.metrics.enabled
    ? new CallMetrics(config.metrics.perKey, providerName)
    : undefined
  const own = calls && new ProcessMetrics(underWay)
  const tracing = config.traces && (await openTracing(config.traces, options))
  const traces = tracing?.traces
  return {
    observers: [...(calls ? [calls] : []), ...(traces ? [traces] : [])],
    ...(traces && { traces }),
    ...(calls && own && { metrics: metricsOf([calls, own], config.metrics.key, others) }),
    ...(traces && config.traces?.content === true && { spans: traces }),
    configure: (models) => calls?.configure(models),
    breakerChanged: (target, state) => calls?.breakerChanged(target, state),
    async [Symbol.asyncDispose]() {
      own?.[Symbol.dispose]()
      await tracing?.exporter[Symbol.asyncDispose]()
    },
  }
}

async function openTracing(
  settings: TraceConfig,
  {
    proxies,
    providerName,
    sendFailed,
    now,
  }: Pick<TelemetryOptions, 'proxies' | 'providerName' | 'sendFailed' | 'now'>,
) {
  // The SDK is loaded only if it is used.
  const { openSpanExporter } = await import('./span-exporter.ts')
  const exporter = openSpanExporter({ ...settings, proxies, providerName }, sendFailed)
  const { ratio, content: withContent } = settings
  const traces = new CallTraces({ ratio, withContent, now, send: (call) => exporter.send(call) })
  return { exporter, traces }
}

function metricsOf(
  measured: readonly { snapshots(): readonly FamilySnapshot[] }[],
  key: string | undefined,
  others: OtherProcesses | undefined,
): Metrics {
  const own = () => measured.flatMap((one) => one.snapshots())
  others?.serve(own)
  return {
    key,
    async text() {
      const { expositionOf } = await import('./exposition.ts')
      return expositionOf(others ? await others.addTo(own()) : own())
    },
  }
}
