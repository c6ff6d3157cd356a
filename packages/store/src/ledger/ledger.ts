import { randomUUID } from 'node:crypto'
import { copyFileSync, existsSync, linkSync } from 'node:fs'
import type { UsageRecord } from '@sluice/contract'
import type {
  BudgetReservation,
  NotedUsage,
  OpenUsage,
  Store,
  UsageBegun,
  UsageEnded,
  WaitingUsage,
} from '@sluice/gateway/ports/store.ts'
import {
  completed,
  documentOf,
  type Journal,
  journalLine,
  type JournalLine,
  openJournal,
} from './journal.ts'
import type { Database } from '../database.ts'
import { unavailable } from '../unavailable.ts'
import { type ReadSegment, recoverUsage, type ReservedCall, writeSettled } from './recover-usage.ts'
import { appendRecords, orphanedOf } from './usage-records.ts'
import {
  openUsageQueue,
  type UsageQueue,
  type WaitingRecord,
  type WriteFailed,
} from './write-queue.ts'
import { forgetWriters } from './writers.ts'

export interface LedgerOptions {
  /** Called when records could not be written. */
  readonly writeFailed: WriteFailed
  /** Called once when the journal becomes unwritable, and again only after it was writable. Default: ignored. */
  readonly journalFailed?: ((error: unknown) => void) | undefined
  /** Called when so many lines of the journal could not be read; `file` keeps them. Default: ignored. */
  readonly journalUnreadable?: ((lines: number, file: string) => void) | undefined
  /** The journal's folder on the local disk. Absent if records need not survive the process. */
  readonly journalFolder?: string
}

type LedgerStore = Pick<
  Store,
  'beginUsage' | 'recordUsage' | 'recorded' | 'flush' | 'waitingUsage' | 'settleOrphaned'
>
type SettleOrphaned = Parameters<Store['settleOrphaned']>[0]

/** Reservations that a journal names, and how it is removed. */
interface Reserved {
  readonly calls: readonly ReservedCall[]
  readonly remove: () => void
}

/** Retry delay after a failure, in milliseconds. */
const retryMs = 1_000

/** Takes usage records to the database. Disposing writes what is pending. */
export class Ledger implements LedgerStore, AsyncDisposable {
  readonly #database: Database
  readonly #writeFailed: WriteFailed
  readonly #journalUnreadable: (lines: number, file: string) => void
  readonly #journal: Journal | undefined
  readonly #queue: UsageQueue<QueuedRecord>
  readonly #destination: Destination
  /** Starts with the time, so that a large index of ids grows at its end. */
  readonly #series = `${Date.now().toString(36)}-${randomUUID().slice(0, 13)}-`
  #count = 0
  /** Whether some records are only in the journal. */
  #hasEvicted = false
  #recovered: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  /** What journals of dead processes had reserved, not settled yet. */
  #reserved: Reserved[] = []
  #settleOrphaned: SettleOrphaned | undefined
  #settleTimer: NodeJS.Timeout | undefined

