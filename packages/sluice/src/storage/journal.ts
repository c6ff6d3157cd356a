import { close, closeSync, fdatasync, futimes, openSync, unlink, writeSync } from 'node:fs'
import { join } from 'node:path'
import { newInstanceName } from './journal-owner.ts'
import { makeFolder } from './make-folder.ts'

/**
 * Lines on the local disk that outlive this process, until what they say is in the database. What was appended is in the
 * file at the end of the same turn of the event loop, or after `write`: a killed process loses nothing of it, and a power
 * cut what came in the last 50 ms or so.
 *
 * The lines stand in segments, files of a few megabytes. A segment goes when each of its lines is done. Disposing leaves
 * those in which something is not.
 */
export interface Journal extends Disposable {
  /** Appends a line; it has no line break. */
  append(line: string): Place
  /** Writes what was appended now. */
  write(): void
  /** Until what was appended is in the file; undefined where it is. Of one turn it is the same promise. */
  written(): Promise<void> | undefined
  /** Why lines cannot be written for now; undefined while they can. */
  readonly failure: unknown
  /** Goes on in a new segment, and returns the older ones in which lines were left, oldest first. */
  turn(): readonly LeftSegment[]
}

/** Where a line stands. It is told one of both, once. */
export interface Place {
  /** What the line says is in the database. */
  done(): void
  /** Nobody here remembers the line: it has to be read again from the file. */
  leave(): void
}

export interface LeftSegment {
  readonly file: string
  /** The lines that were left are done. */
  leftDone(): void
}

export interface JournalOptions {
  /** Made when absent. Several processes may use it. */
  readonly folder: string
  /** Told when lines cannot be written, once until they can. Default: nobody is told. */
  readonly failed?: (error: unknown) => void
  /** When a segment is long enough. Default 4 MiB. */
  readonly segmentBytes?: number
}

const segmentBytesUsual = 4 * 1024 * 1024
const syncEveryMs = 50
const bufferBytes = 64 * 1024
/** In UTF-8, of a unit of a string. */
const bytesPerUnitMax = 3
const retryEveryMs = 1_000
/** More often than others take a silent process for dead; see journal-owner.ts. */
const signEveryMs = 15_000

/** Begins a journal of its own beside those of other processes. Throws where the folder cannot be written. */
export function openJournal(options: JournalOptions): Journal {
  return new SegmentedJournal(options)
}

/** Counts its lines: all of them are alike, so that it is the place of each. */
class Segment implements LeftSegment, Place {
  readonly file: string
  readonly fd: number
  bytes = 0
  /** Lines that are not done, and how many of them were left. */
  open = 0
  left = 0
  isCurrent = true

  constructor(file: string) {
    this.file = file
    this.fd = openSync(file, 'ax', 0o600)
  }

  done(): void {
    this.open -= 1
    this.#removeIfDone()
  }

  leave(): void {
    this.left += 1
  }

  leftDone(): void {
    this.open -= this.left
    this.left = 0
    this.#removeIfDone()
  }

  /** Nothing more is appended. */
  finish(): void {
    this.isCurrent = false
    this.#removeIfDone()
  }

  #removeIfDone(): void {
    if (this.open > 0 || this.isCurrent) return
    // Megabytes of the page cache go with it, which would hold up this thread.
    close(this.fd)
    unlink(this.file, () => {})
  }
}

class SegmentedJournal implements Journal {
  readonly #options: Required<JournalOptions>
  readonly #instance = newInstanceName()
  readonly #signing: NodeJS.Timeout
  #number = 0
  #segments: Segment[] = []
  readonly #buffer = Buffer.allocUnsafeSlow(bufferBytes)
  readonly #writeArranged = () => {
    this.#isArranged = false
    this.write()
    this.#waited?.resolve()
    this.#waited = undefined
  }
  #waited: PromiseWithResolvers<void> | undefined
  #current: Segment
  /** Appended and not written. */
  #pending = ''
  /** A write at the end of this turn is arranged for. */
  #isArranged = false
  #syncing: NodeJS.Timeout | undefined
  #retrying: NodeJS.Timeout | undefined
  #failure: unknown

  constructor({ folder, failed = () => {}, segmentBytes = segmentBytesUsual }: JournalOptions) {
    this.#options = { folder, failed, segmentBytes }
    makeFolder(folder, 0o700)
    this.#current = this.#begin()
    this.#signing = setInterval(() => {
      const now = Date.now() / 1_000
      futimes(this.#current.fd, now, now, () => {})
    }, signEveryMs).unref()
  }

  get failure(): unknown {
    return this.#failure
  }

  append(line: string): Place {
    this.#pending += line
    this.#pending += '\n'
    if (!this.#isArranged) {
      this.#isArranged = true
      setImmediate(this.#writeArranged)
    }
    const segment = this.#current
    segment.open += 1
    return segment
  }

  written(): Promise<void> | undefined {
    // Where it cannot be written, waiting any longer is no use.
    if (this.#pending === '' || !this.#isArranged) return undefined
    this.#waited ??= Promise.withResolvers()
    return this.#waited.promise
  }

  write(): void {
    if (this.#pending === '') return
    try {
      // What was written of a line before the disk was full is a line of its own, which nobody can read.
      if (this.#failure !== undefined) this.#writeText('\n')
      this.#writeText(this.#pending)
    } catch (error) {
      this.#fail(error)
      return
    }
    this.#pending = ''
    this.#failure = undefined
    this.#syncing ??= setTimeout(() => this.#sync(), syncEveryMs).unref()
    if (this.#current.bytes >= this.#options.segmentBytes) this.turn()
  }

  turn(): readonly LeftSegment[] {
    // Lines that wait to be written have their places in the segment of today.
    this.write()
    const before = this.#current
    try {
      this.#current = this.#begin()
    } catch {
      // The old one does for now: writing to it says what is wrong.
      return []
    }
    before.finish()
    this.#segments = this.#segments.filter(({ open, isCurrent }) => open > 0 || isCurrent)
    return this.#segments.filter(({ left, isCurrent }) => left > 0 && !isCurrent)
  }

  [Symbol.dispose](): void {
    this.write()
    clearTimeout(this.#syncing)
    clearTimeout(this.#retrying)
    clearInterval(this.#signing)
    this.#current.finish()
    for (const segment of this.#segments) if (segment.open > 0) closeSync(segment.fd)
  }

  #begin(): Segment {
    const number = String(this.#number).padStart(9, '0')
    const segment = new Segment(join(this.#options.folder, `${this.#instance}~${number}.journal`))
    this.#number += 1
    this.#segments.push(segment)
    return segment
  }

  /** A buffer for each text would cost more than writing it. */
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
    // Not waited for: a disk that is slow to say that it has the bytes holds up nobody.
    fdatasync(this.#current.fd, () => {})
  }
}
