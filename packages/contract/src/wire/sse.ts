import { isAscii } from 'node:buffer'
import { createAppend } from './append.ts'
import { EventScan, type PlainEvents, type PlainForm, scannedBytesMax } from './plain-events.ts'

/** One server-sent event. `event` is '' if the stream gives no name. */
export interface ServerSentEvent {
  readonly event: string
  readonly data: string
  /** The data as JSON, once it was parsed; its value is undefined if the data is not JSON. */
  parsed?: { readonly value: unknown } | undefined
}

/**
 * One block of a stream with its original bytes, so that it can be sent on unchanged. `comment` has no data; `unreadable` is a
 * block with a line that is not a field of the format; `plain` stands for several events whose data nobody reads.
 */
export interface EventBlock extends ServerSentEvent {
  readonly raw: Uint8Array
  readonly kind: 'event' | 'comment' | 'unreadable' | 'plain'
}

/** Cuts a stream of bytes into blocks, however it is cut into pieces. */
export interface EventSplitter {
  push(piece: Uint8Array): readonly EventBlock[]
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
/** The beginning of a longer block is not scanned again with each piece that follows. */
const rescannedBytesMax = 4_096

const nothing = new Uint8Array()
const lineFeed = 10
const carriageReturn = 13
const comment = 58

/**
 * Handles LF, CR and CRLF line ends, comments, a byte order mark, several data lines, several events in one piece, and an
 * event cut at any byte (WHATWG HTML, 9.2.6). Throws RangeError if one event is larger than 32 MiB.
 *
 * With a form, most events that are plain in it are returned together, as a `PlainBlock`.
 */
export function createEventSplitter(form?: PlainForm): EventSplitter {
  return new SseSplitter(form && EventScan.of(form))
}

class SseSplitter implements EventSplitter {
  #append: ReturnType<typeof createAppend> | undefined
  #pending: Uint8Array = nothing
  #scanned = 0
  #lineStart = 0
  #taken = 0
  readonly #scan: EventScan | undefined

  constructor(scan: EventScan | undefined) {
    this.#scan = scan
  }

  push(piece: Uint8Array): EventBlock[] {
    const length = this.#pending.length + piece.length
    if (this.#scan && this.#scanned === 0 && length <= scannedBytesMax)
      return this.#scannedBlocks(piece, this.#scan)
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
    return this.#block(raw)
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

  #block(raw: Uint8Array, ascii?: string): SseBlock {
    return new SseBlock(raw, { ascii, isFirst: this.#taken++ === 0 })
  }

  #scannedBlocks(piece: Uint8Array, scan: EventScan): EventBlock[] {
    const bytes = this.#pending.length === 0 ? piece : Buffer.concat([this.#pending, piece])
    const found: EventBlock[] = []
    scan.load(bytes)
    let at = 0
    for (;;) {
      const plain = scan.plainAt(at)
      if (plain) {
        this.#taken += 1
        found.push(new PlainBlock(bytes, at, plain))
        at = plain.end
      }
      const end = scan.blockEnd(at)
      if (end === undefined) break
      found.push(this.#block(bytes.subarray(at, end)))
      at = end
    }
    this.#pending = at === bytes.length ? nothing : bytes.subarray(at)
    if (this.#pending.length > rescannedBytesMax || this.#pending.includes(carriageReturn))
      found.push(...this.#blocks(false))
    return found
  }

  #plain(piece: Uint8Array, text: string): EventBlock[] {
    const found: EventBlock[] = []
    const allAscii = isAscii(piece)
    const end = cutPlain(text, (from, to) => {
      const raw = from === 0 && to === piece.length ? piece : piece.subarray(from, to)
      found.push(this.#block(raw, allAscii || isAscii(raw) ? text.slice(from, to) : undefined))
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
  /** The text, if it is known to be ASCII. */
  readonly ascii?: string | undefined
  /** The first block of a stream may begin with a byte order mark. */
  readonly isFirst: boolean
}

/** A class, as there are thousands of them: their lines are read only on demand. */
class SseBlock implements EventBlock {
  readonly raw: Uint8Array
  parsed: { readonly value: unknown } | undefined = undefined
  readonly #known: Known
  #lines: Lines | undefined

  constructor(raw: Uint8Array, known: Known) {
    this.raw = raw
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
    const { ascii, isFirst } = this.#known
    if (ascii !== undefined) return ascii
    const text = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength).toString('utf8')
    return isFirst && text.startsWith(byteOrderMark) ? text.slice(1) : text
  }
}

const first: readonly number[] = [0]
const indexes = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] as const

function indexesOf(bits: number): readonly number[] {
  return bits === 1 ? first : indexes.filter((index) => (bits >> index) % 2 === 1)
}

/** Plain events that arrived together. */
export class PlainBlock implements EventBlock {
  readonly kind = 'plain'
  readonly event = ''
  readonly data = ''
  readonly raw: Uint8Array
  readonly #bytes: Uint8Array
  readonly #start: number
  readonly #events: PlainEvents

  constructor(bytes: Uint8Array, start: number, events: PlainEvents) {
    this.raw =
      start === 0 && events.end === bytes.length ? bytes : bytes.subarray(start, events.end)
    this.#bytes = bytes
    this.#start = start
    this.#events = events
  }

  get count(): number {
    return this.#events.count
  }

  get textBytes(): number {
    return this.#events.textBytes
  }

  /** The choices that they belong to. */
  get choiceIndexes(): readonly number[] {
    return indexesOf(this.#events.choices)
  }

  /** The calls that their texts belong to. */
  get callIndexes(): readonly number[] {
    return indexesOf(this.#events.calls)
  }

  /** The first of them like every other event, and the others. `textBytesOf` counts the bytes of its texts. */
  split(textBytesOf: (data: string) => number): readonly [EventBlock, PlainBlock | undefined] {
    const { count, textBytes, ...events } = this.#events
    const end = this.#start + firstEventEnd(this.raw)
    const one = new SseBlock(this.#bytes.subarray(this.#start, end), { isFirst: false })
    if (count === 1) return [one, undefined]
    const rest = { ...events, count: count - 1, textBytes: textBytes - textBytesOf(one.data) }
    return [one, new PlainBlock(this.#bytes, end, rest)]
  }

  /** The last event that reports usage. */
  get usage(): ServerSentEvent | undefined {
    const { usage } = this.#events
    return usage && new SseBlock(this.#bytes.subarray(usage.start, usage.end), { isFirst: false })
  }
}

/** Where the first of plain events ends, which hold no line ends but those of their own lines. */
function firstEventEnd({ buffer, byteOffset, byteLength }: Uint8Array): number {
  const events = Buffer.from(buffer, byteOffset, byteLength)
  const lineEnd = events.indexOf('}\n\n') + 3
  const returned = events.subarray(0, lineEnd > 2 ? lineEnd : undefined).indexOf('}\r\n\r\n')
  return returned < 0 ? lineEnd : returned + 5
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
