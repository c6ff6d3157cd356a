import { isAscii } from 'node:buffer'
import { createAppend } from './append.ts'

/** One server-sent event. `event` is '' if the stream gives no name. */
export interface ServerSentEvent {
  readonly event: string
  readonly data: string
  /** The data as JSON, once it was parsed; its value is undefined if the data is not JSON. */
  parsed?: { readonly value: unknown } | undefined
}

/**
 * One block of a stream with its original bytes, so that it can be sent on unchanged. `comment` has no data; `unreadable` is a
 * block with a line that is not a field of the format.
 */
export interface EventBlock extends ServerSentEvent {
  readonly raw: Uint8Array
  readonly kind: 'event' | 'comment' | 'unreadable'
}

/** Cuts a stream of bytes into blocks, however it is cut into pieces. */
export interface EventSplitter {
  push(piece: Uint8Array): readonly EventBlock[]
  /** Whether a new block begins with the next piece; absent if a block is more than its text. */
  readonly isBetween?: boolean
  /** The rest: a last event without its blank line, which a few upstreams send. */
  end(): readonly EventBlock[]
}

/**
 * A longer event is rejected as garbage; no model sends one, but a broken proxy may. Writing one takes a turn of the event
 * loop.
 */
const blockBytesMax = 32 * 1024 * 1024
/** A block with more lines is unreadable: reading them would take a turn of the event loop, and nobody sends so many. */
const blockLinesMax = 500_000

const nothing = new Uint8Array()
const lineFeed = 10
const carriageReturn = 13
const comment = 58

/**
 * Handles LF, CR and CRLF line ends, comments, a byte order mark, several data lines, several events in one piece, and an
 * event cut at any byte (WHATWG HTML, 9.2.6). Throws RangeError if one event is larger than 32 MiB.
 */
export function createEventSplitter(): EventSplitter {
  return new SseSplitter()
}

class SseSplitter implements EventSplitter {
  #append: ReturnType<typeof createAppend> | undefined
  #pending: Uint8Array = nothing
  #scanned = 0
  #lineStart = 0
  #taken = 0

  get isBetween(): boolean {
    return this.#pending.length === 0
  }

