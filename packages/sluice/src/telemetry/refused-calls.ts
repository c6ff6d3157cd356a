import type { CallEnd } from '@sluice/gateway/call/call.ts'
import type { LiveCalls, RefusedCall } from '@sluice/gateway/observe/live-calls.ts'
import type { KeptRefusal, RefusalStore, Refusals } from '@sluice/gateway/ports/refusals.ts'

const hourMs = 3_600_000
/** How long the sums are kept. */
const sumsMs = 90 * 24 * hourMs
/** How long refused calls themselves are kept. */
const keptMs = 7 * 24 * hourMs
/** Of the calls that a key is refused for one reason in an hour, all up to this number are kept, and then one of as many. */
const keptOfSum = 100
/** How often they are written, if there are any. */
const writeMs = 2_000
/** Maximum length of texts that callers choose. */
const modelMax = 200
const messageMax = 500
/**
 * Maximum number of sums waiting to be written, each at most a kilobyte. A refusal that would need another one is reported but
 * not counted.
 */
const waitingMax = 5_000
/** Maximum number of refused calls waiting to be written, which takes the main thread some milliseconds. */
const keptWaitingMax = 500

export interface RefusedCallsNeeds {
  readonly store: RefusalStore
  readonly live: Pick<LiveCalls, 'isWatched' | 'refused'>
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** Called once when they cannot be written, and again only after they could. They are retried. */
  readonly failed: (error: unknown) => void
}

/**
 * Counts calls with valid keys that ended before any upstream was asked, and reports them to listeners. They are not in the
 * ledger, because nothing was used.
 */
export class RefusedCalls implements AsyncDisposable {
  readonly #needs: RefusedCallsNeeds
  #waiting = new Map<string, Refusals>()
  #kept: KeptRefusal[] = []
  /** How often each sum was added to in this hour. */
  #seen = new Map<string, number>()
  #seenHour = 0
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()
  #isFailing = false
  #forgottenAt = 0

  constructor(needs: RefusedCallsNeeds) {
    this.#needs = needs
  }

  ended(end: CallEnd): void {
    const { failure, format, key, disconnected, call } = end
    if (failure === undefined || disconnected || !format || !key) return
    if ((call?.trail.attempts ?? 0) > 0) return
    const refused = refusedCall(end, this.#needs.now())
    if (!refused) return
    if (this.#needs.live.isWatched) this.#needs.live.refused(refused)
    this.#count(refused)
    this.#timer ??= setTimeout(() => this.#writeSoon(), writeMs).unref()
  }

  /** Writes the rest. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#writeSoon()
    await this.#writing
  }

  #count(refused: RefusedCall): void {
    const counted = refusalsOf(refused)
    const { hour, keyId, teamId, operation, code, status } = counted
    const name = JSON.stringify([hour, keyId, teamId, operation, code, status])
    this.#add(name, counted)
    if (this.#isKept(name, hour) && this.#kept.length < keptWaitingMax)
      this.#kept.push(keptRefusal(refused))
  }

  #isKept(name: string, hour: number): boolean {
    if (hour !== this.#seenHour) this.#seen.clear()
    this.#seenHour = hour
    const seen = this.#seen.get(name)
    if (seen === undefined && this.#seen.size >= waitingMax) return false
    this.#seen.set(name, (seen ?? 0) + 1)
    return seen === undefined || seen < keptOfSum || seen % keptOfSum === 0
  }

  #writeSoon(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#writing = this.#writing.then(() => this.#write())
  }

  async #write(): Promise<void> {
    const { store, now, failed } = this.#needs
    const waiting = this.#waiting
    const kept = this.#kept
    this.#waiting = new Map()
    this.#kept = []
    try {
      await store.keep(kept)
      await store.add([...waiting.values()])
      this.#isFailing = false
    } catch (error) {
      if (!this.#isFailing) failed(error)
      this.#isFailing = true
      this.#takeBack(waiting)
      this.#kept = [...kept, ...this.#kept].slice(0, keptWaitingMax)
      return
    }
    if (now() - this.#forgottenAt < hourMs) return
    this.#forgottenAt = now()
    await store.forget(now() - sumsMs).catch(failed)
    await store.forgetKept(now() - keptMs).catch(failed)
  }

  /** They are written again with the next refusal. What was counted meanwhile takes the remaining room. */
  #takeBack(waiting: Map<string, Refusals>): void {
    const later = this.#waiting
    this.#waiting = waiting
    for (const [name, refusals] of later) this.#add(name, refusals)
  }

  #add(name: string, refusals: Refusals): void {
    const known = this.#waiting.get(name)
    if (!known && this.#waiting.size >= waitingMax) return
    this.#waiting.set(name, { ...refusals, count: refusals.count + (known?.count ?? 0) })
  }
}

function refusedCall(end: CallEnd, at: number): RefusedCall | undefined {
  const { id, givenId, key, format, status, failure: code, reason = '', durationMs, call } = end
  if (!key || !format || code === undefined) return undefined
  const model = call?.request.model
  return {
    id,
    ...(givenId !== undefined && { givenId }),
    at,
    durationMs,
    keyId: key.id,
    owners: key.owners,
    operation: format.operation,
    format: format.id,
    ...(typeof model === 'string' && { model: model.slice(0, modelMax) }),
    status,
    code,
    message: reason.slice(0, messageMax),
  }
}

function keptRefusal(refused: RefusedCall): KeptRefusal {
  const { id, givenId, owners, ...facts } = refused
  return {
    ...facts,
    ...owners,
    callId: id,
    ...(givenId !== undefined && { requestId: givenId.slice(0, modelMax) }),
  }
}

function refusalsOf(refused: RefusedCall): Refusals {
  const { id, at, keyId, owners, operation, model, status, code, message } = refused
  return {
    hour: at - (at % hourMs),
    keyId,
    ...owners,
    operation,
    code,
    status,
    count: 1,
    lastAt: at,
    message,
    callId: id,
    ...(model !== undefined && { model }),
  }
}
