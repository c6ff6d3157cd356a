import type { GatewayError } from '@sluice/contract'
import type { UsageBegun, UsageEnded } from '../ports/store.ts'
import type { Call, CallEnd } from '../call/call.ts'
import type { Target } from '../route/routing.ts'
import type { AttemptSpan, CallTrace } from '../call/trace.ts'

/** The end of one attempt; reported once, whatever the outcome. */
export interface AttemptEnd {
  readonly call: Call
  readonly target: Target
  /** The two parts of its usage record. */
  readonly begun: UsageBegun
  readonly ended: UsageEnded
  /** From the start of the attempt to its first content, in milliseconds; undefined if none arrived. */
  readonly firstContentMs: number | undefined
  /** As callers may see it. */
  readonly error: GatewayError | undefined
  /** What `CallTrace.beginAttempt` returned. */
  readonly span: AttemptSpan | undefined
}

/** Observes calls without affecting them. Never throws. */
export interface Telemetry {
  /** Opens the trace of a request with these headers; undefined if tracing is off. */
  openTrace(headers: Readonly<Record<string, string | string[] | undefined>>): CallTrace | undefined
  attemptEnded(end: AttemptEnd): void
  ended(end: CallEnd): void
}

/** Metrics in Prometheus format. */
export interface Metrics {
  /** A secret that grants access instead of an administrator's key; undefined if not configured. */
  readonly key: string | undefined
  /** Text format 0.0.4. */
  text(): Promise<string>
}
