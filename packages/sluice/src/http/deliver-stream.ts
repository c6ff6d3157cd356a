import { GatewayError } from '@sluice/contract'
import type { FastifyReply } from 'fastify'
import type { Sink, Source } from '../gateway/attempt/source.ts'
import type { Answer, Call } from '../gateway/call.ts'
import type { ContentCapture } from '../gateway/content.ts'
import type { Store } from '../ports/store.ts'
import { deliverWhole, dropWhenStalled, type StreamTimes } from './deliver.ts'
import { funnel } from './funnel.ts'
import { type Piece, StreamOutput } from './stream-output.ts'

interface Delivery {
  readonly pending: Promise<Answer>
  readonly times: StreamTimes
  readonly store: Pick<Store, 'recorded'>
}

/**
 * Sends a stream from the wait for its beginning to its end: signs of life while nothing happens, pieces as they come
 * and no faster than the caller takes them. Rejects as long as no status has been written.
 */
export async function deliverStream(
  reply: FastifyReply,
  call: Call,
  { pending, times, store }: Delivery,
): Promise<void> {
  const { writer } = call
  const output = new StreamOutput(reply)
  const pulse = writer && startPulse(output, call, times)
  let source: Source<Piece> | undefined
  try {
    const answer = await pending
    if (answer.kind !== 'stream') {
      await store.recorded()
      deliverWhole(reply, answer, times)
      return
    }
    source = answer.pieces
    output.begin(answer)
    if (output.raw.req.method === 'HEAD') {
      source.cancel(new GatewayError('cancelled', 'Only the head was asked for'))
      output.raw.end()
      return
    }
    // Nobody knows when the first piece of media comes.
    if (!writer) output.raw.flushHeaders()
    await new Promise<void>((over) => {
      const { content } = call
      content?.begin(answer.contentType)
      const options = { ...times, store, pulse, content, over }
      answer.pieces.flow(new CallerSink(output, answer.pieces, options))
    })
  } catch (thrown) {
    const error = funnel(thrown)
    source?.cancel(error)
    if (!output.hasBegun || !writer) throw error
    call.trail.failure = error
    await store.recorded()
    output.end(writer.fail(error))
  } finally {
    pulse?.stop()
  }
}

interface Pulse {
  /** Something else went out just now. */
  beat(): void
  stop(): void
}

/** A sign of life of the format whenever nothing else went out for a while. */
function startPulse(output: StreamOutput, call: Call, { keepAliveMs }: StreamTimes): Pulse {
  const { writer, operation } = call
  // Sound and pictures may come whole although a stream was asked for; only texts are sure to come as one.
  const isSure = operation === 'chat' || operation === 'complete'
  let isQuiet = true
  const timer = setInterval(() => {
    if (writer && isQuiet && (output.hasBegun || isSure) && !output.raw.writableNeedDrain) {
      output.begin({ headers: {}, contentType: writer.contentType })
      output.write(writer.keepAlive)
    }
    isQuiet = true
  }, keepAliveMs)
  return {
    beat() {
      isQuiet = false
    },
    stop: () => clearInterval(timer),
  }
}

interface CallerOptions {
  readonly stalledMs: number
  readonly store: Delivery['store']
  readonly pulse: Pulse | undefined
  /** Where the answer is kept. */
  readonly content: ContentCapture | undefined
  /** Told once everything is handed over, or the caller has left. */
  readonly over: () => void
}

let due: (() => void)[] = []

/**
 * Writes once all that came in this turn of the event loop was read. Reading for many streams in a row and then writing to
 * them in a row finds code in the processor's caches, and wakes a client of several streams once.
 */
function atEndOfTurn(write: () => void): void {
  if (due.push(write) === 1) setImmediate(writeDue)
}

function writeDue(): void {
  const writes = due
  due = []
  for (const write of writes) write()
}

/** The caller's end of a stream: one write for the pieces that come together. */
class CallerSink implements Sink<Piece> {
  readonly #output: StreamOutput
  readonly #source: Source<Piece>
  readonly #options: CallerOptions
  #pieces: Piece[] = []
  #stalled: NodeJS.Timeout | undefined
  #isEnding = false

  constructor(output: StreamOutput, source: Source<Piece>, options: CallerOptions) {
    const { raw } = output
    this.#output = output
    this.#source = source
    this.#options = options
    // Whoever left has also cancelled the call, which ends its stream; a HEAD takes nothing.
    raw.once('close', this.#leave)
    if (raw.destroyed) this.#leave()
  }

  push(piece: Piece): void {
    this.#options.pulse?.beat()
    this.#options.content?.add(piece)
    if (this.#pieces.push(piece) === 1) atEndOfTurn(this.#flush)
  }

  end(): void {
    const recorded = this.#options.store.recorded()
    // What came last goes out with the end.
    this.#isEnding = true
    if (recorded) void recorded.then(this.#end)
    else this.#end()
  }

  readonly #end = (): void => {
    this.#output.end(this.#take())
    dropWhenStalled(this.#output.raw, this.#options.stalledMs)
    this.#finish()
  }

  /** Only media gets here: half a file can be told from a whole one by its broken connection alone. */
  fail(error: Error): void {
    this.#flush()
    this.#output.raw.destroy(error)
    this.#finish()
  }

  #take(): Piece | undefined {
    const pieces = this.#pieces
    if (pieces.length === 0) return undefined
    this.#pieces = []
    if (pieces.length === 1) return pieces[0]
    if (sizeOf(pieces) <= joinedMax) return joined(pieces)
    const last = pieces.pop()
    for (const piece of pieces) if (!this.#output.raw.destroyed) this.#output.write(piece)
    return last
  }

  readonly #flush = (): void => {
    if (this.#isEnding) return
    const piece = this.#take()
    const { raw } = this.#output
    if (piece === undefined || raw.destroyed) return
    if (this.#output.write(piece) || this.#stalled) return
    this.#source.pause()
    // Closing the connection is what a caller who leaves does, and has the same end.
    this.#stalled = setTimeout(() => raw.destroy(), this.#options.stalledMs)
    raw.once('drain', this.#resume)
  }

  readonly #resume = (): void => {
    clearTimeout(this.#stalled)
    this.#stalled = undefined
    this.#source.resume()
  }

  readonly #leave = (): void => {
    this.#pieces = []
    this.#finish()
  }

  #finish(): void {
    clearTimeout(this.#stalled)
    const { raw } = this.#output
    raw.removeListener('close', this.#leave)
    raw.removeListener('drain', this.#resume)
    this.#options.over()
  }
}

/** What is larger together is not worth a copy: in bytes, or in UTF-16 units. */
const joinedMax = 1024 * 1024

function sizeOf(pieces: readonly Piece[]): number {
  let size = 0
  for (const { length } of pieces) size += length
  return size
}

function joined(pieces: readonly Piece[]): Piece {
  if (pieces.every((piece) => typeof piece === 'string')) return pieces.join('')
  return Buffer.concat(
    pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)),
  )
}
