import { GatewayError, type OperationName } from '@sluice/contract'
import type { StreamWriter } from '@sluice/protocols'
import type { AttemptAnswer } from './attempt/attempt.ts'
import { type Sink, type Source, through } from './attempt/source.ts'
import type { Call } from './call.ts'
import type { AnyStep } from './canonical.ts'
import { turn } from './turns.ts'

type Pieces = Source<string | Uint8Array>
type Writer = StreamWriter<OperationName>

/** Told once how a stream ended; without an error where it was whole. */
type Settled = (error?: GatewayError) => void

/** Canonical steps in the caller's format; a failure becomes the format's own error event. */
export function writtenSteps(
  steps: Source<readonly AnyStep[]>,
  writer: Writer,
  settled: Settled,
): Pieces {
  return through<readonly AnyStep[], string | Uint8Array>(steps, (sink) => {
    /** What came while large events are being written. */
    let waiting: (() => void)[] | undefined
    const inOrder = (then: () => void): void => {
      if (waiting) waiting.push(then)
      else then()
    }
    /** Sends a text and what comes behind it. True where it is large, and all that follows waits for its turn. */
    const send = (text: string): boolean => {
      const later = writer.later?.() ?? []
      if (later.length === 0 && text.length < largeLengthMin) {
        if (text !== '') sink.push(text)
        return false
      }
      const held: (() => void)[] = []
      waiting = held
      sendLater([() => text, ...later], sink).then(
        () => {
          waiting = undefined
          for (const then of held) inOrder(then)
        },
        (thrown: unknown) => sink.fail(GatewayError.from(thrown)),
      )
      return true
    }
    const write = (batch: readonly AnyStep[]): void => {
      let text = ''
      for (const [index, step] of batch.entries()) {
        text += writer.write(step)
        if (text.length < largeLengthMin) continue
        if (send(text)) return inOrder(() => write(batch.slice(index + 1)))
        text = ''
      }
      if (text !== '') sink.push(text)
    }
    return {
      push(batch) {
        if (waiting) waiting.push(() => write(batch))
        else write(batch)
      },
      end: () =>
        inOrder(() => {
          send(writer.end())
          inOrder(() => {
            settled()
            sink.end()
          })
        }),
      fail: (error) =>
        inOrder(() => {
          send(writer.fail(error))
          settled(error)
          inOrder(() => sink.end())
        }),
    }
  })
}

/** What follows a text of so many UTF-16 units waits for a turn; a writer has something to write later only behind such. */
const largeLengthMin = 512 * 1024

/** So much is said in UTF-8 in one turn, in UTF-16 units: about a millisecond. */
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

/** This place or the next one, where a pair of surrogates would be torn apart. */
function cutAfter(text: string, place: number): number {
  const isInPair = (text.codePointAt(place - 1) ?? 0) > 0xffff
  return Math.min(text.length, isInPair ? place + 1 : place)
}

/** The upstream's own bytes; a failure becomes the format's own error event behind them. */
export function passedPieces(
  { pieces, isTerminated }: Extract<AttemptAnswer, { kind: 'passed' }>,
  { call, writer, settled }: { call: Call; writer: Writer; settled: Settled },
): Pieces {
  writer.passed?.()
  return through<Uint8Array, string | Uint8Array>(pieces, (sink) => ({
    push: (piece) => sink.push(piece),
    end() {
      const { terminal } = call.format
      // A few upstreams leave out the last event after an answer that was whole.
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

/** Media as it comes: half a file can be told from a whole one by its broken connection alone. */
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

/** Keeps a copy of an answer, as one document of its format. Never rejects. */
export type Keep = (document: unknown) => Promise<void>

/** What a stream amounts to as one document, once the event that carries it has passed. */
interface Documented {
  whole?(): unknown
}

/** The pieces, of which the one with the whole document, and what follows it, waits until a copy is kept. */
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
