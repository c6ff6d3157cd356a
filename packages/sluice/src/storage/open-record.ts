import type { NotedUsage, OpenUsage } from '../ports/store.ts'
import type { Journal, Place } from './journal.ts'
import { journalLine } from './usage-journal.ts'

/** An attempt under way, by its lines in the journal: the first, and the newest of the later ones. */
export class OpenRecord implements OpenUsage {
  readonly id: string
  readonly #journal: Journal | undefined
  #first: Place | undefined
  #newest: Place | undefined

  constructor(id: string, journal: Journal | undefined) {
    this.id = id
    this.#journal = journal
  }

  append(line: string): void {
    if (!this.#journal) return
    const place = this.#journal.append(line)
    if (!this.#first) {
      this.#first = place
      return
    }
    this.#newest?.done()
    this.#newest = place
  }

  note(usage: NotedUsage): void {
    if (this.#journal) this.append(journalLine.noted(this.id, usage))
  }

  /** It is in the database, or can never be. */
  done(): void {
    this.#first?.done()
    this.#newest?.done()
  }

  /** Nobody has it in memory any more. */
  leave(): void {
    this.#first?.leave()
    this.#newest?.leave()
  }
}
