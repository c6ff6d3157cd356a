import {
  type CallOutcome,
  GatewayError,
  noUsage,
  type Operation,
  operations,
  type Usage,
  type UsageRecord,
} from '@sluice/contract'
import type { Received, StreamWatcher } from '@sluice/protocols'
import type { OpenUsage, UsageBegun } from '../../ports/store.ts'
import type { AnyReply, AnyStep } from '../canonical.ts'
import { isFree } from '../limits/paid-amounts.ts'
import type { Target } from '../route/routing.ts'
import type { Run } from '../run/run.ts'
import type { AttemptSpan } from '../trace.ts'
import { type CancelListener, type Cancellation, cancelledBy } from './cancellation.ts'
import { askedUsage, charge, costSoFar } from './charge.ts'
import { type Deadline, openDeadline, type Phase } from './deadline.ts'
import type { Delivery } from './delivery.ts'
import { estimatedUsage } from './estimate.ts'
import { judgeBroken } from './judge.ts'
import { logFailure } from './log-failure.ts'
import { endFacts, requestFacts } from './record-facts.ts'
import { type Growing, startNoting, stopNoting } from './noting.ts'
import type { Connection } from './send.ts'
import type { Source } from './source.ts'

/**
 * An answer that has begun. A stream has shown its first content (or its end): until then nothing was promised and
 * another target could still take over. Whoever takes the answer must read it to its end or call `abandon`.
 */
export interface Attempted {
  readonly target: Target
  /** Milliseconds from the start of the attempt to the first content. */
  readonly firstContentMs: number
  readonly answer: AttemptAnswer
  /** Which of the provider's keys it was made with, by `nameOfSecret`; said of videos alone, which are asked for again. */
  readonly madeWith?: string
  /** What has been said of usage so far. */
  usage(): Usage | undefined
  /** Ends the attempt and closes its socket; its record says cancelled, and what is known of its cost. */
  abandon(): void
}

export type AttemptAnswer =
  | { readonly kind: 'reply'; readonly reply: AnyReply; readonly jobId?: string }
  /** The upstream's own bytes, in the caller's format. */
  | { readonly kind: 'native'; readonly received: Received }
  | { readonly kind: 'steps'; readonly steps: Source<readonly AnyStep[]> }
  /** The upstream's own events, in the caller's format. */
  | {
      readonly kind: 'passed'
      readonly contentType: string
      readonly pieces: Source<Uint8Array>
      /** Whether the format's terminal event has passed. */
      readonly isTerminated: () => boolean
      /** The answer as one document, once the event that carries it has passed. */
      readonly whole: () => unknown
    }
  | {
      readonly kind: 'media'
      readonly contentType: string
      readonly pieces: Source<Uint8Array>
      readonly length: number | undefined
    }

/**
 * One try at one target: the only owner of its limits, its socket and its usage record. Whichever way it ends, all
 * three end with it, once.
 */
export class Attempt implements CancelListener, Growing {
  place = -1
  /** The number over the whole call, from 1. */
  readonly number: number
  connection: Connection | undefined
  /** Whoever reads the answer does not want more of it now. */
  isPaused = false
  /** The provider's key that it is made with; undefined for engines. */
  secret: string | undefined
  /** What the upstream calls the request; undefined where it said nothing. */
  upstreamRequestId: string | undefined
  readonly target: Target
  readonly #run: Run
  readonly #cancellation: Cancellation
  readonly #startedAt: number
  readonly #deadline: Deadline
  #controller: AbortController | undefined
  #broken: ((error: GatewayError) => void) | undefined
  #error: GatewayError | undefined
  #usage: Usage | undefined
  #watcher: Pick<StreamWatcher, 'usage'> | undefined
  #delivered: Delivery | undefined
  readonly #open: OpenUsage
  /** Where the call is traced. */
  readonly span: AttemptSpan | undefined
  #firstContentMs: number | undefined
  /** How much was delivered when it was last noted, and what was counted of the prompt. */
  #notedEvents = 0
  #promptTokens = 0
  #firstTokenMs: number | undefined
  /** Why it failed, as it may be written down. */
  #reason: string | undefined
  #hasBegun = false
  #isOver = false

