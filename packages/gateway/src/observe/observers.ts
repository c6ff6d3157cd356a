import type { GatewayError, Money } from '@sluice/contract'
import type { UsageBegun, UsageEnded } from '../ports/store.ts'
import type { Call, CallEnd } from '../call/call.ts'
import type { ContentCapture } from '../call/content.ts'
import type { Target } from '../route/routing.ts'
import type { AttemptSpan, CallTrace } from '../call/trace.ts'

/** The end of one attempt; reported once, whatever the outcome. */
export interface AttemptEnd {
  readonly call: Call
  readonly target: Target
  /** The two parts of its usage record. */
  readonly begun: UsageBegun
  readonly ended: UsageEnded
  /** What it cost; undefined if that is unknown. */
  readonly cost: Money | undefined
  /** From the start of the attempt to its first content, in milliseconds; undefined if none arrived. */
  readonly firstContentMs: number | undefined
  /** As callers may see it. */
  readonly error: GatewayError | undefined
  /** What `CallTrace.beginAttempt` returned. */
  readonly span: AttemptSpan | undefined
}

/** Never throws. */
export interface AttemptObserver {
  attemptEnded(end: AttemptEnd): void
}

/** Never throws. */
export interface CallObserver {
  /** Called once per request when everything about it is over. */
  ended(end: CallEnd): void
}

/** Those who watch calls without affecting them. Each is told in turn, as it is listed. */
export interface Observers {
  readonly ofAttempts: readonly AttemptObserver[]
  readonly ofRequests: readonly CallObserver[]
  /** Told after `ofRequests` of the requests that ended with an error. */
  readonly ofFailures: readonly CallObserver[]
  /** Opens the traces of requests; absent if tracing is off. */
  readonly traces?: {
    open(headers: Readonly<Record<string, string | string[] | undefined>>): CallTrace
  }
}

/** Stores prompts and responses, masked, beside the usage records. */
export interface ContentLog extends CallObserver {
  /** Opens the capture for a call whose prompt and response are stored. */
  open(request: Uint8Array): ContentCapture
  /** Resolves when all captures that have ended are stored or lost. */
  flush(): Promise<void>
  /** Removes content past its retention time; runs every hour. */
  forgetOld(): Promise<void>
}

/** Metrics in Prometheus format. */
export interface Metrics {
  /** A secret that grants access instead of an administrator's key; undefined if not configured. */
  readonly key: string | undefined
  /** Text format 0.0.4. */
  text(): Promise<string>
}
