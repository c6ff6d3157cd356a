import type { Entrance, EntranceBounds, EntranceLevel, Ticket } from '../ports/entrance.ts'

/** Entrances by name, with counts of this process's admitted and waiting requests. */
export class Entrances {
  readonly #open: (name: string) => Entrance
  readonly #byName = new Map<string, CountedEntrance>()

  /** `open` creates the entrance of a name; called once per name. */
  constructor(open: (name: string) => Entrance) {
    this.#open = open
  }

  of(name: string): Entrance {
    const known = this.#byName.get(name) ?? new CountedEntrance(this.#open(name))
    this.#byName.set(name, known)
    return known
  }

  /** The counts of this process, by entrance name. */
  levels(): ReadonlyMap<string, EntranceLevel> {
    return this.#byName
  }
}

class CountedEntrance implements Entrance, EntranceLevel {
  inside = 0
  waiting = 0
  readonly #entrance: Entrance

  constructor(entrance: Entrance) {
    this.#entrance = entrance
  }

  enter(key: string, bounds: EntranceBounds, count = 1): Ticket {
    return new CountedTicket(this, this.#entrance.enter(key, bounds, count), count)
  }

  look(): EntranceLevel | Promise<EntranceLevel> {
    return this.#entrance.look()
  }
}

class CountedTicket implements Ticket {
  readonly entered: Promise<void> | undefined
  readonly #counted: CountedEntrance
  readonly #ticket: Ticket
  readonly #count: number
  #state: 'waiting' | 'inside' | 'over' = 'waiting'

  constructor(counted: CountedEntrance, ticket: Ticket, count: number) {
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
