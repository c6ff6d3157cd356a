import {
  type EventBlock,
  type EventSplitter,
  formatEvent,
  GatewayError,
  PlainBlock,
} from '@sluice/contract'
import type { Delivery } from './delivery.ts'
import type { StreamWatcher } from '@sluice/protocols/protocol.ts'
import { repairEvent } from './repair-event.ts'

export interface GuardOptions {
  readonly splitter: EventSplitter
  readonly watcher: StreamWatcher
  /** Counts the content, for an estimate if usage is never reported. */
  readonly delivered: Pick<Delivery, 'see' | 'seePlain'>
  /** Whether comments are passed on. Only native streams want them. */
  readonly comments: boolean
  /** Whether to drop usage-only events, which exist only because the gateway asked for usage. */
  readonly hidesUsage: boolean
  /** Is told of every unreadable block that was skipped. */
  readonly listener: { skipped(): void }
}

const nothing: readonly EventBlock[] = []

/**
 * Validates an upstream's stream. Only readable events are passed on, and the stream counts as complete only after
 * the format's terminal event or a regular end after a finished response. Anything else fails with `upstream_cut`,
 * `upstream_garbled` or the error the upstream reported. Once content has arrived, a single unreadable block between
 * good ones is skipped; before that it fails the attempt, so that another target can answer.
 */
export class Guard {
  /** Number of events so far; comments and unreadable blocks do not count. */
  events = 0
  /** Whether content visible to the caller has arrived. */
  hasContent = false
  /** Whether the format's terminal event has arrived. */
  isTerminated = false
  /** An error found after good events of the same chunk; raised once those have been passed on. */
  failure: GatewayError | undefined
  /** Whether the response is complete although the terminal event is missing. */
  #isWhole = false
  /** Consecutive unreadable blocks. */
  #unreadable = 0
  readonly #options: GuardOptions

  constructor(options: GuardOptions) {
    this.#options = options
  }

  /** Splits a chunk into blocks without validating them. Throws `upstream_garbled` if an event is too large. */
  split(piece: Uint8Array): readonly EventBlock[] {
    return this.#split(() => this.#options.splitter.push(piece))
  }

  /**
   * Returns the valid events of `blocks`. Throws if the stream fails before any content, or with no valid event to
   * deliver first.
   */
  sift(blocks: readonly EventBlock[]): readonly EventBlock[] {
    return this.#sift(blocks)
  }

  /** Returns what is left when the upstream ends its stream. Throws `upstream_cut` if the response is not complete. */
  end(): readonly EventBlock[] {
    const rest = this.#sift(this.#split(() => this.#options.splitter.end()))
    if (this.isTerminated || this.#isWhole) return rest
    // Do not send closing events for a cut response: an error follows.
    const events = rest.filter(({ kind }) => kind !== 'comment')
    if (!this.failure)
      this.#fail(
        new GatewayError(
          'upstream_cut',
          'The upstream ended its stream before the response was complete',
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

  /** Returns the same array if all blocks are valid, which is almost always the case. */
  #sift(blocks: readonly EventBlock[]): readonly EventBlock[] {
    // If nothing was sent to the caller yet, valid events in this chunk do not prevent a fallback.
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
      else if (verdict instanceof Array) good.push(...verdict)
      else if (verdict) good.push(verdict)
    }
    return good ?? (blocks.length === 0 ? nothing : blocks)
  }

  #fail(error: GatewayError, isLater: boolean): void {
    if (!isLater) throw error
    this.failure = error
  }

  /** Returns the block to pass on, false to drop it, or an error that ends the stream. */
  #judge(block: EventBlock): EventBlock | readonly EventBlock[] | false | GatewayError {
    const { watcher, delivered, comments, hidesUsage, listener } = this.#options
    if (block instanceof PlainBlock) return this.#passPlain(block)
    if (block.kind === 'comment') return comments && block
    const verdict = block.kind === 'unreadable' ? 'garbage' : watcher.see(block)
    if (verdict instanceof GatewayError) return verdict
    if (verdict === 'garbage') {
      // Some keep a stream open with events that say nothing; clients that read each as JSON would fail.
      if (block.kind === 'event' && block.data.trim() === '') return false
      const repaired = repairEvent(block)
      if (repaired) return this.#judge(repaired)
      this.#unreadable += 1
      listener.skipped()
      return this.hasContent && this.#unreadable < 2
        ? false
        : new GatewayError('upstream_garbled', 'The upstream’s stream cannot be read')
    }
    this.#unreadable = 0
    this.events += 1
    if (verdict !== 'other') this.hasContent = true
    if (verdict === 'content') delivered.see(block)
    if (verdict === 'finish') this.#isWhole = true
    if (verdict === 'terminal') this.isTerminated = true
    if (hidesUsage && watcher.usageOnly === true) return false
    return comments && watcher.repaired !== undefined
      ? repairedBlock(block, watcher.repaired)
      : block
  }

  /** Until the watcher knows what they belong to, plain events are judged one by one. None of them fails. */
  #passPlain(block: PlainBlock): EventBlock | readonly EventBlock[] {
    const { watcher, delivered } = this.#options
    const seen: EventBlock[] = []
    for (let rest: PlainBlock | undefined = block; rest; ) {
      if (watcher.pass?.(rest) !== false) {
        this.#unreadable = 0
        this.events += rest.count
        this.hasContent = true
        delivered.seePlain(rest)
        if (rest === block) return block
        return [...seen, rest]
      }
      const [first, others]: readonly [EventBlock, PlainBlock | undefined] = rest.split(
        watcher.textBytes,
      )
      seen.push(...this.#sift([first]))
      rest = others
    }
    return seen
  }
}

/** The same event with replaced data, for native streams. */
function repairedBlock(block: EventBlock, data: string): EventBlock {
  const { event } = block
  return { ...block, data, raw: Buffer.from(formatEvent({ event, data })) }
}
