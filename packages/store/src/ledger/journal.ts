import { close, closeSync, fdatasync, futimes, openSync, unlink, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { UsageRecord } from '@sluice/contract'
import type {
  BudgetReservation,
  NotedUsage,
  UsageBegun,
  UsageEnded,
} from '@sluice/gateway/ports/store.ts'
import { newInstanceName } from './journal-owner.ts'
import { storableJson } from '../bound-values.ts'
import { makeFolder } from '../make-folder.ts'

/** The position of a line. Exactly one of the methods is called, once. */
export interface JournalLine {
  /** The content of the line is in the database. */
  done(): void
  /** Memory no longer holds the line, which must be read again from the file. */
  evict(): void
}

/** A segment with lines that memory no longer holds. */
export interface EvictedSegment {
  readonly file: string
  /** The content of all lines that were only in the file is in the database. */
  evictedDone(): void
}

export interface JournalOptions {
  /** Created if absent. Several processes may use it. */
  readonly folder: string
  /** Called once when writing begins to fail, and again only after it has worked. Default: ignored. */
  readonly failed?: (error: unknown) => void
  /** Size at which a new segment is started. Default 4 MiB. */
  readonly segmentBytes?: number
}

const segmentBytesUsual = 4 * 1024 * 1024
const syncEveryMs = 50
/** The lines of a busy turn of the event loop. */
const bufferBytes = 256 * 1024
/** UTF-8 bytes per UTF-16 unit. */
const bytesPerUnitMax = 3
const retryEveryMs = 1_000
/** Interval for touching the segment: shorter than the silence after which a process is considered dead (journal-owner.ts). */
const heartbeatMs = 15_000

/** Opens a journal beside those of other processes. Throws if the folder cannot be written. */
export function openJournal(options: JournalOptions): Journal {
  return new Journal(options)
}

/**
 * An attempt's record as JSON that every database accepts: its fields and its id, which the database stores only once. It is
 * created once and parsed by whoever writes the row.
 */
export function documentOf(id: string, value: UsageBegun | NotedUsage | UsageRecord): string {
  return `{"id":"${id}",${storableJson(JSON.stringify(value)).slice(1)}`
}

/** The document of a record of which the first fields are a document already. */
export function completed(begun: string, ended: UsageEnded): string {
  return `${begun.slice(0, -1)},${storableJson(JSON.stringify(ended)).slice(1)}`
}

/** Formats lines of the ledger's journal: the kind of line, then the document. */
export const journalLine = {
  begun: (document: string, reservation?: BudgetReservation) =>
    reservation
      ? `B${document.slice(0, -1)},"reservation":${JSON.stringify(reservation)}}`
      : `B${document}`,
  noted: (id: string, usage: NotedUsage) => `N${documentOf(id, usage)}`,
  settled: (document: string) => `S${document}`,
}

/** Counts the unfinished lines. All lines are alike, so the segment serves as the JournalLine of each. */
class Segment implements EvictedSegment, JournalLine {
  readonly file: string
  readonly fd: number
  bytes = 0
  /** Unfinished lines, and how many of them are only in the file. */
  unfinished = 0
  evicted = 0
  isCurrent = true
  #isClosed = false

  constructor(file: string) {
    this.file = file
    this.fd = openSync(file, 'ax', 0o600)
  }

  done(): void {
    this.unfinished -= 1
    this.#removeIfDone()
  }

  evict(): void {
    this.evicted += 1
  }

  evictedDone(): void {
    this.unfinished -= this.evicted
    this.evicted = 0
    this.#removeIfDone()
  }

  /** No more lines are appended. */
  finish(): void {
    this.isCurrent = false
    this.#removeIfDone()
  }

  /** Keeps the file. */
  close(): void {
    this.#isClosed = true
    closeSync(this.fd)
  }

  #removeIfDone(): void {
    if (this.unfinished > 0 || this.isCurrent || this.#isClosed) return
    // Closing may free megabytes of page cache, so it is done asynchronously.
    close(this.fd)
    unlink(this.file, () => {})
  }
}

/**
 * Lines on the local disk that survive a crash until their content is in the database. Appended lines are in the file at the
 * end of the same turn of the event loop, or after `write`. A killed process loses none of them; a power failure loses about
 * the last 50 ms.
 *
 * The lines are stored in segments, files of a few megabytes. A segment is removed when all its lines are done. Disposing
 * keeps those with unfinished lines.
 */
export class Journal implements Disposable {
  readonly #options: Required<JournalOptions>
  /** Unique; see `instanceOf`. */
  readonly name = newInstanceName()
  readonly #heartbeat: NodeJS.Timeout
  #number = 0
  #segments: Segment[] = []
  readonly #buffer = Buffer.allocUnsafeSlow(bufferBytes)
  readonly #writeScheduled = () => {
    this.#isWriteScheduled = false
    this.write()
    this.#written?.resolve()
    this.#written = undefined
  }
  #written: PromiseWithResolvers<void> | undefined
  #current: Segment
  /** Appended but not yet written. */
  #pending = ''
  /** Whether a write at the end of this turn is scheduled. */
  #isWriteScheduled = false
  #syncing: NodeJS.Timeout | undefined
  #retrying: NodeJS.Timeout | undefined
  #failure: unknown

  constructor({ folder, failed = () => {}, segmentBytes = segmentBytesUsual }: JournalOptions) {
    this.#options = { folder, failed, segmentBytes }
    makeFolder(folder, 0o700)
    this.#current = this.#openSegment()
    this.#heartbeat = setInterval(() => {
      const now = Date.now() / 1_000
      futimes(this.#current.fd, now, now, () => {})
    }, heartbeatMs).unref()
  }

  /** Why lines cannot be written at the moment; undefined if they can. */
  get failure(): unknown {
    return this.#failure
  }

  /** Appends a line, which must not contain a line break. */
  append(line: string): JournalLine {
    this.#pending += line
    this.#pending += '\n'
    if (!this.#isWriteScheduled) {
      this.#isWriteScheduled = true
      setImmediate(this.#writeScheduled)
    }
    const segment = this.#current
    segment.unfinished += 1
    return segment
  }

  /**
   * Resolves when the appended lines are in the file; undefined if they already are. All calls in one turn get the same
   * promise.
   */
  written(): Promise<void> | undefined {
    // If writing fails, waiting longer is useless.
    if (this.#pending === '' || !this.#isWriteScheduled) return undefined
    this.#written ??= Promise.withResolvers()
    return this.#written.promise
  }

  /** Writes appended lines now. */
  write(): void {
    if (this.#pending === '') return
    try {
      // A line that was cut when the disk was full is terminated here and ignored when reading.
      if (this.#failure !== undefined) this.#writeText('\n')
      this.#writeText(this.#pending)
    } catch (error) {
      this.#fail(error)
      return
    }
    this.#pending = ''
    this.#failure = undefined
    this.#syncing ??= setTimeout(() => this.#sync(), syncEveryMs).unref()
    if (this.#current.bytes >= this.#options.segmentBytes) this.rotate()
  }

  /** Starts a new segment and returns older ones with lines that are only in the file, oldest first. */
  rotate(): readonly EvictedSegment[] {
    // Pending lines have their places in the current segment.
    this.write()
    if (this.#pending !== '') return []
    const before = this.#current
    try {
      this.#current = this.#openSegment()
    } catch {
      // Keep the current segment; writing to it reports the error.
      return []
    }
    before.finish()
    this.#segments = this.#segments.filter(
      ({ unfinished, isCurrent }) => unfinished > 0 || isCurrent,
    )
    return this.#segments.filter(({ evicted, isCurrent }) => evicted > 0 && !isCurrent)
  }

  [Symbol.dispose](): void {
    this.write()
    clearTimeout(this.#syncing)
    clearTimeout(this.#retrying)
    clearInterval(this.#heartbeat)
    this.#current.finish()
    for (const segment of this.#segments) if (segment.unfinished > 0) segment.close()
  }

  #openSegment(): Segment {
    const number = String(this.#number).padStart(9, '0')
    const segment = new Segment(join(this.#options.folder, `${this.name}~${number}.journal`))
    this.#number += 1
    this.#segments.push(segment)
    return segment
  }

  /** Uses a shared buffer: allocating one per text would cost more than writing it. */
  #writeText(text: string): void {
    const fits = text.length * bytesPerUnitMax <= this.#buffer.length
    const bytes = fits ? this.#buffer : Buffer.from(text)
    const length = fits ? bytes.write(text) : bytes.length
    const segment = this.#current
    for (let from = 0; from < length; ) {
      const written = writeSync(segment.fd, bytes, from, length - from)
      from += written
      segment.bytes += written
    }
  }

  #fail(error: unknown): void {
    if (this.#failure === undefined) this.#options.failed(error)
    this.#failure = error
    clearTimeout(this.#retrying)
    this.#retrying = setTimeout(() => this.write(), retryEveryMs).unref()
  }

  #sync(): void {
    this.#syncing = undefined
    // Not awaited: a slow disk must not delay anything.
    fdatasync(this.#current.fd, () => {})
  }
}
