import type { CallEnd } from '../gateway/call.ts'
import type { AttemptEnd } from '../gateway/telemetry.ts'
import type { AttemptSpan, CallTrace } from '../gateway/trace.ts'
import { outcomeOf } from './call-metrics.ts'
import type { WaitingSpans } from './content-log.ts'
import type { SpanContent } from './content-thread.ts'
import {
  createSpanId,
  createTraceId,
  formatTraceParent,
  isWithin,
  type TraceParent,
  traceParentOf,
} from './trace-context.ts'

/** One call with its attempts, as its spans are made of it. */
export interface TracedCall {
  readonly traceId: string
  readonly spanId: string
  readonly parent: TraceParent | undefined
  readonly end: CallEnd
  /** Milliseconds since the epoch. */
  readonly endedAt: number
  readonly attempts: readonly TracedAttempt[]
  /** What was asked and answered, masked, where spans hold it. */
  readonly content?: SpanContent
}

export interface TracedAttempt {
  readonly spanId: string
  readonly end: AttemptEnd
}

export interface CallTracesOptions {
  /** Of the traces that begin here, from 0 to 1. */
  readonly ratio: number
  readonly now: () => number
  /** Told of calls that are over and shall be sent. */
  readonly send: (call: TracedCall) => void
  /** Whether spans hold what was asked and answered, of calls of which that is kept. */
  readonly withContent?: boolean
}

/** What of a call's life its spans need; nothing is made of it until the call is over. */
class OpenTrace implements CallTrace {
  readonly traceId: string
  readonly spanId = createSpanId()
  readonly parent: TraceParent | undefined
  readonly isSampled: boolean
  readonly attempts: TracedAttempt[] = []

  constructor(parent: TraceParent | undefined, ratio: number) {
    this.parent = parent
    this.traceId = parent?.traceId ?? createTraceId()
    this.isSampled = parent?.isSampled ?? isWithin(ratio, this.traceId)
  }

  beginAttempt(): AttemptSpan {
    const id = createSpanId()
    const headers: Record<string, string> = {
      traceparent: formatTraceParent(this.traceId, id, this.isSampled),
    }
    if (this.parent && this.parent.state !== '') headers['tracestate'] = this.parent.state
    return { id, headers }
  }
}

/**
 * Follows calls from their head to their end. Whether a call is sent is decided when it is over: with its trace, or because
 * it has failed.
 */
export class CallTraces implements WaitingSpans {
  readonly #options: CallTracesOptions
  /** Until what they asked and answered is masked. */
  readonly #waiting = new Map<string, TracedCall>()

  constructor(options: CallTracesOptions) {
    this.#options = options
  }

  open(headers: Readonly<Record<string, string | string[] | undefined>>): CallTrace {
    return new OpenTrace(traceParentOf(headers), this.#options.ratio)
  }

  attemptEnded(end: AttemptEnd): void {
    const { trace } = end.call
    if (trace instanceof OpenTrace && end.span) trace.attempts.push({ spanId: end.span.id, end })
  }

  ended(end: CallEnd): void {
    const { trace, format } = end
    if (!(trace instanceof OpenTrace) || !format) return
    if (!trace.isSampled && !hasFailed(end)) return
    const { traceId, spanId, parent, attempts } = trace
    const { withContent = false, now, send } = this.#options
    const traced = { traceId, spanId, parent, end, endedAt: now(), attempts }
    if (withContent && end.call?.content) this.#waiting.set(end.call.id, traced)
    else send(traced)
  }

  isWaiting(callId: string): boolean {
    return this.#waiting.has(callId)
  }

  masked(callId: string, content: SpanContent | undefined): void {
    const traced = this.#waiting.get(callId)
    this.#waiting.delete(callId)
    if (traced) this.#options.send(content ? { ...traced, content } : traced)
  }
}

function hasFailed(end: CallEnd): boolean {
  const outcome = outcomeOf(end)
  return outcome !== 'completed' && outcome !== 'cancelled'
}
