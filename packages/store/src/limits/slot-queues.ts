import type {
  SlotLimits,
  SlotQueue,
  SlotTicket,
  SlotUsage,
} from '@sluice/gateway/ports/slot-queue.ts'

/** Slot queues by name, with counts of this process's admitted and waiting requests. */
export class SlotQueues {
  readonly #open: (name: string) => SlotQueue
  readonly #byName = new Map<string, CountedSlotQueue>()

  /** `open` creates the queue of a name; called once per name. */
  constructor(open: (name: string) => SlotQueue) {
    this.#open = open
  }

  of(name: string): SlotQueue {
    const known = this.#byName.get(name) ?? new CountedSlotQueue(this.#open(name))
    this.#byName.set(name, known)
    return known
  }

  /** The counts of this process, by queue name. */
  levels(): ReadonlyMap<string, SlotUsage> {
    return this.#byName
  }
}

class CountedSlotQueue implements SlotQueue, SlotUsage {
  inside = 0
  waiting = 0
  readonly #queue: SlotQueue

  constructor(queue: SlotQueue) {
    this.#queue = queue
  }

  enter(key: string, bounds: SlotLimits, count = 1): SlotTicket {
    return new CountedTicket(this, this.#queue.enter(key, bounds, count), count)
  }

  look(): SlotUsage | Promise<SlotUsage> {
    return this.#queue.look()
  }
}

class CountedTicket implements SlotTicket {
  readonly entered: Promise<void> | undefined
  readonly #counted: CountedSlotQueue
  readonly #ticket: SlotTicket
  readonly #count: number
  #state: 'waiting' | 'inside' | 'over' = 'waiting'

  constructor(counted: CountedSlotQueue, ticket: SlotTicket, count: number) {
    this.#counted = counted
    this.#ticket = ticket
    this.#count = count
    this.entered = ticket.entered && this.#wait(ticket.entered)
    if (!ticket.entered) this.#become('inside')
  }

  leave(): void {
    this.#become('over')
    this.#ticket.leave()
  }

  async #wait(entered: Promise<void>): Promise<void> {
    this.#counted.waiting += 1
    try {
      await entered
      this.#become('inside')
    } catch (thrown) {
      this.#become('over')
      throw thrown
    } finally {
      this.#counted.waiting -= 1
    }
  }

  #become(next: 'inside' | 'over'): void {
    if (this.#state === 'over') return
    if (this.#state === 'inside') this.#counted.inside -= this.#count
    if (next === 'inside') this.#counted.inside += this.#count
    this.#state = next
  }
}
