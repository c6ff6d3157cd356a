import { setTimeout as wait } from 'node:timers/promises'
import type { UsageStore } from '@sluice/gateway/ports/usage-store.ts'

export interface UsageUpkeepOptions {
  readonly usage: UsageStore
  /** How many days records are kept; undefined means forever. Read each time. */
  readonly keepDays: () => number | undefined
  /** Called after old records were removed, with their number and the moment before which they began. Default: ignored. */
  readonly forgotten?: (records: number, before: number) => Promise<void>
  /** Called once when it fails, and again only after it has succeeded. It continues by itself. */
  readonly failed: (error: unknown) => void
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** Interval between checks for new records. Default 2,000 ms. */
  readonly everyMs?: number
}

const everyMsUsual = 2_000
const removeEveryMs = 60 * 60_000
const dayMs = 24 * 60 * 60_000

/**
 * Adds new records to the sums every few seconds and removes old records every hour, until disposed. Between two steps it
 * pauses for as long as the step took, so that other writes can proceed.
 */
export function openUsageUpkeep(options: UsageUpkeepOptions): AsyncDisposable {
  const { usage, keepDays, forgotten, failed, now, everyMs = everyMsUsual } = options
  const stopping = new AbortController()
  const { signal } = stopping
  let isFailing = false
  let removedAt = Number.NEGATIVE_INFINITY

  async function repeat(step: () => Promise<boolean>): Promise<void> {
    while (!signal.aborted) {
      const startedAt = performance.now()
      if (!(await step())) return
      await rest(performance.now() - startedAt)
    }
  }

  /** Ends immediately on a stop, so that nothing keeps the process alive longer than the rest of the stop. */
  async function rest(ms: number): Promise<void> {
    await wait(ms, undefined, { ref: false, signal }).catch(() => {})
  }

  async function work(): Promise<void> {
    await repeat(async () => (await usage.fold()) > 0)
    const days = keepDays()
    if (days === undefined || now() - removedAt < removeEveryMs) return
    removedAt = now()
    await removeOld(now() - days * dayMs)
  }

  /** Removed records are reported even if the rest failed, because they are gone. */
  async function removeOld(before: number): Promise<void> {
    let records = 0
    try {
      await repeat(async () => {
        const step = await usage.forget(before)
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
        await work()
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