  /** Begins an attempt; it counts. It is cancelled when the caller leaves or another target has won. */
  constructor(run: Run, target: Target, cancellation: Cancellation) {
    const { trail, admission } = run.call
    // The one door: whatever leads to an upstream leads through here.
    const described: Operation = operations[run.call.operation]
    const isFree = described.isFree === true
    if (!admission.isGranted || !(isFree || admission.isPriced))
      throw new GatewayError('internal', 'The call was not let in')
    trail.attempts += 1
    trail.provider = target.providerId
    trail.model = target.model
    this.number = trail.attempts
    this.target = target
    if (isFree) this.#usage = noUsage
    this.#run = run
    this.#cancellation = cancellation
    this.#startedAt = run.gateway.now()
    this.#open = run.gateway.store.beginUsage(this.#begun())
    this.span = run.call.trace?.beginAttempt()
    this.#deadline = openDeadline(target.timeouts, (reached) => this.break(reached))
    run.places?.attemptBegins()
    cancellation.add(this)
    const { live } = run.gateway
    if (live.isWatched && this.number === 1) live.began(run.call, target, this.#startedAt)
  }

  cancelled(reason: unknown): void {
    this.break(cancelledBy(reason))
  }

  /** Aborts when the attempt is broken or ends unfinished: for work that takes a signal. */
  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController()
      if (this.#error) this.#controller.abort(this.#error)
    }
    return this.#controller.signal
  }

  /** A caller has seen something of the answer. */
  get hasBegun(): boolean {
    return this.#hasBegun
  }

