import type { NotedUsage, OpenUsage } from '../ports/store.ts'
import type { Journal, Place } from './journal.ts'
import { journalLine } from './usage-journal.ts'

/** An attempt under way, by its lines in the journal. */
export class OpenRecord implements OpenUsage {
  readonly id: string
  readonly #journal: Journal | undefined
  readonly #places: Place[] = []

  constructor(id: string, journal: Journal | undefined) {
    this.id = id
    this.#journal = journal
  }

  append<Value>(line: (id: string, value: Value) => string, value: Value): void {
    if (this.#journal) this.#places.push(this.#journal.append(line(this.id, value)))
  }

  note(usage: NotedUsage): void {
    this.append(journalLine.noted, usage)
  }

  /** It is in the database, or can never be. */
  done(): void {
    for (const place of this.#places) place.done()
  }

  /** Nobody has it in memory any more. */
  leave(): void {
    for (const place of this.#places) place.leave()
  }
}
