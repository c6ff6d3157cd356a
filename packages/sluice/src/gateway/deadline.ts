import { GatewayError } from '@sluice/contract'

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

/**
 * The limits of one attempt: one abort signal, joined to the caller's. `expired` tells a limit from a caller who left.
 */
export interface Deadline extends Disposable {
  readonly signal: AbortSignal
  /** The limit that was reached, as the error to show. */
  readonly expired: GatewayError | undefined
  /** Begins to wait for something, instead of what was waited for before. */
  wait(phase: Phase): void
  /** Something came: the wait between two events begins anew. That for the first content goes on. */
  progress(): void
  /** The caller takes its time with what came: until `resume` the upstream is not waited for. */
  hold(): void
  resume(): void
  /** Ends the attempt without an error of its own: the caller of the attempt has what it wanted. */
  abort(reason?: unknown): void
}

export function openDeadline(parent: AbortSignal, timeouts: Timeouts): Deadline {
  const controller = new AbortController()
  let expired: GatewayError | undefined
  const expire = (reached: Phase, ms: number) => {
    expired = new GatewayError('upstream_timeout', sentences[reached](ms))
    controller.abort(expired)
  }
  // A limit never keeps the process alive: sockets do as long as there is something to wait for.
  const total = setTimeout(() => expire('total', timeouts.totalMs), timeouts.totalMs).unref()
  const leave = () => controller.abort(parent.reason)
  if (parent.aborted) leave()
  else parent.addEventListener('abort', leave, { once: true })
  const wait = openWait(timeouts, expire)
  return {
    signal: controller.signal,
    get expired() {
      return expired
    },
    wait: (phase) => wait.begin(phase),
    progress: () => wait.progress(),
    hold: () => wait.hold(),
    resume: () => wait.resume(),
    abort(reason) {
      controller.abort(reason)
    },
    [Symbol.dispose]() {
      clearTimeout(total)
      wait.end()
      parent.removeEventListener('abort', leave)
    },
  }
}

/** The one wait of the moment. Its timer is set once and looks when it fires, as events come by the thousand. */
function openWait(timeouts: Timeouts, expire: (phase: Phase, ms: number) => void) {
  const limits: Readonly<Record<Phase, number>> = {
    headers: timeouts.headersMs,
    'first token': timeouts.firstTokenMs,
    idle: timeouts.idleMs,
    total: timeouts.totalMs,
  }
  const openedAt = performance.now()
  let timer: NodeJS.Timeout | undefined
  let phase: Phase = 'total'
  let since = openedAt
  let heldAt: number | undefined
  let heldMs = 0

  const passed = () => performance.now() - since - heldMs
  const look = () => {
    const limit = limits[phase]
    const left = limit - passed()
    if (heldAt !== undefined) arm(limit)
    else if (left > 1) arm(left)
    else expire(phase, limit)
  }
  const arm = (ms: number) => {
    clearTimeout(timer)
    timer = setTimeout(look, ms).unref()
  }
  return {
    begin(next: Phase) {
      clearTimeout(timer)
      phase = next
      heldAt = undefined
      heldMs = 0
      // What the head of the answer took is part of the wait for the first content.
      since = phase === 'first token' ? openedAt : performance.now()
      if (phase !== 'total') arm(Math.max(1, limits[phase] - passed()))
    },
    progress() {
      if (phase !== 'idle') return
      since = performance.now()
      heldMs = 0
    },
    hold() {
      heldAt = performance.now()
    },
    resume() {
      if (heldAt !== undefined) heldMs += performance.now() - heldAt
      heldAt = undefined
    },
    end: () => clearTimeout(timer),
  }
}

const sentences: Readonly<Record<Phase, (ms: number) => string>> = {
  headers: (ms) => `The upstream did not begin to answer within ${ms} ms (headersMs)`,
  'first token': (ms) => `The upstream sent no content within ${ms} ms (firstTokenMs)`,
  idle: (ms) => `The upstream fell silent in the middle of its answer for ${ms} ms (idleMs)`,
  total: (ms) => `The upstream did not finish its answer within ${ms} ms (totalMs)`,
}
