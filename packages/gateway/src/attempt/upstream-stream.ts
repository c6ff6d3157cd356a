import { type EventBlock, GatewayError } from '@sluice/contract'
import type { AnyStep } from '../call/canonical.ts'
import { parseLargeAnswer } from '../turns/large-json.ts'
import { readingFailure } from './failures.ts'
import { turn } from '../turns/turn.ts'
import type { Attempt, AttemptAnswer } from './attempt.ts'
import type { Delivery } from './delivery.ts'
import { Guard } from './guard.ts'
import type { StreamReading } from './prepared.ts'
import type { Receiver } from '../call/send.ts'
import { createHeld, type Sink } from '../call/source.ts'
import { splitters } from './splitters.ts'

export interface StreamOptions {
  readonly attempt: Attempt
  readonly reading: StreamReading
  readonly delivered: Delivery
  readonly contentType: string
}

/** Is told what happens to a stream. */
export interface StreamListener {
  skipped(): void
  /**
   * Called with the ids of objects the response has created in the upstream's account. What names them is passed on when they are
   * kept, because the caller may use them at once.
   */
  made(ids: readonly string[]): Promise<void>
  /** Called once, with the first content. From then on no other target can take over. */
  begun(answer: AttemptAnswer): void
  /** Called instead of `begun` if the stream failed before its first content, after the attempt was ended. */
  failed(error: unknown): void
}

/** If no content arrives within this many events, the stream is passed on as it is. */
const preambleMax = 512

/** The rate of a stream is checked after this many bytes, which take a millisecond or two to read. */
const burstBytes = 192 * 1024
/** What a block costs beside its bytes, in bytes. */
const blockBytes = 256
/** A stream that delivers `burstBytes` in less time is a burst, or a response that was buffered before. */
const burstMs = 50

/** How long to wait for data after the terminal event, in milliseconds. */
const trailerMs = 500

/** Where valid events go: unchanged to the caller, or through the codec's reader. */
interface StreamOutput {
  readonly answer: AttemptAnswer
  readonly out: Pick<Sink<never>, 'end' | 'fail'>
  push(blocks: readonly EventBlock[]): void
  /** The stream is complete: delivers what the reader still holds. */
  end(): void
}

/**
 * Processes an upstream's stream event by event: validates, forwards, and ends it in one place. Costs no promise and
 * no timer per event.
 */
export class StreamReceiver implements Omit<Receiver, 'head'> {
  readonly #listener: StreamListener
  readonly #options: StreamOptions
  readonly #guard: Guard
  readonly #way: StreamOutput
  /** Number of blocks so far. */
  #seen = 0
  #isOver = false
  #trailer: NodeJS.Timeout | undefined
  /** Input queued while a large event is parsed in turns or while the stream yields to others. */
  #later: (() => void)[] | undefined
  /** Bytes since the last check of the rate. */
  #bytes = 0
  /** How many ids of what the response created were passed on. */
  #made = 0
  #lookedAtMs = performance.now()