  push(piece: Uint8Array): EventBlock[] {
    if (this.#pending.length === 0 && piece.length <= blockBytesMax) {
      const text = latin1(piece)
      if (!text.includes('\r')) return this.#plain(piece, text)
    }
    this.#append ??= createAppend()
    this.#pending = this.#append(this.#pending, piece)
    if (this.#pending.length > blockBytesMax) throw new RangeError('An event is larger than 32 MiB')
    return this.#blocks(false)
  }

  end(): EventBlock[] {
    const whole = this.#blocks(true)
    if (this.#pending.length === 0) return whole
    whole.push(this.#take(this.#pending.length).closed())
    return whole
  }

  #take(end: number): SseBlock {
    const raw = this.#pending.subarray(0, end)
    this.#pending = this.#pending.subarray(end)
    this.#scanned = 0
    this.#lineStart = 0
    return new SseBlock(raw, latin1(raw), { isAscii: isAscii(raw), isFirst: this.#taken++ === 0 })
  }

  /** The end of the first complete block, including its blank line, or -1. */
  #blockEnd(closed: boolean): number {
    const pending = this.#pending
    // Local variables, because access to fields would cost more than reading a byte, and there may be millions.
    let scanned = this.#scanned
    let lineStart = this.#lineStart
    let end = -1
    while (end < 0 && scanned < pending.length) {
      const byte = pending[scanned]
      if (byte !== lineFeed && byte !== carriageReturn) {
        scanned += 1
        continue
      }
      // A CR at the very end may be half of a CRLF, so its line ends only when the next byte is known.
      if (byte === carriageReturn && scanned + 1 === pending.length && !closed) break
      const blank = scanned === lineStart
      const crlf = byte === carriageReturn && pending[scanned + 1] === lineFeed
      scanned += crlf ? 2 : 1
      const isOnlyBlank = blank && lineStart === 0
      lineStart = scanned
      if (blank) end = isOnlyBlank ? blankEnd(pending, scanned) : scanned
    }
    this.#scanned = scanned
    this.#lineStart = lineStart
    return end
  }

  #blocks(closed: boolean): EventBlock[] {
    const found: EventBlock[] = []
    for (let end = this.#blockEnd(closed); end >= 0; end = this.#blockEnd(closed))
      found.push(this.#take(end))
    return found
  }

  #plain(piece: Uint8Array, text: string): EventBlock[] {
    const found: EventBlock[] = []
    const allAscii = isAscii(piece)
    const end = cutPlain(text, (from, to) => {
      const raw = from === 0 && to === piece.length ? piece : piece.subarray(from, to)
      const known = { isAscii: allAscii || isAscii(raw), isFirst: this.#taken++ === 0 }
      found.push(new SseBlock(raw, text.slice(from, to), known))
    })
    // Not an empty part of the piece, which would keep all of it in memory.
    this.#pending = end === piece.length ? nothing : piece.subarray(end)
    return found
  }
}

/** The end of the blank lines that begin at a place. They are one block, as there may be millions. */
function blankEnd(bytes: Uint8Array, from: number): number {
  let end = from
  // A CR at the very end may be half of a CRLF, whose LF would be a blank line of its own.
  while (bytes[end] === lineFeed || (bytes[end] === carriageReturn && end + 1 < bytes.length))
    end += 1
  return end
}

/**
 * Reports every block of a text that begins with a block and has plain line feeds, as nearly all do, with one search each.
 * Returns the end of the last complete block.
 */
function cutPlain(text: string, tell: (from: number, to: number) => void): number {
  let start = 0
  while (start < text.length) {
    let end = start
    // Blank lines are one block: there may be millions.
    while (text.charCodeAt(end) === lineFeed) end += 1
    if (end === start) {
      const at = text.indexOf('\n\n', start)
      if (at < 0) break
      end = at + 2
    }
    tell(start, end)
    start = end
  }
  return start
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
}

const byteOrderMark = '\uFEFF'
const dataField = 'data: '
const fields: ReadonlySet<string> = new Set(['event', 'data', 'id', 'retry'])

interface Known {
  readonly isAscii: boolean
  /** The first block of a stream may begin with a byte order mark. */
  readonly isFirst: boolean
}

/** A class, as there are thousands of them: their lines are read only on demand. */
class SseBlock implements EventBlock {
  readonly raw: Uint8Array
  parsed: { readonly value: unknown } | undefined = undefined
  /** One character per byte. */
  readonly #text: string
  readonly #known: Known
  #lines: Lines | undefined

  constructor(raw: Uint8Array, text: string, known: Known) {
    this.raw = raw
    this.#text = text
    this.#known = known
  }

  get kind(): EventBlock['kind'] {
    return this.#read().kind
  }

  get event(): string {
    return this.#read().event
  }

  get data(): string {
    return this.#read().data
  }

  /** The block with the blank line that its stream left out. */
  closed(): EventBlock {
    return { ...this.#read(), raw: Buffer.concat([this.raw, Buffer.from('\n\n')]) }
  }

  #read(): Lines {
    this.#lines ??= readLines(this.#characters())
    return this.#lines
  }

  #characters(): string {
    const { raw } = this
    if (this.#known.isAscii) return this.#text
    const text = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength).toString('utf8')
    return this.#known.isFirst && text.startsWith(byteOrderMark) ? text.slice(1) : text
  }
}

interface Lines extends ServerSentEvent {
  readonly kind: EventBlock['kind']
}

function readLines(text: string): Lines {
  const lineEnd = text.indexOf('\n')
  const hasReturns = text.includes('\r')
  if (lineEnd === text.length - 2 && text.startsWith(dataField) && !hasReturns)
    return { kind: 'event', event: '', data: text.slice(dataField.length, lineEnd) }
  return readEachLine(hasReturns ? text.replaceAll(/\r\n?/g, '\n') : text)
}

/** Works without a list of the lines: a block may have millions. */
function readEachLine(text: string): Lines {
  let event = ''
  let data: string | undefined
  let unreadable = false
  let lines = 0
  let end = 0
  for (let start = 0; start < text.length; start = end + 1) {
    const first = text.charCodeAt(start)
    end = first === lineFeed ? start : lineEndFrom(text, start)
    if ((lines += 1) > blockLinesMax) return { kind: 'unreadable', event: '', data: text }
    if (first === lineFeed || first === comment) continue
    const { name, value } = readField(text.slice(start, end))
    if (name === 'data') data = data === undefined ? value : `${data}\n${value}`
    else if (name === 'event') event = value
    else if (!fields.has(name)) unreadable = true
  }
  if (unreadable) return { kind: 'unreadable', event, data: data ?? text }
  return { kind: data === undefined ? 'comment' : 'event', event, data: data ?? '' }
}

function lineEndFrom(text: string, start: number): number {
  const end = text.indexOf('\n', start)
  return end < 0 ? text.length : end
}

function readField(line: string): { name: string; value: string } {
  const colon = line.indexOf(':')
  if (colon < 0) return { name: line, value: '' }
  return {
    name: line.slice(0, colon),
    value: line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1),
  }
}

/** An event in wire format. Data must not contain a line break, which JSON.stringify guarantees. */
export function formatEvent({ event, data }: ServerSentEvent): string {
  return event === '' ? `data: ${data}\n\n` : `event: ${event}\ndata: ${data}\n\n`
}

/** A comment, which every client ignores. It keeps intermediaries from closing a silent connection. */
export const keepAliveComment = ': keep-alive\n\n'
