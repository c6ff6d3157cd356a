import { GatewayError } from '@sluice/contract'
import { type Listed, OpenList } from '../call/open-list.ts'
import type { Timeouts } from '../route/timeouts.ts'

export type Phase = 'headers' | 'first token' | 'idle' | 'total'

/** Is told at most once, with an error that names the timeout that was reached. */
interface Expiring {
  break(reached: GatewayError): void
}

/** All open deadlines share one timer, because most attempts end long before their timeouts. */
const open = new OpenList<Deadline>()
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

/** The timeouts of one attempt. */
export class Deadline implements Disposable, Listed {
  place = -1
  readonly #timeouts: Timeouts
  readonly #attempt: Expiring
  readonly #openedAt = performance.now()
  #phase: Phase = 'total'
  #since = this.#openedAt
  #heldAt: number | undefined
  #heldMs = 0

  constructor(timeouts: Timeouts, attempt: Expiring) {
    this.#timeouts = timeouts
    this.#attempt = attempt
    open.add(this)
  }

  /** When the earliest of its timeouts is reached, in `performance.now()` time. */
  get endsAt(): number {
    const totalAt = this.#openedAt + this.#timeouts.totalMs
    return this.#heldAt === undefined
      ? Math.min(totalAt, this.#since + this.#timeouts[limits[this.#phase]])
      : totalAt
  }

  /** Total time spent on hold, in milliseconds. */
  get heldMs(): number {
    return this.#heldMs + (this.#heldAt === undefined ? 0 : performance.now() - this.#heldAt)
  }

  reach(now: number): void {
    if (this.place < 0) return
    const isTotal = now >= this.#openedAt + this.#timeouts.totalMs - 1
    const reached = isTotal ? 'total' : this.#phase
    this[Symbol.dispose]()
    const sentence = sentences[reached](this.#timeouts[limits[reached]])
    this.#attempt.break(new GatewayError('upstream_timeout', sentence))
  }

  /** Starts waiting for the given phase instead of the current one. The total timeout keeps running. */
  wait(next: Phase): void {
    this.#phase = next
    if (this.#heldAt !== undefined) this.#heldMs += performance.now() - this.#heldAt
    this.#heldAt = undefined
    // The time until the headers counts towards the first-token timeout.
    this.#since = next === 'first token' || next === 'total' ? this.#openedAt : performance.now()
    if (this.place >= 0) arm(this.endsAt)
  }

  /** Restarts the idle timeout. The first-token timeout keeps running. */
  progress(): void {
    if (this.#phase === 'idle') this.#since = performance.now()
  }

  /** The caller reads slowly: only the total timeout runs until `resume`. */
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

/** The timeout that ends each phase. */
const limits = {
  headers: 'headersMs',
  'first token': 'firstTokenMs',
  idle: 'idleMs',
  total: 'totalMs',
} as const satisfies Readonly<Record<Phase, keyof Timeouts>>

const sentences: Readonly<Record<Phase, (ms: number) => string>> = {
  headers: (ms) => `The upstream did not begin to answer within ${ms} ms (headersMs)`,
  'first token': (ms) => `The upstream sent no content within ${ms} ms (firstTokenMs)`,
  idle: (ms) => `The upstream fell silent in the middle of its answer for ${ms} ms (idleMs)`,
  total: (ms) => `The upstream did not finish its answer within ${ms} ms (totalMs)`,
}
