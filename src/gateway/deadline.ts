import { GatewayError } from '../core/errors.ts'

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
  /** The caller is slow to take what came: until `progress` the upstream is not waited for. */
  pause(): void
  /** Ends the attempt without an error of its own: the caller of the attempt has what it wanted. */
  abort(reason?: unknown): void
}

export function openDeadline(parent: AbortSignal, timeouts: Timeouts): Deadline {
  const controller = new AbortController()
  let expired: GatewayError | undefined
  let current: NodeJS.Timeout | undefined
  let phase: Phase = 'total'

  const expire = (reached: Phase, ms: number) => () => {
    expired = new GatewayError('upstream_timeout', sentences[reached](ms))
    controller.abort(expired)
  }
  // A limit never keeps the process alive: sockets do as long as there is something to wait for.
  const total = setTimeout(expire('total', timeouts.totalMs), timeouts.totalMs).unref()
  const leave = () => controller.abort(parent.reason)
  if (parent.aborted) leave()
  else parent.addEventListener('abort', leave, { once: true })

  const limits = {
    headers: timeouts.headersMs,
    'first token': timeouts.firstTokenMs,
    idle: timeouts.idleMs,
    total: timeouts.totalMs,
  }
  const openedAt = performance.now()
  const begin = () => {
    clearTimeout(current)
    current = undefined
    if (phase === 'total') return
    // What the head of the answer took is part of the wait for the first content.
    const passed = phase === 'first token' ? performance.now() - openedAt : 0
    current = setTimeout(expire(phase, limits[phase]), Math.max(0, limits[phase] - passed)).unref()
  }
  return {
    signal: controller.signal,
    get expired() {
      return expired
    },
    wait(next) {
      phase = next
      begin()
    },
    progress() {
      if (phase !== 'idle') return
      if (current) current.refresh()
      else begin()
    },
    pause() {
      if (phase !== 'idle') return
      clearTimeout(current)
      current = undefined
    },
    abort(reason) {
      controller.abort(reason)
    },
    [Symbol.dispose]() {
      clearTimeout(total)
      clearTimeout(current)
      parent.removeEventListener('abort', leave)
    },
  }
}

const sentences: Readonly<Record<Phase, (ms: number) => string>> = {
  headers: (ms) => `The upstream did not begin to answer within ${ms} ms`,
  'first token': (ms) => `The upstream sent no content within ${ms} ms`,
  idle: (ms) => `The upstream fell silent for ${ms} ms in the middle of its answer`,
  total: (ms) => `The upstream did not finish its answer within ${ms} ms`,
}