  constructor(listener: StreamListener, options: StreamOptions) {
    const { attempt, reading, delivered } = options
    this.#listener = listener
    this.#options = options
    this.#guard = new Guard({
      splitter: splitters[reading.framing](reading.reader ? undefined : reading.watcher.plain),
      watcher: reading.watcher,
      delivered,
      comments: !reading.reader,
      hidesUsage: reading.hidesUsage,
      listener,
    })
    attempt.delivers(delivered)
    this.#way = reading.reader
      ? translatedWay(attempt, reading, reading.reader)
      : passedWay(options, this.#guard)
  }

  data(piece: Uint8Array): void {
    if (this.#isOver) return
    if (this.#later) {
      this.#later.push(() => this.data(piece))
      return
    }
    try {
      const blocks = this.#guard.split(piece)
      if (blocks.some(isLarge)) void this.#readInTurns(blocks)
      else {
        this.#pass(blocks)
        this.#count(piece.length + blocks.length * blockBytes)
      }
    } catch (thrown) {
      this.#fail(readingFailure(thrown))
    }
  }

  #count(bytes: number): void {
    this.#bytes += bytes
    if (this.#bytes < burstBytes) return
    const now = performance.now()
    const isBurst = now - this.#lookedAtMs < burstMs * (this.#bytes / burstBytes)
    this.#bytes = 0
    this.#lookedAtMs = now
    if (isBurst && !this.#isOver) void this.#yield()
  }

  /** A socket may deliver megabytes at once. Yields so that other requests run in between. Never rejects. */
  async #yield(): Promise<void> {
    const { attempt } = this.#options
    this.#later = []
    attempt.connection?.pause()
    await turn()
    const later = this.#later
    this.#later = undefined
    for (const told of later) told()
    if (!attempt.isPaused && this.#later === undefined) attempt.connection?.resume()
  }

  async #readInTurns(blocks: readonly EventBlock[]): Promise<void> {
    const later: (() => void)[] = []
    this.#later = later
    await parseInTurns(blocks)
    this.#later = undefined
    this.#pass(blocks)
    for (const told of later) told()
  }

  #pass(blocks: readonly EventBlock[]): void {
    if (this.#isOver || this.#options.attempt.isOver) return
    const { events } = this.#guard
    try {
      const sifted = this.#guard.sift(blocks)
      const kept = this.#keepMade()
      if (kept) return void this.#passLater(kept, sifted, events)
      this.#take(sifted)
    } catch (thrown) {
      return this.#fail(readingFailure(thrown))
    }
    this.#passed(events)
  }

  /** Passes blocks on when the ids that they name are kept. Never rejects. */
  async #passLater(
    kept: Promise<void>,
    blocks: readonly EventBlock[],
    events: number,
  ): Promise<void> {
    const later = this.#later ?? []
    this.#later = later
    await kept
    this.#later = undefined
    if (this.#isOver || this.#options.attempt.isOver) return
    try {
      this.#take(blocks)
    } catch (thrown) {
      return this.#fail(readingFailure(thrown))
    }
    this.#passed(events)
    for (const told of later) told()
  }

  /** `events` is the number of events before. */
  #passed(events: number): void {
    // Comments such as keep-alives do not count as progress.
    if (this.#guard.events > events) this.#options.attempt.deadline.progress()
    if (!this.#guard.isTerminated) return
    this.#finish()
    this.#trailer = readToEnd(this.#options.attempt)
  }

  end(): void {
    clearTimeout(this.#trailer)
    if (this.#isOver) return
    if (this.#later) {
      this.#later.push(() => this.end())
      return
    }
    try {
      const blocks = this.#guard.end()
      const kept = this.#keepMade()
      if (kept)
        return void this.#passLater(kept, blocks, this.#guard.events).then(() => this.#finish())
      this.#take(blocks)
    } catch (thrown) {
      return this.#fail(readingFailure(thrown))
    }
    this.#finish()
  }

  fail(error: GatewayError): void {
    clearTimeout(this.#trailer)
    if (this.#later) this.#later.push(() => this.#fail(error))
    else this.#fail(error)
  }

  #take(blocks: readonly EventBlock[]): void {
    if (blocks.length > 0) {
      this.#seen += blocks.length
      this.#way.push(blocks)
      if (this.#guard.hasContent || this.#seen >= preambleMax) this.#begin()
    }
    if (this.#guard.failure) this.#fail(this.#guard.failure)
  }

  #begin(): void {
    const { attempt } = this.#options
    if (attempt.hasBegun) return
    attempt.begin()
    attempt.deadline.wait('idle')
    this.#listener.begun(this.#way.answer)
  }

  #keepMade(): Promise<void> | undefined {
    const made = this.#options.reading.watcher.made?.()
    if (made === undefined || made.length === this.#made) return undefined
    const ids = made.slice(this.#made)
    this.#made = made.length
    return this.#listener.made(ids)
  }

  #finish(): void {
    if (this.#isOver) return
    try {
      this.#way.end()
    } catch (thrown) {
      return this.#fail(readingFailure(thrown))
    }
    this.#isOver = true
    const { attempt } = this.#options
    attempt.complete()
    this.#begin()
    this.#way.out.end()
  }

  #fail(error: GatewayError): void {
    if (this.#isOver) return
    this.#isOver = true
    const { attempt } = this.#options
    const { hasBegun } = attempt
    const shown = attempt.fail(error)
    if (hasBegun) this.#way.out.fail(shown)
    else this.#listener.failed(shown)
  }
}

/** Larger events are scanned for their parsing cost first; very expensive ones, usually images, are parsed in turns. */
const parsedAtOnceMax = 256 * 1024

function isLarge({ raw }: EventBlock): boolean {
  return raw.length > parsedAtOnceMax
}

/** Parses large events in turns and stores the result, so that readers find them parsed. Never rejects. */
async function parseInTurns(blocks: readonly EventBlock[]): Promise<void> {
  for (const block of blocks) {
    if (!isLarge(block)) continue
    await turn()
    if (block.kind !== 'event') continue
    try {
      block.parsed = { value: await parseLargeAnswer(Buffer.from(block.data)) }
    } catch {
      block.parsed = { value: undefined }
    }
  }
  await turn()
}

/** Reads what follows the terminal event, usually nothing, so that the connection can be reused. */
function readToEnd({ connection }: Attempt): NodeJS.Timeout {
  connection?.resume()
  return setTimeout(() => connection?.close(), trailerMs).unref()
}

/** For the caller's own format: passes the bytes on unchanged. */
function passedWay({ attempt, reading, contentType }: StreamOptions, guard: Guard): StreamOutput {
  const { watcher } = reading
  attempt.watch(watcher)
  const out = createHeld<Uint8Array>(valveOf(attempt))
  return {
    out,
    answer: {
      kind: 'passed',
      contentType,
      pieces: out,
      isTerminated: () => guard.isTerminated,
      whole: () => watcher.whole?.(),
    },
    push: (blocks) => out.push(joined(blocks)),
    end() {},
  }
}

/** The bytes of the blocks, which usually lie one after the other. */
function joined(blocks: readonly EventBlock[]): Uint8Array {
  const [first] = blocks
  if (first === undefined || blocks.length === 1) return first?.raw ?? new Uint8Array()
  const { buffer, byteOffset: start } = first.raw
  let end = start
  for (const { raw } of blocks) {
    if (raw.buffer !== buffer || raw.byteOffset !== end)
      return Buffer.concat(blocks.map((block) => block.raw))
    end += raw.length
  }
  return new Uint8Array(buffer, start, end - start)
}

/** For other formats: decodes events into canonical steps. */
function translatedWay(
  attempt: Attempt,
  { watcher }: StreamReading,
  reader: NonNullable<StreamReading['reader']>,
): StreamOutput {
  attempt.watch(watcher)
  const out = createHeld<readonly AnyStep[]>(valveOf(attempt))
  const hand = (steps: readonly AnyStep[]): void => {
    if (steps.length === 0) return
    for (const step of steps) if ('usage' in step) attempt.report(step.usage)
    out.push(steps)
  }
  return {
    out,
    answer: { kind: 'steps', steps: out },
    push(blocks) {
      const [first] = blocks
      hand(
        blocks.length === 1 && first
          ? reader.read(first)
          : blocks.flatMap((block) => reader.read(block)),
      )
    },
    end: () => hand(reader.end()),
  }
}

export function valveOf(attempt: Attempt) {
  return {
    pause: () => attempt.pause(),
    resume: () => attempt.resume(),
    cancel: (error: GatewayError) => attempt.break(error),
  }
}
