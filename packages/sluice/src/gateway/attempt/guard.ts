import { type EventBlock, type EventSplitter, formatEvent, GatewayError } from '@sluice/contract'
import type { StreamWatcher } from '@sluice/protocols'
import { Delivery } from './delivery.ts'
import { mendEvent } from './mend-event.ts'

export interface GuardOptions {
  readonly splitter: EventSplitter
  readonly watcher: StreamWatcher
  /** Comments are handed on, which only a format that passes untouched wants. */
  readonly comments: boolean
  /** Leaves out events that are there only because the gateway asked for usage. */
  readonly hidesUsage: boolean
  /** Told of every unreadable block that was skipped. */
  readonly skipped: () => void
}

const nothing: readonly EventBlock[] = []

/** A larger piece is most often more than one event. */
const repeatedBytesMax = 2_048

/**
 * Holds an upstream's stream to its word: what it hands on is readable, and it is over only after the format's terminal
 * event, or regularly after a whole answer. Everything else is a failure: `upstream_cut`, `upstream_garbled`, or the
 * error the upstream itself reported. One unreadable block between good ones is skipped once content has come; before
 * that nothing was promised, so it fails and another target can answer.
 */
export class Guard {
  /** Events that have come so far; comments and what cannot be read are none. */
  events = 0
  /** Something that a caller would see has come. */
  hasContent = false
  /** The format's last event has come. */
  isTerminated = false
  /** What of the answer has come, should nobody say what it has used. */
  readonly delivered = new Delivery()
  /** What went wrong behind the good events of a piece: said once they have been handed on. */
  failure: GatewayError | undefined
  /** The answer is whole, though the terminal event has not come. */
  #isWhole = false
  /** Unreadable blocks in a row. */
  #unreadable = 0
  readonly #options: GuardOptions

  constructor(options: GuardOptions) {
    this.#options = options
  }

  /** What came with a piece, not judged yet. Throws `upstream_garbled` where an event is larger than any may be. */
  split(piece: Uint8Array): readonly EventBlock[] {
    return this.#split(() => this.#options.splitter.push(piece))
  }

  /** The good events of those. Throws where the stream fails before or without any of them. */
  sift(blocks: readonly EventBlock[]): readonly EventBlock[] {
    return this.#sift(blocks)
  }

  /**
   * Whether a piece is one event that repeats the one before with other texts: then it has been counted, and goes on as it
   * is. Most pieces of a stream are.
   */
  repeats(piece: Uint8Array): boolean {
    const { splitter, watcher } = this.#options
    if (!this.hasContent || this.isTerminated || splitter.isBetween !== true) return false
    if (piece.length > repeatedBytesMax || !watcher.repeats) return false
    const block = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength).toString('latin1')
    if (!watcher.repeats(block)) return false
    this.#unreadable = 0
    this.events += 1
    this.delivered.seeBlock(block)
    return true
  }

  /** What was left when the upstream ended its stream. Throws `upstream_cut` where the answer is not whole. */
  end(): readonly EventBlock[] {
    const rest = this.#sift(this.#split(() => this.#options.splitter.end()))
    if (this.isTerminated || this.#isWhole) return rest
    // Nothing closes an answer that was cut, for the error comes behind it.
    const events = rest.filter(({ kind }) => kind !== 'comment')
    if (!this.failure)
      this.#fail(
        new GatewayError(
          'upstream_cut',
          'The upstream ended its stream before the answer was whole',
        ),
        events.length > 0,
      )
    return events
  }

  #split(split: () => readonly EventBlock[]): readonly EventBlock[] {
    try {
      return split()
    } catch (cause) {
      if (!(cause instanceof RangeError)) throw cause
      throw new GatewayError('upstream_garbled', cause.message, { cause })
    }
  }

  /** The same list where all of it is good, as nearly always. */
  #sift(blocks: readonly EventBlock[]): readonly EventBlock[] {
    // Before anything was promised the good events of the same piece are no reason not to try another target.
    const isPromised = this.hasContent
    let good: EventBlock[] | undefined
    for (let index = 0; index < blocks.length; index += 1) {
      const block = blocks[index]
      if (!block) continue
      if (this.isTerminated || this.failure) {
        good ??= blocks.slice(0, index)
        break
      }
      const verdict = this.#judge(block)
      if (verdict === block) {
        good?.push(block)
        continue
      }
      good ??= blocks.slice(0, index)
      if (verdict instanceof GatewayError) this.#fail(verdict, isPromised && good.length > 0)
      else if (verdict) good.push(verdict)
    }
    return good ?? (blocks.length === 0 ? nothing : blocks)
  }

  #fail(error: GatewayError, isLater: boolean): void {
    if (!isLater) throw error
    this.failure = error
  }

  /** The block that is handed on, false for one that is left out, and an error for the end of the stream. */
  #judge(block: EventBlock): EventBlock | false | GatewayError {
    const { watcher, comments, hidesUsage, skipped } = this.#options
    if (block.kind === 'comment') return comments && block
    const verdict = block.kind === 'unreadable' ? 'garbage' : watcher.see(block)
    if (verdict instanceof GatewayError) return verdict
    if (verdict === 'garbage') {
      const mended = mendEvent(block)
      if (mended) return this.#judge(mended)
      this.#unreadable += 1
      skipped()
      return this.hasContent && this.#unreadable < 2
        ? false
        : new GatewayError('upstream_garbled', 'The upstream’s stream cannot be read')
    }
    this.#unreadable = 0
    this.events += 1
    if (verdict !== 'other') this.hasContent = true
    if (verdict === 'content') this.delivered.see(block)
    if (verdict === 'finish') this.#isWhole = true
    if (verdict === 'terminal') this.isTerminated = true
    if (hidesUsage && watcher.usageOnly === true) return false
    return comments && watcher.mended !== undefined ? mendedBlock(block, watcher.mended) : block
  }
}

/** The same event with other data, for a format that passes as bytes. */
function mendedBlock(block: EventBlock, data: string): EventBlock {
  const { event } = block
  return { ...block, data, raw: Buffer.from(formatEvent({ event, data })) }
}