  constructor(database: Database, options: LedgerOptions) {
    const { writeFailed, journalFolder, journalFailed } = options
    this.#database = database
    this.#writeFailed = writeFailed
    this.#journalUnreadable = options.journalUnreadable ?? (() => {})
    this.#journal =
      journalFolder === undefined
        ? undefined
        : openJournal({ folder: journalFolder, ...(journalFailed && { failed: journalFailed }) })
    this.#queue = openUsageQueue({
      write: (batch) => this.#write(batch.map(({ document }) => document)),
      writeFailed,
      ...(this.#journal && { overflow: ({ open }) => this.#evict(open) }),
    })
    this.#destination = { journal: this.#journal, queue: this.#queue }
    if (journalFolder !== undefined) this.#recover(journalFolder)
  }

  /** The name of the journal; undefined without one. */
  get journalName(): string | undefined {
    return this.#journal?.name
  }

  beginUsage(begun: UsageBegun, reservation?: BudgetReservation): OpenUsage {
    this.checkJournal()
    const open = this.#openRecord()
    open.begin(documentOf(open.id, begun), reservation)
    return open
  }

  /** Throws `overloaded` while the journal cannot be written. */
  checkJournal(): void {
    const failure = this.#journal?.failure
    if (failure !== undefined) throw unavailable(failure, 'The journal cannot be written for now')
  }

  recordUsage(record: UsageRecord): void {
    const open = this.#openRecord()
    open.settle(documentOf(open.id, record))
  }

  settleOrphaned(settle: SettleOrphaned): void {
    this.#settleOrphaned = settle
    this.#settleReserved()
  }

  waitingUsage(): WaitingUsage {
    return this.#queue.waiting()
  }

  recorded(): Promise<void> | undefined {
    return this.#journal?.written()
  }

  async flush(): Promise<void> {
    await this.#recovered
    await this.#queue.flush()
    if (this.#hasEvicted) await this.#catchUp()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#timer)
    clearTimeout(this.#settleTimer)
    this.#settleOrphaned = undefined
    try {
      await this.#recovered
      await this.#queue[Symbol.asyncDispose]()
    } finally {
      this.#journal?.[Symbol.dispose]()
    }
  }

  #write(documents: readonly string[]): Promise<void> {
    return appendRecords(this.#database, documents)
  }

  #openRecord(): OpenRecord {
    this.#count += 1
    return new OpenRecord(`${this.#series}${this.#count.toString(36)}`, this.#destination)
  }

  #evict(open: OpenRecord): void {
    open.evict()
    if (this.#hasEvicted) return
    this.#hasEvicted = true
    this.#retry(() => this.flush())
  }

  /** Writes records from the journal that are no longer in memory. */
  async #catchUp(): Promise<void> {
    this.#hasEvicted = false
    for (const segment of this.#journal?.rotate() ?? []) {
      const read = await writeSettled(segment.file, (documents) => this.#write(documents))
      if (read.unreadable > 0) this.#keepUnreadable(read)
      segment.evictedDone()
    }
  }

  #recover(folder: string): void {
    const reserved = (calls: readonly ReservedCall[], remove: () => void) => {
      this.#reserved.push({ calls, remove })
      this.#settleReserved()
    }
    const recovery = {
      write: (documents: readonly string[]) => this.#write(documents),
      reserved,
      recovered: (journal: string) => forgetWriters(this.#database, [journal]),
      unreadable: (segment: ReadSegment) => this.#keepUnreadable(segment),
    }
    this.#recovered = recoverUsage(folder, recovery).catch((error: unknown) => {
      this.#writeFailed(error, 0, 0)
      this.#retry(async () => this.#recover(folder))
    })
  }

  /** Keeps a segment under another name. Throws if it cannot be kept, so that it is not removed. */
  #keepUnreadable({ file, unreadable }: ReadSegment): void {
    const copy = `${file}.unreadable`
    if (existsSync(copy)) return
    try {
      linkSync(file, copy)
    } catch {
      // Some file systems have no links.
      copyFileSync(file, copy)
    }
    this.#journalUnreadable(unreadable, copy)
  }

  /** Nothing waits for it: the limiter may be away for long. */
  #settleReserved(): void {
    const settle = this.#settleOrphaned
    if (!settle) return
    for (const { calls, remove } of this.#reserved.splice(0))
      orphanedOf(this.#database, calls)
        .then(settle)
        .then(remove, () => {
          this.#reserved.push({ calls, remove })
          clearTimeout(this.#settleTimer)
          this.#settleTimer = setTimeout(() => this.#settleReserved(), retryMs).unref()
        })
  }

  /** Runs the work after a delay, and again until it succeeds. */
  #retry(work: () => Promise<void>): void {
    this.#timer = setTimeout(() => {
      work().catch(() => this.#retry(work))
    }, retryMs).unref()
  }
}

/** Where the lines and the record of an attempt go. */
interface Destination {
  /** Absent if records need not survive the process. */
  readonly journal: Journal | undefined
  /** Of records for the database. */
  readonly queue: Pick<UsageQueue<QueuedRecord>, 'add'>
}

interface QueuedRecord extends WaitingRecord {
  readonly open: OpenRecord
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
    this.#destination.queue.add({ document, open: this })
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
  evict(): void {
    this.#isFinished = true
    if (!this.#isReserved) this.#first?.evict()
    this.#newest?.evict()
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
