import type { Usage } from '@sluice/contract'
import type { SlotTicket } from '../ports/slot-queue.ts'

/** What the attempts of one try have used in the end. */
export interface RoomUsed {
  readonly requests: number
  /** Undefined if it is not known of all of them. */
  readonly tokens: number | undefined
}

/** Something else than a slot that a try holds until its attempts have ended. */
export interface HeldRoom {
  leave(used: RoomUsed): void
}

/** The room at a target that one try holds until the last of its attempts has ended: concurrency slots, and parts of rates. */
export class TakenSlots {
  /** The number of attempts that may run at once. */
  readonly count: number
  readonly #tickets: readonly SlotTicket[]
  readonly #held: readonly HeldRoom[]
  #attempts = 0
  #requests = 0
  #tokens: number | undefined = 0
  #isSettled = false
  #isLeft = false

  constructor(tickets: readonly SlotTicket[], held: readonly HeldRoom[], count: number) {
    this.#tickets = tickets
    this.#held = held
    this.count = count
  }

  attemptBegins(): void {
    this.#attempts += 1
    this.#requests += 1
  }

  /** `isUsed`: whether it has used something also where its usage is unknown. */
  attemptEnds(usage: Usage | undefined, isUsed: boolean): void {
    this.#attempts -= 1
    if (usage === undefined && isUsed) this.#tokens = undefined
    if (usage !== undefined && this.#tokens !== undefined)
      this.#tokens += usage.inputTokens + usage.outputTokens
    this.#leave()
  }

  /** No further attempt will begin. */
  settle(): void {
    this.#isSettled = true
    this.#leave()
  }

  #leave(): void {
    if (!this.#isSettled || this.#attempts > 0 || this.#isLeft) return
    this.#isLeft = true
    for (const ticket of this.#tickets) ticket.leave()
    const used = { requests: this.#requests, tokens: this.#tokens }
    for (const one of this.#held) one.leave(used)
  }
}
