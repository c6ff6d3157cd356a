export interface BreakerOptions {
  readonly failures: number
  readonly windowMs: number
  readonly cooldownMs: number
}

export const defaultBreaker: BreakerOptions = { failures: 5, windowMs: 30_000, cooldownMs: 15_000 }

/** `open`: the target is tried last. `half-open`: one request probes it. `closed`: it is used normally. */
export type BreakerState = 'open' | 'half-open' | 'closed'

/** Called on every change. `caller` is the only key it applies to; undefined if it applies to all. */
export type BreakerChanged = (state: BreakerState, caller: string | undefined) => void

/** The breaker state for one caller, or for all. */
class Gate {
  /** 0 while closed. */
  #openUntil = 0
  #isProbed = false
  #state: BreakerState = 'closed'

  get state(): BreakerState {
    return this.#state
  }

  get isClosed(): boolean {
    return this.#openUntil === 0
  }

  get isProbed(): boolean {
    return this.#isProbed
  }

  lets(now: number): boolean {
    return this.#openUntil === 0 || (now >= this.#openUntil && !this.#isProbed)
  }

  /** Like the methods below, returns whether the state has changed. */
  probe(now: number): boolean {
    if (this.#openUntil === 0) return false
    this.#isProbed = true
    return now >= this.#openUntil && this.#turn('half-open')
  }

  release(): void {
    this.#isProbed = false
  }

  open(until: number): boolean {
    this.#openUntil = until
    return this.#turn('open')
  }

  close(): boolean {
    this.#openUntil = 0
    this.#isProbed = false
    return this.#turn('closed')
  }

  #turn(state: BreakerState): boolean {
    const isNew = this.#state !== state
    this.#state = state
    return isNew
  }
}

interface Failing {
  readonly gate: Gate
  /** When its calls failed, most recent last, in milliseconds. */
  failures: readonly number[]
}

/**
 * The circuit breaker of one target. Failures seen by a single caller may be caused by its requests, so they open the
 * breaker for this caller only. It opens for all when several callers see failures; each counts for at most half of
 * the limit. Other systems do not distinguish callers: Envoy ejects a host after five consecutive failures, LiteLLM
 * and Portkey after a number or share of failures (Envoy, outlier detection; LiteLLM, cooldowns).
 */
export class Breaker {
  readonly #all = new Gate()
  /** Callers with failures since the last complete response. */
  #callers: Map<string, Failing> | undefined
  readonly #changed: BreakerChanged

  constructor(changed: BreakerChanged) {
    this.#changed = changed
  }

  /** The state for all callers. */
  get state(): BreakerState {
    return this.#all.state
  }

  /** The ids of callers for whom alone it is not closed. */
  get refusedCallers(): readonly string[] {
    return [...(this.#callers ?? [])].flatMap(([id, { gate }]) => (gate.isClosed ? [] : [id]))
  }

  lets(caller: string, now: number): boolean {
    return this.#all.lets(now) && this.#callers?.get(caller)?.gate.lets(now) !== false
  }

  starts(caller: string, now: number): void {
    if (this.#all.probe(now)) this.#changed('half-open', undefined)
    if (this.#callers?.get(caller)?.gate.probe(now) === true) this.#changed('half-open', caller)
  }

  released(caller: string): void {
    this.#all.release()
    this.#callers?.get(caller)?.gate.release()
  }

  /** The target answers, so the breaker closes. Earlier failures are kept, because the response may still break off. */
  answered(caller: string): void {
    if (!this.#all.isClosed && this.#all.close()) this.#changed('closed', undefined)
    if (this.#callers?.get(caller)?.gate.close() === true) this.#changed('closed', caller)
  }

  completed(): void {
    if (!this.#callers) return
    for (const [id, failing] of this.#callers) {
      if (failing.gate.isClosed) this.#callers.delete(id)
      else failing.failures = []
    }
    if (this.#callers.size === 0) this.#callers = undefined
  }

  failed(caller: string, now: number, { failures, windowMs, cooldownMs }: BreakerOptions): void {
    this.#callers ??= new Map()
    const failing = this.#callers.get(caller) ?? { gate: new Gate(), failures: [] }
    this.#callers.set(caller, failing)
    failing.failures = [...recent(failing, now - windowMs), now].slice(-failures)
    const { isProbed, isClosed } = this.#all
    this.#all.release()
    failing.gate.release()
    const isForAll = !isClosed || this.#isForAll(failures, now - windowMs)
    if (isForAll && this.#all.open(now + cooldownMs)) this.#changed('open', undefined)
    // The caller whose probe failed rests longer, so that another caller makes the next probe.
    const restMs = isForAll ? (isProbed ? 2 * cooldownMs : 0) : cooldownMs
    const isOpen = isProbed || failing.failures.length >= failures || !failing.gate.isClosed
    if (restMs > 0 && isOpen && failing.gate.open(now + restMs)) this.#changed('open', caller)
  }

  #isForAll(failures: number, after: number): boolean {
    const callers = this.#callers ?? new Map<string, Failing>()
    if (callers.size < 2) return false
    const share = Math.ceil(failures / 2)
    let counted = 0
    let count = 0
    for (const [id, failing] of callers) {
      failing.failures = recent(failing, after)
      if (failing.failures.length > 0) {
        count += 1
        counted += Math.min(share, failing.failures.length)
      } else if (failing.gate.isClosed) callers.delete(id)
      if (count > 1 && counted >= failures) return true
    }
    return false
  }
}

function recent({ failures }: Failing, after: number): readonly number[] {
  return failures.filter((at) => at > after)
}
