import {
  type CallOutcome,
  GatewayError,
  noUsage,
  type Operation,
  operations,
  type Usage,
} from '@sluice/contract'
import { recognized } from '@sluice/protocols/failure-kinds.ts'
import type { Received, StreamWatcher } from '@sluice/protocols/protocol.ts'
import type { OpenUsage, UsageBegun } from '../ports/store.ts'
import type { AnyReply, AnyStep } from '../call/canonical.ts'
import { isFree, askedUsage } from '../admit/call-size.ts'
import type { KeyUse } from '../route/key-use.ts'
import type { Target } from '../route/routing.ts'
import type { CallRun } from './call-run.ts'
import type { AttemptSpan } from '../call/trace.ts'
import type { AttemptEnd } from '../observe/observers.ts'
import { type CancelListener, type Cancellation, cancelledBy } from '../call/cancellation.ts'
import { accountOf } from './account.ts'
import { Deadline } from './deadline.ts'
import type { Delivery } from './delivery.ts'
import { estimatedUsage } from './estimate.ts'
import { judgeBroken } from './judge.ts'
import { logFailure } from './log-failure.ts'
import {
  begunFacts,
  charge,
  costSoFar,
  endedFacts,
  type Growing,
  startNoting,
  stopNoting,
} from './usage-record.ts'
import type { Connection } from '../call/send.ts'
import type { Source } from '../call/source.ts'

/**
 * A response that has begun. For a stream this means its first content (or its end) has arrived; until then another
 * target can still take over. The receiver must read the response to its end or call `abandon`.
 */
export interface BegunResponse {
  readonly target: Target
  /** Milliseconds from the start of the attempt to the first content. */
  readonly firstContentMs: number
  readonly answer: AttemptAnswer
  /**
   * The provider key that was used, as `nameOfSecret`. Set only for videos, which are polled later with the same key.
   */
  readonly madeWith?: string
  readonly attempt: RunningAttempt
}

/** An attempt whose response is being read. */
export interface RunningAttempt {
  /** The account that the response is made with, as `accountOf` names it. */
  readonly account?: string | undefined
  /** Usage reported so far. */
  usage(): Usage | undefined
  /** Ends the attempt and closes its socket. It is recorded as cancelled, with the cost as far as it is known. */
  abandon(): void
}

export type AttemptAnswer =
  | { readonly kind: 'reply'; readonly reply: AnyReply; readonly jobId?: string }
  /** The upstream's bytes, already in the caller's format. */
  | { readonly kind: 'native'; readonly received: Received }
  | { readonly kind: 'steps'; readonly steps: Source<readonly AnyStep[]> }
  /** The upstream's events, already in the caller's format. */
  | {
      readonly kind: 'passed'
      readonly contentType: string
      readonly pieces: Source<Uint8Array>
      /** Whether the format's terminal event has been received. */
      readonly isTerminated: () => boolean
      /** The response as one document, once the event that carries it has been received. */
      readonly whole: () => unknown
    }
  | {
      readonly kind: 'media'
      readonly contentType: string
      readonly pieces: Source<Uint8Array>
      readonly length: number | undefined
    }

/** Is told why an attempt was broken, and then fails it. */
interface BreakListener {
  fail(error: GatewayError): void
}

/**
 * One attempt at one target. It alone owns its timeouts, its socket and its usage record, and ends all three exactly
 * once.
 */
export class Attempt implements CancelListener, Growing, RunningAttempt {
  place = -1
  /** Number of the attempt within the call, from 1. */
  readonly number: number
  connection: Connection | undefined
  /** Whether the reader has asked to pause. */
  isPaused = false
  /** The provider key in use; undefined for engines. */
  secret: string | undefined
  /** The status and the request id the upstream returned; undefined if it returned none. */
  upstreamStatus: number | undefined
  upstreamRequestId: string | undefined
  readonly target: Target
  readonly #run: CallRun
  readonly #cancellation: Cancellation
  readonly #startedAt: number
  readonly deadline: Deadline
  #controller: AbortController | undefined
  #broken: BreakListener | undefined
  #error: GatewayError | undefined
  #usage: Usage | undefined
  #watcher: Pick<StreamWatcher, 'usage'> | undefined
  #delivered: Delivery | undefined
  readonly #begun: UsageBegun
  readonly #open: OpenUsage
  /** Set if the call is traced. */
  readonly span: AttemptSpan | undefined
  #firstContentMs: number | undefined
  /** The event count at the last note, and the counted prompt tokens. */
  #notedEvents = 0
  #promptTokens = 0
  #firstTokenMs: number | undefined
  /** Why the attempt failed, with secrets masked. */
  #reason: string | undefined
  /** Whether the caller may have seen part of the response. Only this object sets it. */
  hasBegun = false
  /** Only this object sets it. */
  isOver = false

