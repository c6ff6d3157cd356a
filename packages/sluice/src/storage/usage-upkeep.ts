import { setTimeout as wait } from 'node:timers/promises'
import type { UsageBook } from '../ports/usage-book.ts'

export interface UsageUpkeepOptions {
  readonly book: UsageBook
  /** How many days records are kept; undefined where they are kept for ever. Asked each time. */
  readonly keepDays: () => number | undefined
  /** Told how many records of before a moment were removed, after all of them were. Default: nobody is told. */
  readonly forgotten?: (records: number, before: number) => Promise<void>
  /** Told when it failed, once until it succeeds. It goes on by itself. */
  readonly failed: (error: unknown) => void
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** How often new records are looked for. Default 2,000 ms. */
  readonly everyMs?: number
}

const everyMsUsual = 2_000
const forgetEveryMs = 60 * 60_000
const dayMs = 24 * 60 * 60_000

/**
 * Adds new records to the sums every few seconds, and removes those that are too old every hour, until disposed. Between two
 * steps it rests for as long as the step took: what else wants to write comes in between.
 */
export function openUsageUpkeep(options: UsageUpkeepOptions): AsyncDisposable {
  const { book, keepDays, forgotten, failed, now, everyMs = everyMsUsual } = options
  const stopping = new AbortController()
  const { signal } = stopping
  let isFailing = false
  let forgottenAt = Number.NEGATIVE_INFINITY

  async function repeat(step: () => Promise<boolean>): Promise<void> {
    while (!signal.aborted) {
      const begun = performance.now()
      if (!(await step())) return
      await rest(performance.now() - begun)
    }
  }

  /** Ends with a stop at once: nothing else may keep the process alive until the rest of the stop is done. */
  async function rest(ms: number): Promise<void> {
    await wait(ms, undefined, { ref: false, signal }).catch(() => {})
  }

  async function look(): Promise<void> {
    await repeat(async () => (await book.fold()) > 0)
    const days = keepDays()
    if (days === undefined || now() - forgottenAt < forgetEveryMs) return
    forgottenAt = now()
    await forget(now() - days * dayMs)
  }

  /** What was removed is told though the rest failed: it is gone. */
  async function forget(before: number): Promise<void> {
    let records = 0
    try {
      await repeat(async () => {
        const step = await book.forget(before)
        records += step.records
        return step.hasMore
      })
    } finally {
      if (records > 0) await forgotten?.(records, before - (before % dayMs))
    }
  }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      await rest(everyMs)
      if (signal.aborted) return
      try {
        await look()
        isFailing = false
      } catch (error) {
        if (!isFailing) failed(error)
        isFailing = true
      }
    }
  }

  const running = run()
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort()
      await running
    },
  }
}
