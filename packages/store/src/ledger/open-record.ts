import type {
  BudgetReservation,
  NotedUsage,
  OpenUsage,
  UsageEnded,
} from '@sluice/gateway/ports/store.ts'
import type { Journal, JournalLine } from './journal.ts'
import { completed, journalLine } from './recover-usage.ts'

/** Where the lines and the record of an attempt go. */
export interface Destination {
  /** Absent if records need not survive the process. */
  readonly journal: Journal | undefined
  /** Queues a record for the database. */
  add(record: { readonly document: string; readonly open: OpenRecord }): void
}

/** An attempt in progress and its journal lines: the first, and the newest of the later ones. */
export class OpenRecord implements OpenUsage {
  readonly id: string
  readonly #destination: Destination
  /** The document of its beginning; empty if none was recorded. */
  #begun = ''
  #first: JournalLine | undefined
  #newest: JournalLine | undefined
  /** Whether the first line names a reservation that is not settled, so that the line has to stay. */
  #isReserved = false
  #isFinished = false

  constructor(id: string, destination: Destination) {
    this.id = id
    this.#destination = destination
  }

  begin(document: string, reservation: BudgetReservation | undefined): void {
    this.#begun = document
    this.#isReserved = reservation !== undefined
    this.#append(journalLine.begun(document, reservation))
  }

  note(usage: NotedUsage): void {
    if (this.#destination.journal) this.#append(journalLine.noted(this.id, usage))
  }

  end(ended: UsageEnded): void {
    const document = completed(this.#begun, ended)
    this.#begun = ''
    this.settle(document)
  }

  /** Appends the whole record. */
  settle(document: string): void {
    this.#append(journalLine.settled(document))
    this.#destination.add({ document, open: this })
  }

  reservationSettled(): void {
    if (!this.#isReserved) return
    this.#isReserved = false
    if (this.#isFinished) this.#first?.done()
  }

  /** The record is in the database, or can never be written. */
  done(): void {
    this.#isFinished = true
    if (!this.#isReserved) this.#first?.done()
    this.#newest?.done()
  }

  /** The record is no longer in memory. */
  leave(): void {
    this.#isFinished = true
    if (!this.#isReserved) this.#first?.leave()
    this.#newest?.leave()
  }

  #append(line: string): void {
    const appended = this.#destination.journal?.append(line)
    if (!appended) return
    if (!this.#first) {
      this.#first = appended
      return
    }
    this.#newest?.done()
    this.#newest = appended
  }
}
