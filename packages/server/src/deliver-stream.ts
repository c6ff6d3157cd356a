import { GatewayError } from '@sluice/contract'
import type { FastifyReply } from 'fastify'
import type { Sink, Source } from '@sluice/gateway/call/source.ts'
import type { Answer, Call } from '@sluice/gateway/call/call.ts'
import type { ContentCapture } from '@sluice/gateway/call/content.ts'
import type { Store } from '@sluice/gateway/ports/store.ts'
import { deliverWhole, dropWhenStalled, type StreamTimes, funnel } from './deliver.ts'
import { type Piece, StreamOutput } from './stream-output.ts'

interface Delivery {
  readonly pending: Promise<Answer>
  readonly times: StreamTimes
  readonly store: Pick<Store, 'recorded'>
}

/**
 * Sends a stream, including the wait for its beginning: keep-alives while nothing happens, and pieces with backpressure.
 * Rejects if no status has been written yet.
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
    // It is unknown when the first piece of media arrives, so the headers are sent now.
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
  /** Reports that something else was sent. */
  beat(): void
  stop(): void
}

/** Sends the format's keep-alive whenever nothing else was sent for `keepAliveMs`. */
function startPulse(output: StreamOutput, call: Call, { keepAliveMs }: StreamTimes): Pulse {
  const { writer, operation } = call
  // Audio and images may arrive as a whole although a stream was requested; only text is certain to be streamed.
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
  /** Set if the response is stored. */
  readonly content: ContentCapture | undefined
  /** Called once, when everything is written or the caller has disconnected. */
  readonly over: () => void
}

let due: (() => void)[] = []

/**
 * Defers writes to the end of the current event loop turn. Reading from many streams in a row and then writing to them in a
 * row uses CPU caches better, and wakes a client with several streams only once.
 */
function atEndOfTurn(write: () => void): void {
  if (due.push(write) === 1) setImmediate(writeDue)
}

function writeDue(): void {
  const writes = due
  due = []
  for (const write of writes) write()
}

/** The sink that writes to the caller. Pieces that arrive together are written at once. */
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
    // A disconnect also cancels the call, which ends its stream. A HEAD request takes no body.
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
    // The last pieces are written together with the end.
    this.#isEnding = true
    if (recorded) void recorded.then(this.#end)
    else this.#end()
  }

  readonly #end = (): void => {
    this.#output.end(this.#take())
    dropWhenStalled(this.#output.raw, this.#options.stalledMs)
    this.#finish()
  }

  /** Only media fails here: a broken connection is the only way to tell the caller that the file is incomplete. */
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
    // Closing the connection has the same effect as a caller that disconnects.
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

/** Larger totals are not copied; in bytes or UTF-16 units. */
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
