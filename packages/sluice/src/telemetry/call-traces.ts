import type { CallEnd } from '@sluice/gateway/call/call.ts'
import type { AttemptEnd } from '@sluice/gateway/observe/observers.ts'
import type { AttemptSpan, CallTrace } from '@sluice/gateway/call/trace.ts'
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

/** A call and its attempts, from which its spans are created. */
export interface TracedCall {
  readonly traceId: string
  readonly spanId: string
  readonly parent: TraceParent | undefined
  readonly end: CallEnd
  /** Milliseconds since the epoch. */
  readonly endedAt: number
  readonly attempts: readonly TracedAttempt[]
  /** The masked prompt and response, if spans contain them. */
  readonly content?: SpanContent
}

export interface TracedAttempt {
  readonly spanId: string
  readonly end: AttemptEnd
}

export interface CallTracesOptions {
  /** The share of traces that begin here, from 0 to 1. */
  readonly ratio: number
  readonly now: () => number
  /** Called with finished calls that are to be sent. */
  readonly send: (call: TracedCall) => void
  /** Whether spans contain prompts and responses, for calls whose content is stored. */
  readonly withContent?: boolean
}

/** The events of a call that its spans need; spans are created only after the call has ended. */
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
 * Follows calls from start to end. When a call has ended, it is decided whether to send it: with its trace, or because it
 * failed.
 */
export class CallTraces implements WaitingSpans {
  readonly #options: CallTracesOptions
  /** Calls waiting until their content is masked. */
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
