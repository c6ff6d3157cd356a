import type { EventBlock, PlainBlock } from '@sluice/contract'
import { canonicalTextBytes } from '@sluice/protocols/event-text.ts'
import type { AnyStep } from '../call/canonical.ts'

/** The first events of a stream are always measured. */
const firstMeasured = 4
/** Of later events only every n-th is measured; a power of two. */
const measuredEvery = 16
/** Larger events are always measured, because the sampled ones are not representative of them. */
const smallBytesMax = 1_024

/**
 * Estimates how much text of a response has been received, in case the upstream never reports usage. Most events are
 * only counted; text is measured in a sample.
 */
export class Delivery {
  /** Number of events with content. */
  events = 0
  /** Total bytes of small events. */
  #bytes = 0
  #measuredBytes = 0
  #measuredText = 0
  /** Text bytes of events that were measured individually. */
  #text = 0
  readonly #textBytesOf: (data: string) => number

  /** `textBytesOf` measures events of an upstream; steps that are produced in this process need none. */
  constructor(textBytesOf: (data: string) => number = () => 0) {
    this.#textBytesOf = textBytesOf
  }

  /** Counts an event with content, as the upstream sent it. */
  see(block: EventBlock): void {
    const { length } = block.raw
    if (this.#count(length)) this.#measure(length, block.data)
  }

  /** The same for plain events, whose texts were measured when they were found. */
  seePlain({ count, textBytes }: PlainBlock): void {
    this.events += count
    this.#text += textBytes
  }

  /** Counts an event and returns whether it should be measured. */
  #count(length: number): boolean {
    this.events += 1
    if (length > smallBytesMax) return true
    this.#bytes += length
    return this.events <= firstMeasured || this.events % measuredEvery === 0
  }

  #measure(length: number, data: string): void {
    if (length > smallBytesMax) {
      this.#text += this.#textBytesOf(data)
      return
    }
    this.#measuredBytes += length
    this.#measuredText += this.#textBytesOf(data)
  }

  /** Counts a step produced in this process. */
  add(step: AnyStep): void {
    if (!('event' in step)) return
    const bytes = canonicalTextBytes(step.event)
    if (bytes === 0) return
    this.events += 1
    this.#text += bytes
  }

  /** Estimated bytes of text, reasoning and tool call arguments. */
  get textBytes(): number {
    const share = this.#measuredBytes === 0 ? 0 : this.#measuredText / this.#measuredBytes
    return this.#text + this.#bytes * share
  }
}
