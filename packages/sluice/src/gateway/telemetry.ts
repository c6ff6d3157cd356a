import type { GatewayError, UsageRecord } from '@sluice/contract'
import type { Call, CallEnd } from './call.ts'
import type { Target } from './route/routing.ts'
import type { AttemptSpan, CallTrace } from './trace.ts'

/** The end of one attempt, told once, whichever way it ended. */
export interface AttemptEnd {
  readonly call: Call
  readonly target: Target
  readonly record: UsageRecord
  /** From the start of the attempt to the first content of its answer, in milliseconds; undefined where none came. */
  readonly firstContentMs: number | undefined
  /** As callers may see it. */
  readonly error: GatewayError | undefined
  /** What `CallTrace.beginAttempt` returned. */
  readonly span: AttemptSpan | undefined
}

/** What looks at calls without having a part in them. None of it throws. */
export interface Telemetry {
  /** The trace of a request with these headers; undefined while nothing is traced. */
  openTrace(headers: Readonly<Record<string, string | string[] | undefined>>): CallTrace | undefined
  attemptEnded(end: AttemptEnd): void
  ended(end: CallEnd): void
}

/** Metrics as Prometheus reads them. */
export interface Metrics {
  /** The secret that may be shown for them instead of an administrator's key; undefined where there is none. */
  readonly key: string | undefined
  /** In the text format 0.0.4. */
  text(): Promise<string>
}
