import { GatewayError } from '@sluice/contract'
import { type Listed, OpenList } from '../open-list.ts'

/** How long to wait for an upstream, in milliseconds. Every wait has a limit. */
export interface Timeouts {
  /** To connect. */
  readonly connectMs: number
  /** From the request to the head of the answer. */
  readonly headersMs: number
  /** From the request to the first streamed content. */
  readonly firstTokenMs: number
  /** Between two events of a stream. */
  readonly idleMs: number
  /** For the whole answer. */
  readonly totalMs: number
}

export const defaultTimeouts: Timeouts = {
  connectMs: 10_000,
  headersMs: 300_000,
  firstTokenMs: 300_000,
  idleMs: 120_000,
  totalMs: 900_000,
}

export type Phase = 'headers' | 'first token' | 'idle' | 'total'

/** The limits of one attempt. */
export interface Deadline extends Disposable {
  /** How long it was held in all. */
  readonly heldMs: number
  /** Begins to wait for something, instead of what was waited for before. The limit of the whole goes on beside it. */
  wait(phase: Phase): void
  /** Something came: the wait between two events begins anew. That for the first content goes on. */
  progress(): void
  /** The caller takes its time with what came: until `resume` only the limit of the whole goes on. */
  hold(): void
  resume(): void
}

/** `expire` is told at most once, with the limit that was reached as the error to show. */
export function openDeadline(
  timeouts: Timeouts,
  expire: (reached: GatewayError) => void,
): Deadline {
  return new OpenDeadline(timeouts, expire)
}

/** All that are open share one timer, set for the first of them: most attempts end long before their limits. */
const open = new OpenList<OpenDeadline>()
let timer: NodeJS.Timeout | undefined
let firesAt = Infinity

/** How many attempts are under way in this process. */
export function countOpenDeadlines(): number {
  return open.size
}

/** A timer that fires too early only looks; one that would fire too late is set again. */
function arm(at: number): void {
  if (at >= firesAt) return
  clearTimeout(timer)
  firesAt = at
  // A limit never keeps the process alive: sockets do as long as there is something to wait for.
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

  /** When the first of its limits is reached, by `performance.now()`. */
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
    // What the head of the answer took is part of the wait for the first content.
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
