import type { ChildProcess } from 'node:child_process'
import type { Config } from '../config/config.ts'
import type { ProcessLink } from '@sluice/store/limits/process-link.ts'

const looksPerLimit = 10

/**
 * Extra time after the configured timeouts before a stopping worker is killed, in milliseconds; its journal holds what is
 * left.
 */
const stopGraceMs = 15_000

/** How long a worker may take to stop, in milliseconds. */
export function stopLimitMs({ drainMs, stopTimeoutMs }: Config['server']): number {
  return drainMs + stopTimeoutMs + stopGraceMs
}

/**
 * Calls `hangs` when a worker has not answered for `limitMs`. Time is counted in checks, not by the clock: if this process was
 * suspended too, for example by a terminal, its worker has missed only one check.
 */
export function watchWorker(link: ProcessLink, limitMs: number, hangs: () => void): void {
  let missed = 0
  let isAsked = false
  const look = () => {
    if (isAsked && (missed += 1) >= looksPerLimit) {
      clearInterval(timer)
      hangs()
    }
    if (isAsked) return
    isAsked = true
    missed = 0
    void link.ask('worker.lives', null).then(
      () => {
        isAsked = false
      },
      () => {},
    )
  }
  const timer = setInterval(look, limitMs / looksPerLimit).unref()
  link.whenClosed(() => clearInterval(timer))
}

/** Answers the checks of the watching process. */
export function answerWatch(link: ProcessLink): void {
  link.serve('worker.lives', () => true)
}

/**
 * Tracks the connection handed to a process last. If the process ends before taking it, the connection would stay open here
 * unread, with its caller waiting. If the process had taken it, there is nothing left to close.
 */
export function watchHanded(child: ChildProcess): { close(): void } {
  let handed: unknown
  const send = child.send.bind(child) as (...given: readonly unknown[]) => boolean
  child.send = (...given: readonly unknown[]) => {
    if (canClose(given[1])) handed = given[1]
    return send(...given)
  }
  return {
    close() {
      if (canClose(handed)) handed.close()
    },
  }
}

function canClose(value: unknown): value is { close(): void } {
  return (
    typeof value === 'object' &&
    value !== null &&
    'close' in value &&
    typeof value.close === 'function'
  )
}
