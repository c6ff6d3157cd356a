import { createAppend } from './append.ts'
import type { EventBlock, EventSplitter } from './sse.ts'

/** A longer element is rejected as garbage; a large one contains a base64 image or video. */
const elementBytesMax = 32 * 1024 * 1024

const quote = 34
const comma = 44
const openBracket = 91
const backslash = 92
const closeBracket = 93
const openBrace = 123
const closeBrace = 125

/** The bracket that a stream left out. */
const closing: EventBlock = {
  raw: Uint8Array.of(closeBracket),
  kind: 'comment',
  event: '',
  data: '',
}

function isSpace(byte: number): boolean {
  return byte === 32 || byte === 10 || byte === 13 || byte === 9
}

/**
 * Splits a JSON array that is written element by element (Gemini without `alt=sse`): every element becomes one event as soon
 * as its last byte has arrived, however the stream is cut into pieces. The bracket, comma and white space before an element
 * belong to its `raw`; the closing bracket is a comment, so that the bytes can be sent on unchanged. A document that is not an
 * array, such as a single error object, is one element. An element without its end is `unreadable`, and so is an end without
 * an element. `end` adds the closing bracket if it is missing. Throws RangeError if one element is larger than 32 MiB.
 */
export function createJsonArraySplitter(): EventSplitter {
  return new JsonArraySplitter()
}

class JsonArraySplitter implements EventSplitter {
  readonly #append = createAppend()
  #pending: Uint8Array = new Uint8Array()
  #scanned = 0
  /** Where the element begins in `#pending`, or -1 between elements. */
  #start = -1
  #depth = 0
  #inString = false
  #array: 'before' | 'inside' | 'after' = 'before'

  push(piece: Uint8Array): readonly EventBlock[] {
    this.#pending = this.#append(this.#pending, piece)
    if (this.#pending.length > elementBytesMax)
      throw new RangeError('An element is larger than 32 MiB')
    const found: EventBlock[] = []
    while (this.#scanned < this.#pending.length) {
      const byte = this.#pending[this.#scanned] ?? 0
      const block = this.#start < 0 ? this.#between(byte) : this.#inside(byte)
      if (block !== undefined) found.push(block)
    }
    return found
  }

  end(): readonly EventBlock[] {
    const isScalar = !this.#inString && this.#depth === 0
    const kind = this.#start < 0 ? 'comment' : isScalar ? 'event' : 'unreadable'
    const rest = this.#pending.length === 0 ? [] : [this.#take(this.#pending.length, kind)]
    return this.#array === 'inside' ? [...rest, closing] : rest
  }

  /** Reads one byte between elements. */
  #between(byte: number): EventBlock | undefined {
    if (byte === openBracket && this.#array === 'before') this.#array = 'inside'
    else if (byte === closeBracket && this.#array === 'inside') {
      this.#array = 'after'
      return this.#take(this.#scanned + 1, 'comment')
    } else if (!isSpace(byte) && !(byte === comma && this.#array === 'inside')) {
      // It ends something that has not begun, and would otherwise become an empty element again and again.
      if (byte === comma || byte === closeBracket || byte === closeBrace)
        return this.#take(this.#scanned + 1, 'unreadable')
      this.#start = this.#scanned
      return undefined
    }
    this.#scanned += 1
    return undefined
  }

  /** Reads one byte of an element. */
  #inside(byte: number): EventBlock | undefined {
    if (this.#inString) {
      if (byte === backslash) this.#scanned += 1
      else if (byte === quote) this.#inString = false
    } else if (byte === quote) this.#inString = true
    else if (byte === openBrace || byte === openBracket) this.#depth += 1
    else if (byte === closeBrace || byte === closeBracket) {
      // At depth 0 it closes the array after a number or a word.
      if (this.#depth === 0) return this.#take(this.#scanned, 'event')
      this.#depth -= 1
      if (this.#depth === 0) return this.#take(this.#scanned + 1, 'event')
    } else if (byte === comma && this.#depth === 0) return this.#take(this.#scanned, 'event')
    this.#scanned += 1
    return undefined
  }

  #take(end: number, kind: EventBlock['kind']): EventBlock {
    const raw = this.#pending.subarray(0, end)
    const data = this.#start < 0 ? '' : text(this.#pending.subarray(this.#start, end))
    this.#pending = this.#pending.subarray(end)
    this.#scanned = 0
    this.#start = -1
    this.#depth = 0
    this.#inString = false
    return { raw, kind, event: '', data }
  }
}

function text(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
}

/** Writes a JSON array element by element. */
interface JsonArrayWriter {
  /** Returns the text that adds one element, given as JSON. */
  element(json: string): string
  /** Returns the text that closes the array. */
  end(): string
  /** Called if the bracket and an element were already sent by others. */
  passed(): void
}

/** White space, which is allowed between the elements of a JSON array. It keeps a silent connection open. */
export const keepAliveSpace = '\n'

export function createJsonArrayWriter(): JsonArrayWriter {
  let hasElements = false
  return {
    element(json) {
      const before = hasElements ? ',\r\n' : '['
      hasElements = true
      return before + json
    },
    end: () => (hasElements ? ']' : '[]'),
    passed() {
      hasElements = true
    },
  }
}
