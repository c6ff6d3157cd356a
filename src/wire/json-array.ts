import type { EventBlock, EventSplitter } from './sse.ts'

/** A longer element than this is refused as garbage; a large one holds a base64 picture or video. */
const elementBytesMax = 64 * 1024 * 1024

const quote = 34
const comma = 44
const openBracket = 91
const backslash = 92
const closeBracket = 93
const openBrace = 123
const closeBrace = 125

function isSpace(byte: number): boolean {
  return byte === 32 || byte === 10 || byte === 13 || byte === 9
}

/**
 * A JSON array that is written element by element (Gemini without `alt=sse`): every element becomes one event as soon
 * as its last byte is there, whatever the pieces. The bracket, comma and white space before an element belong to its
 * `raw`; the closing bracket is a comment, so that the bytes can pass untouched. A document that is no array, such as
 * a lone error object, is one element. An element without its end is `unreadable`. Throws RangeError when one element
 * is larger than 64 MiB.
 */
export function createJsonArraySplitter(): EventSplitter {
  let pending: Uint8Array = new Uint8Array()
  let scanned = 0
  /** Where the element begins in `pending`, or -1 between elements. */
  let start = -1
  let depth = 0
  let inString = false
  let inArray = false
  let closed = false

  function take(end: number, kind: EventBlock['kind']): EventBlock {
    const raw = pending.subarray(0, end)
    const data = start < 0 ? '' : text(pending.subarray(start, end))
    pending = pending.subarray(end)
    scanned = 0
    start = -1
    depth = 0
    inString = false
    return { raw, kind, event: '', data }
  }

  /** Looks at one byte between elements. */
  function between(byte: number): EventBlock | undefined {
    scanned += 1
    if (isSpace(byte) || (byte === comma && inArray)) return undefined
    if (byte === openBracket && !inArray && !closed) {
      inArray = true
      return undefined
    }
    if (byte === closeBracket && inArray) {
      inArray = false
      closed = true
      return take(scanned, 'comment')
    }
    start = scanned - 1
    scanned = start
    return undefined
  }

  /** Looks at one byte of an element. */
  function inside(byte: number): EventBlock | undefined {
    if (inString) {
      if (byte === backslash) scanned += 1
      else if (byte === quote) inString = false
      scanned += 1
      return undefined
    }
    if (byte === quote) inString = true
    else if (byte === openBrace || byte === openBracket) depth += 1
    else if (byte === closeBrace || byte === closeBracket) {
      if (depth === 0) return take(scanned, 'event')
      depth -= 1
      if (depth === 0) return take(scanned + 1, 'event')
    } else if (depth === 0 && byte === comma) return take(scanned, 'event')
    scanned += 1
    return undefined
  }

  function scan(): readonly EventBlock[] {
    const found: EventBlock[] = []
    while (scanned < pending.length) {
      const byte = pending[scanned] ?? 0
      const block = start < 0 ? between(byte) : inside(byte)
      if (block !== undefined) found.push(block)
    }
    return found
  }

  return {
    push(piece) {
      pending = pending.length === 0 ? piece : Buffer.concat([pending, piece])
      if (pending.length > elementBytesMax) throw new RangeError('An element is larger than 64 MiB')
      return scan()
    },
    end() {
      if (pending.length === 0) return []
      const isScalar = !inString && depth === 0
      return [take(pending.length, start < 0 ? 'comment' : isScalar ? 'event' : 'unreadable')]
    },
  }
}

function text(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
}

/** Writes a JSON array element by element. */
export interface JsonArrayWriter {
  /** The text that adds one element, given as JSON. */
  element(json: string): string
  /** The text that closes the array. */
  end(): string
}

/** White space, which may stand anywhere in a JSON array between elements: keeps a silent connection open. */
export const keepAliveSpace = '\n'

export function createJsonArrayWriter(): JsonArrayWriter {
  let begun = false
  return {
    element(json) {
      const before = begun ? ',\r\n' : '['
      begun = true
      return before + json
    },
    end: () => (begun ? ']' : '[]'),
  }
}
