import type { ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'
import { GatewayError } from '@sluice/contract'
import type { Sink, Source } from '../gateway/attempt/source.ts'
import type { Answer, Call } from '../gateway/call.ts'
import { deliverWhole, dropWhenStalled, startStream, type StreamTimes } from './deliver.ts'
import { funnel } from './funnel.ts'

type Piece = string | Uint8Array

/**
 * Sends a stream from the wait for its beginning to its end: signs of life while nothing happens, pieces as they come
 * and no faster than the caller takes them. Rejects as long as no status has been written.
 */
export async function deliverStream(
  reply: FastifyReply,
  call: Call,
  { pending, times }: { readonly pending: Promise<Answer>; readonly times: StreamTimes },
): Promise<void> {
  const { writer } = call
  const pulse = writer && startPulse(reply, call, times)
  let source: Source<Piece> | undefined
  try {
    const answer = await pending
    if (answer.kind !== 'stream') {
      deliverWhole(reply, answer, times)
      return
    }
    source = answer.pieces
    const raw = startStream(reply, answer)
    if (raw.req.method === 'HEAD') {
      source.cancel(new GatewayError('cancelled', 'Only the head was asked for'))
      raw.end()
      return
    }
    // Nobody knows when the first piece of media comes.
    if (!writer) raw.flushHeaders()
    await new Promise<void>((over) => {
      answer.pieces.flow(
        new CallerSink(raw, answer.pieces, { stalledMs: times.stalledMs, pulse, over }),
      )
    })
  } catch (thrown) {
    const error = funnel(thrown)
    source?.cancel(error)
    if (!reply.raw.headersSent || !writer) throw error
    reply.raw.end(writer.fail(error))
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
function startPulse(reply: FastifyReply, call: Call, { keepAliveMs }: StreamTimes): Pulse {
  const { writer, operation } = call
  // Sound and pictures may come whole although a stream was asked for; only texts are sure to come as one.
  const isSure = operation === 'chat' || operation === 'complete'
  let isQuiet = true
  const timer = setInterval(() => {
    const { raw } = reply
    if (writer && isQuiet && (raw.headersSent || isSure) && !raw.writableNeedDrain)
      startStream(reply, { headers: {}, contentType: writer.contentType }).write(writer.keepAlive)
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
  readonly pulse: Pulse | undefined
  /** Told once everything is handed over, or the caller has left. */
  readonly over: () => void
}

/** The caller's end of a stream: one write for the pieces that come together. */
class CallerSink implements Sink<Piece> {
  readonly #raw: ServerResponse
  readonly #source: Source<Piece>
  readonly #options: CallerOptions
  #pieces: Piece[] = []
  #stalled: NodeJS.Timeout | undefined

  constructor(raw: ServerResponse, source: Source<Piece>, options: CallerOptions) {
    this.#raw = raw
    this.#source = source
    this.#options = options
    // Whoever left has also cancelled the call, which ends its stream; a HEAD takes nothing.
    raw.once('close', this.#leave)
    if (raw.destroyed) this.#leave()
  }

  push(piece: Piece): void {
    this.#options.pulse?.beat()
    if (this.#pieces.push(piece) === 1) process.nextTick(this.#flush)
  }

  end(): void {
    const rest = this.#take()
    if (rest === undefined) this.#raw.end()
    else this.#raw.end(rest)
    dropWhenStalled(this.#raw, this.#options.stalledMs)
    this.#finish()
  }

  /** Only media gets here: half a file can be told from a whole one by its broken connection alone. */
  fail(error: Error): void {
    this.#flush()
    this.#raw.destroy(error)
    this.#finish()
  }

  #take(): Piece | undefined {
    const pieces = this.#pieces
    if (pieces.length === 0) return undefined
    this.#pieces = []
    return pieces.length === 1 ? pieces[0] : joined(pieces)
  }

  readonly #flush = (): void => {
    const piece = this.#take()
    if (piece === undefined || this.#raw.destroyed) return
    if (this.#raw.write(piece) || this.#stalled) return
    this.#source.pause()
    // Closing the connection is what a caller who leaves does, and has the same end.
    this.#stalled = setTimeout(() => this.#raw.destroy(), this.#options.stalledMs)
    this.#raw.once('drain', this.#resume)
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
    this.#raw.removeListener('close', this.#leave)
    this.#raw.removeListener('drain', this.#resume)
    this.#options.over()
  }
}

function joined(pieces: readonly Piece[]): Piece {
  if (pieces.every((piece) => typeof piece === 'string')) return pieces.join('')
  return Buffer.concat(
    pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)),
  )
}
