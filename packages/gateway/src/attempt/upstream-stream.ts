import { type EventBlock, GatewayError } from '@sluice/contract'
import type { AnyStep } from '../call/canonical.ts'
import { parseLargeAnswer } from '../turns/large-json.ts'
import { readingFailure } from './failures.ts'
import { turn } from '../turns/turn.ts'
import type { Attempt, AttemptAnswer } from './attempt.ts'
import { Guard } from './guard.ts'
import type { StreamReading } from './prepared.ts'
import type { Receiver } from '../call/send.ts'
import { createHeld, type Sink } from '../call/source.ts'
import { splitters } from './splitters.ts'

export interface StreamOptions {
  readonly attempt: Attempt
  readonly reading: StreamReading
  readonly contentType: string
}

/** Is told what happens to a stream. */
export interface StreamListener {
  skipped(): void
  /** Called with the ids of objects the response has created in the upstream's account. */
  made(ids: readonly string[]): void
  /** Called once, with the first content. From then on no other target can take over. */
  begun(answer: AttemptAnswer): void
  /** Called instead of `begun` if the stream failed before its first content, after the attempt was ended. */
  failed(error: unknown): void
}

/** If no content arrives within this many events, the stream is passed on as it is. */
const preambleMax = 512

/** The event rate is checked every this many blocks. */
const burstBlocks = 64
/** A stream that delivers `burstBlocks` blocks in less time is a burst, or a response that was buffered before. */
const burstMs = 50

/** How long to wait for data after the terminal event, in milliseconds. */
const trailerMs = 500

/** Where valid events go: unchanged to the caller, or through the codec's reader. */
interface StreamOutput {
  readonly answer: AttemptAnswer
  readonly out: Pick<Sink<never>, 'end' | 'fail'>
  push(blocks: readonly EventBlock[], piece: Uint8Array): void
  /** Passes a chunk that needs no further inspection; absent where every event must be decoded. */
  pass?(piece: Uint8Array): void
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
  /** Blocks since the last check of the event rate. */
  #blocks = 0
  /** How many ids of what the response created were passed on. */
  #made = 0
  #lookedAtMs = performance.now()

  constructor(listener: StreamListener, options: StreamOptions) {
    const { attempt, reading } = options
    this.#listener = listener
    this.#options = options
    this.#guard = new Guard({
      splitter: splitters[reading.framing](),
      watcher: reading.watcher,
      comments: !reading.reader,
      hidesUsage: reading.hidesUsage,
      listener,
    })
    attempt.delivers(this.#guard.delivered)
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
    if (this.#way.pass && this.#guard.repeats(piece)) {
      this.#seen += 1
      this.#way.pass(piece)
      this.#options.attempt.deadline.progress()
      this.#count(1)
      return
    }
    try {
      const blocks = this.#guard.split(piece)
      if (blocks.some(isLarge)) void this.#readInTurns(blocks, piece)
      else {
        this.#pass(blocks, piece)
        this.#count(blocks.length)
      }
    } catch (thrown) {
      this.#fail(readingFailure(thrown))
    }
  }

  #count(blocks: number): void {
    this.#blocks += blocks
    if (this.#blocks < burstBlocks) return
    const now = performance.now()
    const isBurst = now - this.#lookedAtMs < burstMs * (this.#blocks / burstBlocks)
    this.#blocks = 0
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

  async #readInTurns(blocks: readonly EventBlock[], piece: Uint8Array): Promise<void> {
    const later: (() => void)[] = []
    this.#later = later
    await parseInTurns(blocks)
    this.#later = undefined
    this.#pass(blocks, piece)
    for (const told of later) told()
  }

  #pass(blocks: readonly EventBlock[], piece: Uint8Array): void {
    if (this.#isOver || this.#options.attempt.isOver) return
    const { events } = this.#guard
    try {
      this.#take(this.#guard.sift(blocks), piece)
    } catch (thrown) {
      return this.#fail(readingFailure(thrown))
    }
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
      this.#take(this.#guard.end(), new Uint8Array())
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

  #take(blocks: readonly EventBlock[], piece: Uint8Array): void {
    if (blocks.length > 0) {
      this.#seen += blocks.length
      this.#way.push(blocks, piece)
      if (this.#guard.hasContent || this.#seen >= preambleMax) this.#begin()
    }
    if (this.#guard.failure) this.#fail(this.#guard.failure)
  }

  #begin(): void {
    const { attempt } = this.#options
    if (attempt.hasBegun) return
    attempt.begin()
    attempt.deadline.wait('idle')
    // A caller may use an id as soon as the stream has ended.
    this.#rememberMade()
    this.#listener.begun(this.#way.answer)
  }

  #rememberMade(): void {
    const { reading } = this.#options
    const ids = (reading.watcher.made?.() ?? []).slice(this.#made)
    this.#made += ids.length
    if (ids.length > 0) this.#listener.made(ids)
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
    this.#rememberMade()
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
    push: (blocks, piece) => out.push(joined(blocks, piece)),
    pass: (piece) => out.push(piece),
    end() {},
  }
}

/** The bytes of the blocks, which usually are exactly those of the chunk. */
function joined(blocks: readonly EventBlock[], piece: Uint8Array): Uint8Array {
  const [first] = blocks
  if (blocks.length === 1 && first) return first.raw
  let length = 0
  for (const { raw } of blocks) length += raw.length
  const isPiece =
    first?.raw.buffer === piece.buffer &&
    first.raw.byteOffset === piece.byteOffset &&
    length === piece.length
  return isPiece ? piece : Buffer.concat(blocks.map(({ raw }) => raw))
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
