import { GatewayError, type OperationName } from '@sluice/contract'
import type { StreamWriter } from '@sluice/protocols/client-format.ts'
import type { AttemptAnswer } from '../attempt/attempt.ts'
import { type Sink, type Source, through } from '../call/source.ts'
import type { Call } from '../call/call.ts'
import type { AnyStep } from '../call/canonical.ts'
import { turn } from '../turns/turn.ts'

type Pieces = Source<string | Uint8Array>
type Writer = StreamWriter<OperationName>

/** Called once when a stream has ended; without an error if it was complete. */
type Settled = (error?: GatewayError) => void

/** Writes canonical steps in the caller's format. A failure becomes the format's own error event. */
export function writtenSteps(
  steps: Source<readonly AnyStep[]>,
  writer: Writer,
  settled: Settled,
): Pieces {
  return through<readonly AnyStep[], string | Uint8Array>(
    steps,
    (sink) => new StepWriting(steps, { writer, settled, sink }),
  )
}

interface Writing {
  readonly writer: Writer
  readonly settled: Settled
  readonly sink: Sink<string | Uint8Array>
}

class StepWriting implements Sink<readonly AnyStep[]> {
  readonly #steps: Source<readonly AnyStep[]>
  readonly #writing: Writing
  /** Input queued while large events are written. */
  #waiting: (() => void)[] | undefined
  #isBroken = false

  constructor(steps: Source<readonly AnyStep[]>, writing: Writing) {
    this.#steps = steps
    this.#writing = writing
  }

  push(batch: readonly AnyStep[]): void {
    if (this.#waiting) this.#inOrder(() => this.#write(batch))
    else if (!this.#isBroken) this.#write(batch)
  }

  end(): void {
    const { writer, settled, sink } = this.#writing
    this.#inOrder(() => {
      this.#send(writer.end())
      this.#inOrder(() => {
        settled()
        sink.end()
      })
    })
  }

  fail(error: GatewayError): void {
    const { writer, settled, sink } = this.#writing
    this.#inOrder(() => {
      this.#send(writer.fail(error))
      settled(error)
      this.#inOrder(() => sink.end())
    })
  }

  #inOrder(then: () => void): void {
    if (this.#isBroken) return
    if (this.#waiting) this.#waiting.push(then)
    else then()
  }

  #write(batch: readonly AnyStep[]): void {
    const { writer, sink } = this.#writing
    let text = ''
    let written = 0
    for (const step of batch) {
      text += writer.write(step)
      written += 1
      if (text.length < largeLengthMin) continue
      const rest = batch.slice(written)
      if (this.#send(text)) return this.#inOrder(() => this.#write(rest))
      text = ''
    }
    if (text !== '') sink.push(text)
  }

  /**
   * Sends a text and what the writer has deferred. Returns true if the text is large; everything that follows then
   * waits.
   */
  #send(text: string): boolean {
    const { writer, sink } = this.#writing
    const later = writer.later?.() ?? []
    if (later.length === 0 && text.length < largeLengthMin) {
      if (text !== '') sink.push(text)
      return false
    }
    const held: (() => void)[] = []
    this.#waiting = held
    sendLater([() => text, ...later], sink)
      .then(() => {
        this.#waiting = undefined
        for (const then of held) this.#inOrder(then)
      })
      .catch((thrown: unknown) => this.#breakOff(thrown))
    return true
  }

  /** For errors thrown in a later turn: nothing else catches them, and the caller would wait forever. */
  #breakOff(thrown: unknown): void {
    const { writer, settled, sink } = this.#writing
    this.#isBroken = true
    const error = GatewayError.from(thrown)
    this.#steps.cancel(error)
    sink.push(writer.fail(error))
    settled(error)
    sink.end()
  }
}

/**
 * After a text of this many UTF-16 units the stream yields to other requests. A writer defers output only behind such
 * a text.
 */
const largeLengthMin = 512 * 1024

/** UTF-16 units encoded to UTF-8 per turn: about a millisecond. */
const stretchLength = 512 * 1024

async function sendLater(
  later: readonly (() => string)[],
  sink: Pick<Sink<string | Uint8Array>, 'push'>,
): Promise<void> {
  for (const write of later) {
    await turn()
    const text = write()
    for (let at = 0, end = 0; at < text.length; at = end) {
      end = cutAfter(text, at + stretchLength)
      if (at > 0) await turn()
      sink.push(Buffer.from(text.slice(at, end)))
    }
  }
  await turn()
}

/** Returns `place`, or the next index if `place` would split a surrogate pair. */
function cutAfter(text: string, place: number): number {
  const isInPair = (text.codePointAt(place - 1) ?? 0) > 0xffff
  return Math.min(text.length, isInPair ? place + 1 : place)
}

/** Passes the upstream's bytes on unchanged. A failure appends the format's own error event. */
export function passedPieces(
  { pieces, isTerminated }: Extract<AttemptAnswer, { kind: 'passed' }>,
  { call, writer, settled }: { call: Call; writer: Writer; settled: Settled },
): Pieces {
  writer.passed?.()
  return through<Uint8Array, string | Uint8Array>(pieces, (sink) => ({
    push: (piece) => sink.push(piece),
    end() {
      const { terminal } = call.format
      // A few upstreams omit the terminal event after a complete response.
      if (terminal !== undefined && !isTerminated()) sink.push(terminal)
      settled()
      sink.end()
    },
    fail(error) {
      settled(error)
      sink.push(writer.fail(error))
      sink.end()
    },
  }))
}

/**
 * Passes media on unchanged. A failure must break the connection: nothing else tells the caller that the file is
 * incomplete.
 */
export function watchedPieces(pieces: Source<Uint8Array>, settled: Settled): Source<Uint8Array> {
  return through<Uint8Array, Uint8Array>(pieces, (sink) => ({
    push: (piece) => sink.push(piece),
    end() {
      settled()
      sink.end()
    },
    fail(error) {
      settled(error)
      sink.fail(error)
    },
  }))
}

/** Stores a copy of a response as one document of its format. Never rejects. */
export type Keep = (document: unknown) => Promise<void>

/** Provides the whole document of a stream once the event that carries it has been received. */
interface Documented {
  whole?(): unknown
}

/** Holds back the piece with the whole document, and what follows it, until a copy is stored. */
export function keptPieces(pieces: Pieces, documented: Documented, keep: Keep | undefined): Pieces {
  if (!keep) return pieces
  return through<string | Uint8Array, string | Uint8Array>(pieces, (sink) => {
    let waiting: (() => void)[] | undefined
    let isKept = false
    const inTurn = (step: () => void): void => {
      const document = isKept ? undefined : documented.whole?.()
      if (document !== undefined) {
        isKept = true
        const held: (() => void)[] = []
        waiting = held
        void keep(document).then(() => {
          waiting = undefined
          for (const one of held) one()
        })
      }
      if (waiting) waiting.push(step)
      else step()
    }
    return {
      push: (piece) => inTurn(() => sink.push(piece)),
      end: () => inTurn(() => sink.end()),
      fail: (error) => inTurn(() => sink.fail(error)),
    }
  })
}
