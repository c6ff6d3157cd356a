import type { Sql } from 'sql-template-tag'
import { boundValues } from '../bound-values.ts'
import { RefusedData } from '../database.ts'
import { sqliteError } from '../unavailable.ts'
import type { AppendThread, Change } from './append-thread.ts'

/** Characters of the values in one transaction of the thread, whose memory is limited. Larger changes run in this thread. */
const togetherLengthMax = 1024 * 1024

interface Waiting extends PromiseWithResolvers<readonly number[]> {
  readonly change: Change
  readonly length: number
}

/** Changes for the thread that writes: while it runs some in a transaction, the next wait and are then taken together. */
export class WaitingChanges {
  readonly #thread: Pick<AppendThread, 'change'>
  readonly #here: (statements: readonly Sql[]) => readonly number[]
  #waiting: Waiting[] = []
  #writing: Promise<void> | undefined

  /** `here` runs the statements in this thread. */
  constructor(
    thread: Pick<AppendThread, 'change'>,
    here: (statements: readonly Sql[]) => readonly number[],
  ) {
    this.#thread = thread
    this.#here = here
  }

  /** Returns how many rows each of the statements has changed. */
  async add(statements: readonly Sql[]): Promise<readonly number[]> {
    const change = statements.map((one) => ({ text: one.sql, values: boundValues(one) }))
    const length = lengthOf(change)
    if (length > togetherLengthMax) return this.#here(statements)
    const waiting = { ...Promise.withResolvers<readonly number[]>(), change, length }
    this.#waiting.push(waiting)
    this.#writing ??= this.#writeAll()
    return waiting.promise
  }

  /** Resolves when nothing waits anymore. */
  async done(): Promise<void> {
    await this.#writing
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) await this.#write(this.#next())
    this.#writing = undefined
  }

  /** At least one. */
  #next(): readonly Waiting[] {
    let length = 0
    const end = this.#waiting.findIndex((one) => (length += one.length) > togetherLengthMax)
    return this.#waiting.splice(0, end < 0 ? this.#waiting.length : Math.max(1, end))
  }

  async #write(batch: readonly Waiting[]): Promise<void> {
    try {
      const results = await this.#thread.change(batch.map(({ change }) => change))
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] ?? [])
    } catch (error) {
      if (error instanceof RefusedData && batch.length > 1)
        for (const one of batch) await this.#write([one])
      else for (const { reject } of batch) reject(sqliteError(error))
    }
  }
}

function lengthOf(change: Change): number {
  let length = 0
  for (const { values } of change)
    for (const value of values) length += typeof value === 'string' ? value.length : 8
  return length
}