  /**
   * Begins an attempt and counts it on the trail. It is cancelled when the caller disconnects or another target wins.
   */
  constructor(run: CallRun, target: Target, cancellation: Cancellation) {
    const { trail, admission } = run.call
    const described: Operation = operations[run.call.operation]
    trail.attempts += 1
    trail.provider = target.providerId
    trail.model = target.model
    this.number = trail.attempts
    this.target = target
    if (described.isFree === true) this.#usage = noUsage
    this.#run = run
    this.#cancellation = cancellation
    this.#startedAt = run.gateway.now()
    this.#begun = begunFacts(run, target, { number: this.number, startedAt: this.#startedAt })
    const reservation = admission.reservationToName?.()
    this.#open = run.gateway.store.beginUsage(this.#begun, reservation)
    if (reservation) admission.namedBy?.(this.#open)
    this.span = run.call.trace?.beginAttempt()
    this.deadline = new Deadline(target.timeouts, this)
    run.slots?.attemptBegins()
    cancellation.add(this)
    const { live } = run.gateway
    if (live.isWatched && this.number === 1) live.began(run.call, target, this.#startedAt)
  }

  cancelled(reason: unknown): void {
    this.break(cancelledBy(reason))
  }

  /** Aborts when the attempt is broken or ends unfinished, for work that needs an AbortSignal. */
  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController()
      if (this.#error) this.#controller.abort(this.#error)
    }
    return this.#controller.signal
  }

  /** Commits to this response: no other target can take over. */
  begin(): void {
    if (this.hasBegun) return
    this.hasBegun = true
    if (this.#run.call.stream) this.#firstTokenMs = this.elapsedMs
    if (!this.isOver) this.#answers()
  }

  /** Usage known so far; undefined while nothing was reported. */
  usage(): Usage | undefined {
    return this.#usage ?? this.#watcher?.usage()
  }

  /** Stores the usage the response reports. A later report replaces an earlier one. */
  report(usage: Usage): void {
    this.#usage = usage
  }

  /** Sets the source of a stream's usage until it is reported. */
  watch(watcher: Pick<StreamWatcher, 'usage'>): void {
    this.#watcher = watcher
  }

  /** Sets the counter of the content received so far. */
  delivers(delivered: Delivery): void {
    this.#delivered = delivered
    startNoting(this)
  }

  /** Writes down the usage so far, which remains if the process dies. */
  note(): void {
    const events = this.#delivered?.events ?? 0
    if (events === this.#notedEvents) return
    this.#notedEvents = events
    const usage = this.#estimate() ?? this.usage()
    if (!usage) return
    const cost = costSoFar(this.#run.call, this.target, usage, this.#startedAt)
    this.#open.note({ ...usage, ...cost, durationMs: this.elapsedMs })
  }

  /** How long the reader was paused, in milliseconds. */
  get heldMs(): number {
    return this.deadline.heldMs
  }

  /** Milliseconds since the attempt began. */
  get elapsedMs(): number {
    return this.#run.gateway.now() - this.#startedAt
  }

  /**
   * Tells `listener` when a timeout is reached, the caller disconnects or another target wins; at once if that has
   * already happened.
   */
  onBreak(listener: BreakListener): void {
    this.#broken = listener
    if (this.#error) listener.fail(this.#error)
  }

  /** The reader is slow. Only the total timeout runs until `resume`. */
  pause(): void {
    this.isPaused = true
    this.deadline.hold()
    this.connection?.pause()
  }

  resume(): void {
    this.isPaused = false
    this.deadline.resume()
    this.connection?.resume()
  }

  /** Ends the attempt from outside. The listener of `onBreak` is notified and then calls `fail`. */
  break(error: GatewayError): void {
    if (this.isOver || this.#error) return
    this.#error = error
    this.#controller?.abort(error)
    this.#broken?.fail(error)
  }

  /**
   * Ends the attempt as failed, or as incomplete if its response had begun. Returns the error as callers may see it:
   * errors from upstreams may quote configured secrets.
   */
  fail(given: GatewayError): GatewayError {
    if (given.code === 'cancelled') {
      this.#end('cancelled', given)
      return given
    }
    const { gateway } = this.#run
    const { providerId } = this.target
    const isOwn = providerId === gateway.engine.id
    const error = isOwn ? given : recognized(given, providerId)
    const shown = isOwn ? error : gateway.concealer.conceal(error)
    if (!this.isOver) {
      this.#reason = logFailure(this.#run, this, { error, shown })
      if (this.hasBegun && this.#run.isAside !== true) judgeBroken(this.#run, this, error)
    }
    this.#end(this.hasBegun ? 'incomplete' : 'failed', shown)
    return shown
  }

  /** Ends the attempt as completed; `usage` replaces what was reported before. */
  complete(usage?: Usage): void {
    if (usage) this.#usage = usage
    if (!this.isOver) {
      if (!this.hasBegun) this.#answers()
      if (this.#run.isAside !== true) this.#run.gateway.health.completed(this.target.id)
    }
    this.#end('completed')
  }

  /** Records for how long the response says that the rate of the key is used up, in milliseconds; undefined if it is not. */
  usedUp(ms: number | undefined): void {
    if (ms !== undefined && this.secret !== undefined && this.#run.isAside !== true)
      this.#run.gateway.health.keys.keyUsedUp(this.#use, this.secret, ms)
  }

  /** The account that the response is made with; undefined for the built-in engine. */
  get account(): string | undefined {
    return this.secret === undefined ? undefined : accountOf(this.target.providerId, this.secret)
  }

  get #use(): KeyUse {
    const { providerId: provider, model } = this.target
    return { provider, model, caller: this.#run.call.key.id }
  }

  #answers(): void {
    const { gateway, call } = this.#run
    const { id } = this.target
    const caller = call.key.id
    const firstContentMs = this.elapsedMs
    this.#firstContentMs = firstContentMs
    if (this.#run.isAside === true) return
    gateway.health.answered(id, caller, firstContentMs)
    const { keys } = gateway.health
    if (this.secret !== undefined && !keys.areFree) keys.keyWorked(this.#use, this.secret)
  }

  /** Ends an attempt whose response is no longer wanted. */
  abandon(): void {
    this.fail(new GatewayError('cancelled', 'Another target answered first'))
  }

  #end(outcome: CallOutcome, error?: GatewayError): void {
    if (this.isOver) return
    this.isOver = true
    this.deadline[Symbol.dispose]()
    if (this.#delivered) stopNoting(this)
    this.#cancellation.remove(this)
    if (error) {
      this.connection?.close()
      this.#controller?.abort(error)
    }
    this.#record(outcome, error)
  }

  #record(outcome: CallOutcome, error: GatewayError | undefined): void {
    const { gateway, call } = this.#run
    const isTimeout =
      error?.code === 'upstream_timeout' && error.details.upstreamStatus === undefined
    const isCut = outcome === 'cancelled' || outcome === 'incomplete' || isTimeout
    // The upstream had the request when the caller left or a timeout was reached. It may have done the work and
    // charge for it.
    const isLeft = isCut && this.#wasReached
    const estimate = isLeft ? this.#estimate() : undefined
    if (estimate) this.#usage = estimate
    const said = this.usage()
    const usage = isLeft || outcome === 'completed' ? askedUsage(call, said) : said
    const startedAt = this.#startedAt
    const estimated = estimate !== undefined || (isLeft && !said && usage !== undefined)
    const { cost, charged } = charge(this.#run, this.target, {
      usage,
      estimated,
      // Other failures are not charged, unless the response itself reports usage.
      isCharged: isLeft || outcome === 'completed' || said !== undefined,
      startedAt,
    })
    this.#run.slots?.attemptEnds(usage, isLeft || outcome === 'completed')
    const ended = endedFacts(call, this, {
      usage,
      outcome,
      reported: said !== undefined && !estimate,
      estimated,
      durationMs: this.elapsedMs,
      firstTokenMs: this.#firstTokenMs,
      error,
      reason: this.#reason,
      charged,
    })
    this.#open.end(ended)
    const end: AttemptEnd = {
      call,
      target: this.target,
      begun: this.#begun,
      ended,
      cost,
      firstContentMs: this.#firstContentMs,
      error,
      span: this.span,
    }
    for (const observer of gateway.observers.ofAttempts) observer.attemptEnded(end)
  }

  /** Whether the request reached an upstream or engine that may have done work. */
  get #wasReached(): boolean {
    return this.target.kind === 'engine' || this.connection?.isOpen === true
  }

  /** Estimates the usage of an attempt that was cut off, where the upstream did not report it. */
  #estimate(): Usage | undefined {
    const { gateway, call, pieces = 1 } = this.#run
    const said = this.usage()
    if (isFree(call)) return undefined
    const estimate = estimatedUsage(call, this.#delivered, {
      said:
        said ??
        (this.#promptTokens > 0 ? { ...noUsage, inputTokens: this.#promptTokens } : undefined),
      countTokens: gateway.engine.tokensOf,
      pieces,
    })
    this.#promptTokens = estimate?.inputTokens ?? this.#promptTokens
    call.request.rest()
    return estimate
  }
}
