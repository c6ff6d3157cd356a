/** The period in minutes, the percentage of failures, and the minimum number of calls that trigger the alert. */
export interface ErrorRateSettings {
  readonly percent: number
  readonly minutes: number
  readonly calls: number
}

/** Number of steps in which the window moves. */
const steps = 10
const minuteMs = 60_000

/** Counts calls and failures of the last minutes. */
export class ErrorRate {
  readonly #settings: () => ErrorRateSettings
  readonly #now: () => number
  readonly #calls: number[] = Array<number>(steps).fill(0)
  readonly #failed: number[] = Array<number>(steps).fill(0)
  #step = 0

  constructor(settings: () => ErrorRateSettings, now: () => number) {
    this.#settings = settings
    this.#now = now
  }

  /** Counts a finished call. Returns the counts if too many have failed. */
  count(isFailed: boolean): { readonly calls: number; readonly failed: number } | undefined {
    const { percent, minutes, calls: least } = this.#settings()
    this.#move(Math.floor((this.#now() * steps) / (minutes * minuteMs)))
    const at = this.#step % steps
    this.#calls[at] = (this.#calls[at] ?? 0) + 1
    if (!isFailed) return undefined
    this.#failed[at] = (this.#failed[at] ?? 0) + 1
    const calls = sum(this.#calls)
    const failed = sum(this.#failed)
    return calls >= least && failed * 100 >= percent * calls ? { calls, failed } : undefined
  }

  #move(step: number): void {
    if (step === this.#step) return
    // After a jump of the clock or changed settings, earlier counts are discarded.
    const passed = step > this.#step ? Math.min(steps, step - this.#step) : steps
    for (let one = 0; one < passed; one++) {
      this.#calls[(step - one) % steps] = 0
      this.#failed[(step - one) % steps] = 0
    }
    this.#step = step
  }
}

function sum(counts: readonly number[]): number {
  let total = 0
  for (const count of counts) total += count
  return total
}
