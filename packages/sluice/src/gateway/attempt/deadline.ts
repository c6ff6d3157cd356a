import { GatewayError } from '@sluice/contract'
import { type Listed, OpenList } from '../call/open-list.ts'
import type { Timeouts } from '../route/timeouts.ts'

export type Phase = 'headers' | 'first token' | 'idle' | 'total'

/** The timeouts of one attempt. */
export interface Deadline extends Disposable {
  /** Total time spent on hold, in milliseconds. */
  readonly heldMs: number
  /** Starts waiting for the given phase instead of the current one. The total timeout keeps running. */
  wait(phase: Phase): void
  /** Restarts the idle timeout. The first-token timeout keeps running. */
  progress(): void
  /** The caller reads slowly: only the total timeout runs until `resume`. */
  hold(): void
  resume(): void
}

/** Calls `expire` at most once, with an error that names the timeout that was reached. */
export function openDeadline(
  timeouts: Timeouts,
  expire: (reached: GatewayError) => void,
): Deadline {
  return new OpenDeadline(timeouts, expire)
}

/** All open deadlines share one timer, because most attempts end long before their timeouts. */
const open = new OpenList<OpenDeadline>()
let timer: NodeJS.Timeout | undefined
let firesAt = Infinity

/** The number of attempts in progress in this process. */
export function countOpenDeadlines(): number {
  return open.size
}

/** Makes sure the timer fires no later than `at`. Firing too early is harmless: nothing has expired then. */
function arm(at: number): void {
  if (at >= firesAt) return
  clearTimeout(timer)
  firesAt = at
  // The timer must not keep the process alive; open sockets do that.
  timer = setTimeout(lookAtAll, Math.max(1, at - performance.now())).unref()
}

function lookAtAll(): void {
  const now = performance.now()
  firesAt = Infinity
  for (const deadline of open.all()) if (deadline.endsAt <= now + 1) deadline.reach(now)
  let first = Infinity
  for (const { endsAt } of open.all()) first = Math.min(first, endsAt)
  if (open.size > 0) arm(first)
}

class OpenDeadline implements Deadline, Listed {
  place = -1
  readonly #timeouts: Timeouts
  readonly #expire: (reached: GatewayError) => void
  readonly #openedAt = performance.now()
  #phase: Phase = 'total'
  #since = this.#openedAt
  #heldAt: number | undefined
  #heldMs = 0

  constructor(timeouts: Timeouts, expire: (reached: GatewayError) => void) {
    this.#timeouts = timeouts
    this.#expire = expire
    open.add(this)
  }

  /** When the earliest of its timeouts is reached, in `performance.now()` time. */
  get endsAt(): number {
    const totalAt = this.#openedAt + this.#timeouts.totalMs
    return this.#heldAt === undefined
      ? Math.min(totalAt, this.#since + limitOf(this.#timeouts, this.#phase))
      : totalAt
  }

  get heldMs(): number {
    return this.#heldMs + (this.#heldAt === undefined ? 0 : performance.now() - this.#heldAt)
  }

  reach(now: number): void {
    if (this.place < 0) return
    const isTotal = now >= this.#openedAt + this.#timeouts.totalMs - 1
    const reached = isTotal ? 'total' : this.#phase
    this[Symbol.dispose]()
    const sentence = sentences[reached](limitOf(this.#timeouts, reached))
    this.#expire(new GatewayError('upstream_timeout', sentence))
  }

  wait(next: Phase): void {
    this.#phase = next
    this.#heldMs = this.heldMs
    this.#heldAt = undefined
    // The time until the headers counts towards the first-token timeout.
    this.#since = next === 'first token' || next === 'total' ? this.#openedAt : performance.now()
    if (this.place >= 0) arm(this.endsAt)
  }

  progress(): void {
    if (this.#phase === 'idle') this.#since = performance.now()
  }

  hold(): void {
    this.#heldAt ??= performance.now()
  }

  resume(): void {
    if (this.#heldAt === undefined) return
    const heldMs = performance.now() - this.#heldAt
    this.#since += heldMs
    this.#heldMs += heldMs
    this.#heldAt = undefined
    if (this.place >= 0) arm(this.endsAt)
  }

  [Symbol.dispose](): void {
    open.remove(this)
    if (open.size > 0) return
    clearTimeout(timer)
    firesAt = Infinity
  }
}

function limitOf(timeouts: Timeouts, phase: Phase): number {
  switch (phase) {
    case 'headers':
      return timeouts.headersMs
    case 'first token':
      return timeouts.firstTokenMs
    case 'idle':
      return timeouts.idleMs
    case 'total':
      return timeouts.totalMs
  }
}

const sentences: Readonly<Record<Phase, (ms: number) => string>> = {
  headers: (ms) => `The upstream did not begin to answer within ${ms} ms (headersMs)`,
  'first token': (ms) => `The upstream sent no content within ${ms} ms (firstTokenMs)`,
  idle: (ms) => `The upstream fell silent in the middle of its answer for ${ms} ms (idleMs)`,
  total: (ms) => `The upstream did not finish its answer within ${ms} ms (totalMs)`,
}
