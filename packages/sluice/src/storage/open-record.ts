import type { NotedUsage, OpenUsage } from '../ports/store.ts'
import type { Journal, Place } from './journal.ts'
import { journalLine } from './usage-journal.ts'

/** An attempt in progress and its journal lines: the first, and the newest of the later ones. */
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

  /** The record is in the database, or can never be written. */
  done(): void {
    this.#first?.done()
    this.#newest?.done()
  }

  /** The record is no longer in memory. */
  leave(): void {
    this.#first?.leave()
    this.#newest?.leave()
  }
}
