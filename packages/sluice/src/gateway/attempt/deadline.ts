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

/** The limits of one attempt. Its one timer is set for what comes first, and looks when it fires. */
export interface Deadline extends Disposable {
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
  const limits: Readonly<Record<Phase, number>> = {
    headers: timeouts.headersMs,
    'first token': timeouts.firstTokenMs,
    idle: timeouts.idleMs,
    total: timeouts.totalMs,
  }
  const openedAt = performance.now()
  let timer: NodeJS.Timeout | undefined
  let firesAt = Infinity
  let phase: Phase = 'total'
  let since = openedAt
  let heldAt: number | undefined
  let isOver = false

  const endsAt = () => (heldAt === undefined ? since + limits[phase] : Infinity)
  const look = () => {
    const now = performance.now()
    const totalAt = openedAt + limits.total
    if (now >= totalAt - 1) return reach('total')
    if (now >= endsAt() - 1) return reach(phase)
    arm(Math.min(totalAt, endsAt()))
  }
  const reach = (reached: Phase) => {
    isOver = true
    expire(new GatewayError('upstream_timeout', sentences[reached](limits[reached])))
  }
  /** A timer that fires too early only looks; one that would fire too late is set again. */
  const arm = (at: number) => {
    if (isOver) return
    clearTimeout(timer)
    firesAt = at
    // A limit never keeps the process alive: sockets do as long as there is something to wait for.
    timer = setTimeout(look, Math.max(1, at - performance.now())).unref()
  }
  return {
    wait(next) {
      phase = next
      heldAt = undefined
      // What the head of the answer took is part of the wait for the first content.
      since = next === 'first token' || next === 'total' ? openedAt : performance.now()
      const at = Math.min(openedAt + limits.total, endsAt())
      if (at < firesAt) arm(at)
    },
    progress() {
      if (phase === 'idle') since = performance.now()
    },
    hold() {
      heldAt ??= performance.now()
    },
    resume() {
      if (heldAt === undefined) return
      since += performance.now() - heldAt
      heldAt = undefined
      if (endsAt() < firesAt) arm(endsAt())
    },
    [Symbol.dispose]() {
      isOver = true
      clearTimeout(timer)
    },
  }
}

const sentences: Readonly<Record<Phase, (ms: number) => string>> = {
  headers: (ms) => `The upstream did not begin to answer within ${ms} ms (headersMs)`,
  'first token': (ms) => `The upstream sent no content within ${ms} ms (firstTokenMs)`,
  idle: (ms) => `The upstream fell silent in the middle of its answer for ${ms} ms (idleMs)`,
  total: (ms) => `The upstream did not finish its answer within ${ms} ms (totalMs)`,
}
