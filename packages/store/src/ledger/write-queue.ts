import { setTimeout as wait } from 'node:timers/promises'
import type { WaitingUsage } from '@sluice/gateway/ports/store.ts'
import { RefusedData } from '../database.ts'

/** A queued record. */
export interface WaitingRecord {
  /** Created by `documentOf`. Its id is unique, so a record that is written twice can be recognized. */
  readonly document: string
  /** Notified once it is written, or can never be written. */
  readonly open: { done(): void }
}

/**
 * Reports a failed write: how many records wait for the next try, and how many have been lost since the start. Called at most
 * once per failing write.
 */
export type WriteFailed = (error: unknown, waiting: number, lost: number) => void

export interface UsageQueueOptions<Waiting extends WaitingRecord> {
  /** Writes a whole batch in order, or nothing. Called again with the same batch unless it threw RefusedData. */
  readonly write: (batch: readonly Waiting[]) => Promise<void>
  readonly writeFailed: WriteFailed
  /** Receives a record for which there is no room. Default: it is lost, and counted as lost. */
  readonly overflow?: (record: Waiting) => void
  /** Maximum number of waiting records; further ones overflow. Default 100,000: less than 100 MB. */
  readonly recordsMax?: number
  /** How long disposing tries to write the rest. Default 5,000 ms. */
  readonly stopMs?: number
}

const writeEveryMs = 50
const recordsPerBatchMax = 500
/** Interval between retries, and between reports of failure. */
const retryEveryMs = 1_000
const stopRetryMs = 100

export function openUsageQueue<Waiting extends WaitingRecord>(
  options: UsageQueueOptions<Waiting>,
): UsageQueue<Waiting> {
  return new UsageQueue(options)
}

/** Queues usage in memory and writes it to the database in batches. Disposing writes the rest. */
export class UsageQueue<Waiting extends WaitingRecord> implements AsyncDisposable {
  readonly #options: Required<UsageQueueOptions<Waiting>>
  readonly #waiting: Waiting[] = []
  /** Removed from `waiting` and not settled yet, in order. The first is being written or could not be written. */
  readonly #batches: (readonly Waiting[])[] = []
  #added = 0
  /** Number of added records that were written or lost. */
  #settled = 0
  #lost = 0
  #lostReported = 0
  /** When something was last written, or when the first record began to wait. */
  #progressAt = 0
  /** Set while records wait. */
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> | undefined
  #stopped = false

  constructor(options: UsageQueueOptions<Waiting>) {
    const overflow = () => void (this.#lost += 1)
    this.#options = { recordsMax: 100_000, stopMs: 5_000, overflow, ...options }
  }

  add(record: Waiting): void {
    if (this.#waitingCount() >= this.#options.recordsMax) return this.#options.overflow(record)
    if (this.#waitingCount() === 0) this.#progressAt = performance.now()
    this.#waiting.push(record)
    this.#added++
    if (this.#timer === undefined) this.#schedule(writeEveryMs)
  }

  waiting(): WaitingUsage {
    const records = this.#waitingCount()
    return { records, behindMs: records === 0 ? 0 : performance.now() - this.#progressAt }
  }

  /** Waits until everything added before is written. Rejects if a write fails; the records are kept. */
  async flush(): Promise<void> {
    const target = this.#added
    while (this.#settled < target) await this.#writeNext()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const giveUpAt = performance.now() + this.#options.stopMs
    try {
      for (;;)
        try {
          return await this.flush()
        } catch (cause) {
          if (performance.now() >= giveUpAt)
            throw new Error(`${this.#waitingCount()} usage records could not be written`, { cause })
          await wait(stopRetryMs)
        }
    } finally {
      this.#stopped = true
      clearTimeout(this.#timer)
    }
  }

  #waitingCount(): number {
    return this.#added - this.#settled
  }

  #schedule(ms: number): void {
    this.#timer = setTimeout(() => void this.#writeInTurn(), ms).unref()
  }

  async #writeInTurn(): Promise<void> {
    let nextMs = writeEveryMs
    try {
      do await this.#writeNext()
      while (this.#batches.length > 0 || this.#waiting.length >= recordsPerBatchMax)
    } catch {
      // The write has already reported it.
      nextMs = retryEveryMs
    }
    this.#timer = undefined
    if (this.#waitingCount() > 0 && !this.#stopped) this.#schedule(nextMs)
  }

  /** One write at a time; later callers wait for the running one. */
  #writeNext(): Promise<void> {
    this.#writing ??= this.#writeFirst().finally(() => {
      this.#writing = undefined
    })
    return this.#writing
  }

  async #writeFirst(): Promise<void> {
    const [batch = this.#takeBatch()] = this.#batches
    if (!batch) return
    try {
      await this.#options.write(batch)
      this.#batches.shift()
      this.#settled += batch.length
      this.#progressAt = performance.now()
    } catch (error) {
      if (error instanceof RefusedData) return this.#isolateRefused(batch, error)
      this.#report(error)
      throw error
    }
    for (const { open } of batch) open.done()
    if (this.#lost > this.#lostReported)
      this.#report(new Error('Usage comes faster than the database takes it'))
  }

  #takeBatch(): readonly Waiting[] | undefined {
    const batch = this.#waiting.splice(0, recordsPerBatchMax)
    if (batch.length === 0) return undefined
    this.#batches.push(batch)
    return batch
  }

  /**
   * A record that breaks a constraint can never be written. It is found by splitting the batch in halves, and the others are
   * written.
   */
  #isolateRefused(batch: readonly Waiting[], error: RefusedData): void {
    const half = batch.length >> 1
    if (half > 0) {
      this.#batches.splice(0, 1, batch.slice(0, half), batch.slice(half))
      return
    }
    this.#batches.shift()
    this.#settled++
    this.#lost++
    for (const { open } of batch) open.done()
    this.#report(error)
  }

  #report(error: unknown): void {
    this.#lostReported = this.#lost
    this.#options.writeFailed(error, this.#waitingCount(), this.#lost)
  }
}
