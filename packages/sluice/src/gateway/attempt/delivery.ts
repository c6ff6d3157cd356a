import { type EventBlock, isObject, listOf, objectOf } from '@sluice/contract'
import type { AnyStep } from '../call/canonical.ts'

/** The first events of a stream are always measured. */
const firstMeasured = 4
/** Of later events only every n-th is measured; a power of two. */
const measuredEvery = 16
const dataFieldLength = 'data: '.length
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

  /** Counts an event with content, as the upstream sent it. */
  see(block: EventBlock): void {
    const { length } = block.raw
    if (this.#count(length)) this.#measure(length, block.data)
  }

  /** As `see`, for a block known to be plain data with one character per byte (latin1). */
  seeBlock(block: string): void {
    const { length } = block
    if (!this.#count(length)) return
    const data = Buffer.from(block, 'latin1').toString('utf8', dataFieldLength, length - 2)
    this.#measure(length, data)
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
      this.#text += textBytes(data)
      return
    }
    this.#measuredBytes += length
    this.#measuredText += textBytes(data)
  }

  /** Counts a step produced in this process. */
  add(step: AnyStep): void {
    if (!('event' in step)) return
    const bytes = stepBytes(step.event)
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

/** Field names of response texts and tool call arguments in all formats. */
const answerText =
  /"(?:content|text|delta|thinking|partial_json|arguments|args|input|reasoning_content|reasoning|refusal|tool_plan|transcript|stringValue)": ?(["{])/g

/** OpenRouter repeats the content of `reasoning` here. */
const saidAgain = '"reasoning_details":'

/** The bytes of text in an event of any format. Linear in its length. */
function textBytes(data: string): number {
  // In OpenAI's Responses, `….done` events repeat earlier content.
  if (/^\{"type": ?"[\w.]+\.done"/.test(data)) return 0
  const again = data.indexOf(saidAgain)
  const end = again >= 0 && data.includes('"reasoning":') ? again : data.length
  answerText.lastIndex = 0
  let bytes = 0
  for (let found = answerText.exec(data); found; found = answerText.exec(data)) {
    const start = answerText.lastIndex
    if (start > end) break
    if (found[1] === '"') {
      const close = textEnd(data, start)
      bytes += Buffer.byteLength(data.slice(start, close))
      answerText.lastIndex = close
    } else if (/"(?:args|input)": ?\{$/.test(found[0])) {
      const close = objectEnd(data, start)
      // The object is empty before the arguments arrive, or if there are none.
      bytes += Buffer.byteLength(data.slice(start, close))
      answerText.lastIndex = close
    }
  }
  return bytes
}

/** The index of the quote that ends a string. */
function textEnd(data: string, start: number): number {
  for (let at = data.indexOf('"', start); at >= 0; at = data.indexOf('"', at + 1)) {
    let escapes = 0
    while (data[at - 1 - escapes] === '\\') escapes += 1
    if (escapes % 2 === 0) return at
  }
  return data.length
}

/** The index of the brace that ends an object. */
function objectEnd(data: string, start: number): number {
  let depth = 1
  for (let at = start; at < data.length; at += 1) {
    const character = data[at]
    if (character === '"') at = textEnd(data, at + 1)
    else if (character === '{') depth += 1
    else if (character === '}') depth -= 1
    if (depth === 0) return at
  }
  return data.length
}

/** The bytes of text in a canonical event: chat and completion chunks, and transcripts. */
function stepBytes(event: Readonly<Record<string, unknown>>): number {
  let bytes = bytesOf(event['delta'])
  for (const choice of listOf(event['choices'])) {
    const { text, delta } = objectOf(choice)
    bytes += bytesOf(text)
    if (isObject(delta)) bytes += deltaBytes(delta)
  }
  return bytes
}

function deltaBytes(delta: Readonly<Record<string, unknown>>): number {
  let bytes =
    bytesOf(delta['content']) + bytesOf(delta['reasoning_content']) + bytesOf(delta['refusal'])
  for (const call of listOf(delta['tool_calls'])) {
    const { function: called, custom } = objectOf(call)
    const { name, arguments: given } = objectOf(called)
    const { name: customName, input } = objectOf(custom)
    bytes += bytesOf(name) + bytesOf(given) + bytesOf(customName) + bytesOf(input)
  }
  return bytes + bytesOf(objectOf(delta['audio'])['transcript'])
}

function bytesOf(text: unknown): number {
  return typeof text === 'string' ? Buffer.byteLength(text) : 0
}
