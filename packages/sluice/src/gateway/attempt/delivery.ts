import { type EventBlock, isObject, listOf, objectOf } from '@sluice/contract'
import type { AnyStep } from '../canonical.ts'

/** So many events are measured from the first on; later ones are taken to be like those that are. */
const firstMeasured = 4
/** Of the others one in so many, a power of two. */
const measuredEvery = 16
const dataFieldLength = 'data: '.length
/** A larger event is measured always: one of these is no example of the others. */
const smallBytesMax = 1_024

/**
 * How much text of an answer has come, should nobody say what it has used. Most events are only counted: what is text in
 * them is seen in a few.
 */
export class Delivery {
  /** Events with content. */
  events = 0
  /** Of small events. */
  #bytes = 0
  #measuredBytes = 0
  #measuredText = 0
  /** Of what was measured for itself. */
  #text = 0

  /** An event with content, as an upstream sent it. */
  see(block: EventBlock): void {
    const { length } = block.raw
    if (this.#count(length)) this.#measure(length, block.data)
  }

  /** The same of one that is known to be a block of plain data, with one character for each byte. */
  seeBlock(block: string): void {
    const { length } = block
    if (!this.#count(length)) return
    const data = Buffer.from(block, 'latin1').toString('utf8', dataFieldLength, length - 2)
    this.#measure(length, data)
  }

  /** Whether the event is to be measured. */
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

  /** A piece of an answer that was made in this process. */
  add(step: AnyStep): void {
    if (!('event' in step)) return
    const bytes = stepBytes(step.event)
    if (bytes === 0) return
    this.events += 1
    this.#text += bytes
  }

  /** The bytes of its texts, thoughts and arguments of calls. */
  get textBytes(): number {
    const share = this.#measuredBytes === 0 ? 0 : this.#measuredText / this.#measuredBytes
    return this.#text + this.#bytes * share
  }
}

/** What the formats call the texts of an answer, and the arguments of its calls. */
const answerText =
  /"(?:content|text|delta|thinking|partial_json|arguments|args|input|reasoning_content|reasoning|refusal|tool_plan|transcript|stringValue)": ?(["{])/g

/** OpenRouter's, which says again what `reasoning` says. */
const saidAgain = '"reasoning_details":'

/** The bytes of texts in an event, whatever its format; linear in its length. */
function textBytes(data: string): number {
  // Events that close something say again what came before, in OpenAI's Responses.
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
      // An empty object is there before the arguments come, or where there are none.
      bytes += Buffer.byteLength(data.slice(start, close))
      answerText.lastIndex = close
    }
  }
  return bytes
}

/** The place of the quote that ends a text. */
function textEnd(data: string, start: number): number {
  for (let at = data.indexOf('"', start); at >= 0; at = data.indexOf('"', at + 1)) {
    let escapes = 0
    while (data[at - 1 - escapes] === '\\') escapes += 1
    if (escapes % 2 === 0) return at
  }
  return data.length
}

/** The place of the brace that ends an object. */
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

/** The bytes of texts in a canonical event: chunks of chat and completions, and transcripts. */
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
