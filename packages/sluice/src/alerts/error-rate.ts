/** Over how many minutes, from how many percent and of how many calls at least failures are told. */
export interface ErrorRateSettings {
  readonly percent: number
  readonly minutes: number
  readonly calls: number
}

/** The window moves in so many steps. */
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

  /** A call is over. Returns what was counted where too many have failed. */
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
    // Where the clock or the settings have jumped, nothing before counts.
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
