// Loaded if calls are traced.
import { setTimeout as wait } from 'node:timers/promises'
import {
  type HrTime,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
} from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor } from '@opentelemetry/sdk-trace'
import { proxyEnvironment, type ProxyVariables } from '@sluice/gateway/settings/proxy-variables.ts'
import type { TraceConfig } from '../config/telemetry.ts'
import { programVersion } from '@sluice/gateway/settings/version.ts'
import {
  attemptAttributes,
  attemptName,
  callAttributes,
  callName,
  contentAttributes,
} from './span-attributes.ts'
import type { TracedAttempt, TracedCall } from './call-traces.ts'
import type { ProviderName } from './gen-ai.ts'

type ReadableSpan = Parameters<BatchSpanProcessor['onEnd']>[0]

/** Maximum number of waiting spans; more are dropped. */
const spansMax = 8_192
const batchSpans = 512
const batchEveryMs = 1_000

export interface SpanExporter extends AsyncDisposable {
  send(call: TracedCall): void
}

/** How long a stop waits for the collector to accept the rest, in milliseconds. */
const stopMs = 3_000

/** Called once when spans cannot be sent, and again only after some could; those spans are lost. */
export type SendFailed = (error: unknown) => void

interface ExporterConfig extends TraceConfig {
  /** Those of the environment. */
  readonly proxies: ProxyVariables
  readonly providerName: ProviderName
}

/** Sends spans in batches. Disposing sends the rest. */
export function openSpanExporter(config: ExporterConfig, failed: SendFailed): SpanExporter {
  const { timeoutMs, resource, providerName } = config
  const processor = new BatchSpanProcessor({
    exporter: reportingExporter(config, failed),
    maxQueueSize: spansMax,
    maxExportBatchSize: batchSpans,
    scheduledDelayMillis: batchEveryMs,
    exportTimeoutMillis: timeoutMs,
  })
  const common = commonFields(resource)
  return {
    send(call) {
      for (const attempt of call.attempts)
        processor.onEnd({ ...common, ...attemptSpan(call, attempt, providerName) })
      processor.onEnd({ ...common, ...callSpan(call, providerName) })
    },
    async [Symbol.asyncDispose]() {
      const ended = processor.shutdown().catch(() => {})
      await Promise.race([ended, wait(stopMs, undefined, { ref: false })])
    },
  }
}

type Exporter = ConstructorParameters<typeof BatchSpanProcessor>[0]['exporter']

/** Reports the first failure, and the next one after a success. */
function reportingExporter(
  { endpoint, headers, timeoutMs, proxies }: ExporterConfig,
  failed: SendFailed,
): Exporter {
  const exporter = new OTLPTraceExporter({
    url: endpoint,
    headers: { ...headers },
    timeoutMillis: timeoutMs,
    httpAgentOptions: { keepAlive: true, proxyEnv: proxyEnvironment(proxies) },
  })
  let isFailing = false
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        if (result.error && !isFailing) failed(result.error)
        isFailing = result.error !== undefined
        done(result)
      })
    },
    shutdown: () => exporter.shutdown(),
  }
}

/** What all spans have in common. */
function commonFields(resource: TraceConfig['resource']) {
  const version = programVersion()
  return {
    resource: resourceFromAttributes({ 'service.version': version, ...resource }),
    instrumentationScope: { name: 'sluice', version },
    links: [],
    events: [],
    ended: true,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  }
}

type OwnFields = Omit<ReadableSpan, keyof ReturnType<typeof commonFields>>

function callSpan(call: TracedCall, providerName: ProviderName): OwnFields {
  const { traceId, spanId, parent, end, endedAt } = call
  return {
    name: callName(end),
    kind: SpanKind.SERVER,
    spanContext: contextOf(traceId, spanId),
    ...(parent && {
      parentSpanContext: { ...contextOf(traceId, parent.spanId)(), isRemote: true },
    }),
    ...timesOf(endedAt - end.durationMs, end.durationMs),
    ...statusOf(end.status >= 500 || end.call?.trail.failure !== undefined, end.failure),
    attributes: { ...callAttributes(end, providerName), ...contentAttributes(call.content) },
  }
}

function attemptSpan(
  { traceId, spanId: parentId }: TracedCall,
  { spanId, end }: TracedAttempt,
  providerName: ProviderName,
): OwnFields {
  const { startedAt } = end.begun
  const { durationMs, outcome } = end.ended
  return {
    name: attemptName(end),
    kind: SpanKind.CLIENT,
    spanContext: contextOf(traceId, spanId),
    parentSpanContext: contextOf(traceId, parentId)(),
    ...timesOf(startedAt, durationMs),
    ...statusOf(outcome === 'failed' || outcome === 'incomplete', end.error?.code),
    attributes: attemptAttributes(end, providerName),
  }
}

function contextOf(traceId: string, spanId: string): () => SpanContext {
  const context = { traceId, spanId, traceFlags: TraceFlags.SAMPLED }
  return () => context
}

function timesOf(startMs: number, durationMs: number) {
  return {
    startTime: hrTime(startMs),
    endTime: hrTime(startMs + durationMs),
    duration: hrTime(durationMs),
  }
}

/** Seconds and nanoseconds. */
function hrTime(ms: number): HrTime {
  const seconds = Math.floor(ms / 1000)
  return [seconds, Math.round((ms - seconds * 1000) * 1_000_000)]
}

/** A caller's mistake is not a server error (OpenTelemetry, semantic conventions for HTTP spans). */
function statusOf(isError: boolean, message: string | undefined) {
  if (!isError) return { status: { code: SpanStatusCode.UNSET } }
  return {
    status: { code: SpanStatusCode.ERROR, ...(message !== undefined && { message }) },
  }
}