  /** The answer is somebody's from now on: no other target can take over. */
  begin(): void {
    if (this.#hasBegun) return
    this.#hasBegun = true
    if (this.#run.call.stream) this.#firstTokenMs = this.elapsedMs
    if (!this.#isOver) this.#answers()
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** What is known of usage so far; undefined as long as nobody said anything. */
  usage(): Usage | undefined {
    return this.#usage ?? this.#watcher?.usage()
  }

  /** The answer's own word on its usage; a later one takes its place. */
  report(usage: Usage): void {
    this.#usage = usage
  }

  /** Who knows the usage of a stream until it is reported. */
  watch(watcher: Pick<StreamWatcher, 'usage'>): void {
    this.#watcher = watcher
  }

  /** What of its answer has come, as it is counted. */
  delivers(delivered: Delivery): void {
    this.#delivered = delivered
    startNoting(this)
  }

  /** Should the process die now, this is what its caller has had. */
  note(): void {
    const events = this.#delivered?.events ?? 0
    if (events === this.#notedEvents) return
    this.#notedEvents = events
    const usage = this.#estimate() ?? this.usage()
    if (!usage) return
    const cost = costSoFar(this.#run.call, this.target, usage, this.#startedAt)
    this.#open.note({ ...usage, ...cost, durationMs: this.elapsedMs })
  }

  /** How long its reader did not take what came, in milliseconds. */
  get heldMs(): number {
    return this.#deadline.heldMs
  }

  /** Milliseconds since it began. */
  get elapsedMs(): number {
    return this.#run.gateway.now() - this.#startedAt
  }

  /** Who is told when a limit is reached, the caller leaves or another target wins; at once if that has happened. */
  onBreak(broken: (error: GatewayError) => void): void {
    this.#broken = broken
    if (this.#error) broken(this.#error)
  }

  wait(phase: Phase): void {
    this.#deadline.wait(phase)
  }

  progress(): void {
    this.#deadline.progress()
  }

  /** The reader is slow: the upstream is not waited for until `resume`. */
  pause(): void {
    this.isPaused = true
    this.#deadline.hold()
    this.connection?.pause()
  }

  resume(): void {
    this.isPaused = false
    this.#deadline.resume()
    this.connection?.resume()
  }

  /** Ends it from outside. Whoever waits for it is told, and then calls `fail`. */
  break(error: GatewayError): void {
    if (this.#isOver || this.#error) return
    this.#error = error
    this.#controller?.abort(error)
    this.#broken?.(error)
  }

  /**
   * It failed; an answer that had begun stays incomplete. Returns the error as callers may see it: what came from outside
   * may quote what is configured.
   */
  fail(error: GatewayError): GatewayError {
    if (error.code === 'cancelled') {
      this.#end('cancelled', error)
      return error
    }
    const { gateway } = this.#run
    const isOwn = this.target.providerId === gateway.engine.id
    const shown = isOwn ? error : gateway.concealer.conceal(error)
    if (!this.#isOver) {
      this.#reason = logFailure(this.#run, this, { error, shown })
      if (this.hasBegun) judgeBroken(this.#run, this, error)
    }
    this.#end(this.hasBegun ? 'incomplete' : 'failed', shown)
    return shown
  }

  complete(): void {
    if (!this.#isOver) {
      if (!this.#hasBegun) this.#answers()
      this.#run.gateway.health.completed(this.target.id)
    }
    this.#end('completed')
  }

  #answers(): void {
    const { gateway, call } = this.#run
    const { id, providerId: provider, model } = this.target
    const caller = call.key.id
    const firstContentMs = this.elapsedMs
    this.#firstContentMs = firstContentMs
    gateway.health.answered(id, caller, firstContentMs)
    if (this.secret !== undefined)
      gateway.health.keyWorked({ provider, model, caller }, this.secret)
  }

  /** Its answer is not wanted any more. */
  abandon(): void {
    this.fail(new GatewayError('cancelled', 'Another target answered first'))
  }

  #end(outcome: CallOutcome, error?: GatewayError): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#deadline[Symbol.dispose]()
    stopNoting(this)
    this.#cancellation.remove(this)
    this.#run.places?.attemptEnds()
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
    // It had the request, and was left or not waited for any longer: it may have worked, and charge for it.
    const isLeft = isCut && this.#wasReached
    const estimate = isLeft ? this.#estimate() : undefined
    if (estimate) this.#usage = estimate
    const said = this.usage()
    const usage = isLeft || outcome === 'completed' ? askedUsage(call, said) : said
    const startedAt = this.#startedAt
    const estimated = estimate !== undefined || (isLeft && !said && usage !== undefined)
    const record: UsageRecord = {
      ...(usage ?? noUsage),
      ...this.#begun(),
      outcome,
      reported: said !== undefined && !estimate,
      ...(estimated && { estimated }),
      durationMs: this.elapsedMs,
      ...(this.#firstTokenMs !== undefined && { firstTokenMs: this.#firstTokenMs }),
      ...endFacts(call, { error, reason: this.#reason, upstreamRequestId: this.upstreamRequestId }),
      ...charge(this.#run, this.target, {
        usage,
        estimated,
        // What failed otherwise is not charged, unless the answer itself says what it has used.
        isCharged: isLeft || outcome === 'completed' || said !== undefined,
        startedAt,
      }),
    }
    gateway.store.recordUsage(record, this.#open)
    gateway.telemetry?.attemptEnded({
      call,
      target: this.target,
      record,
      firstContentMs: this.#firstContentMs,
      error,
      span: this.span,
    })
  }

  #begun(): UsageBegun {
    const { call } = this.#run
    return {
      callId: call.id,
      ...(call.givenId !== undefined && { requestId: call.givenId }),
      attempt: this.number,
      keyId: call.key.id,
      ...call.key.owners,
      ...(call.tags.length > 0 && { tags: call.tags }),
      ...requestFacts(this.#run, this.target),
      operation: call.operation,
      provider: this.target.providerId,
      model: this.target.model,
      startedAt: this.#startedAt,
    }
  }

  /** Whether there is anybody who may have worked. */
  get #wasReached(): boolean {
    return this.target.kind === 'engine' || this.connection?.isOpen === true
  }

  /** Whoever is left has worked on what was asked, and has answered what was delivered; nobody says what that has used. */
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
