import type { SlotTicket } from '../ports/slot-queue.ts'

/** Concurrency slots held by one try at a target until the last of its attempts has ended. */
export class TakenSlots {
  /** The number of attempts that may run at once. */
  readonly count: number
  readonly #tickets: readonly SlotTicket[]
  #attempts = 0
  #isSettled = false

  constructor(tickets: readonly SlotTicket[], count: number) {
    this.#tickets = tickets
    this.count = count
  }

  attemptBegins(): void {
    this.#attempts += 1
  }

  attemptEnds(): void {
    this.#attempts -= 1
    this.#leave()
  }

  /** No further attempt will begin. */
  settle(): void {
    this.#isSettled = true
    this.#leave()
  }

  #leave(): void {
    if (this.#isSettled && this.#attempts === 0) for (const ticket of this.#tickets) ticket.leave()
  }
}
