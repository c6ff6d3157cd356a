import type { ChildProcess } from 'node:child_process'
import type { ProcessLink } from '../storage/process-link.ts'

const looksPerLimit = 10

/**
 * Calls `hangs` once a worker has not answered for so long. Time is counted in looks, not by the clock: where this process was
 * stopped itself, such as by a terminal, a worker that was stopped with it has missed one.
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

/** What a worker says to the process that watches it. */
export function answerWatch(link: ProcessLink): void {
  link.serve('worker.lives', () => true)
}

/**
 * The connection that was handed to a process last. One that ends before it has taken that would leave it open here, where
 * nobody reads it, and its caller waiting; of one that it had taken there is nothing to close any more.
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
