import { dearUnits, plainUnits } from './json.ts'

/** The place of a text or a list of numbers in a JSON document, without its quotes or brackets. */
export interface LongText {
  readonly start: number
  readonly end: number
  readonly isList: boolean
}

const quote = 34
const comma = 44
const colon = 58
const openBracket = 91
const backslash = 92
const closeBracket = 93
const openBrace = 123

/** In a longer text, the end is searched for instead of reading it byte by byte. */
const shortText = 256

/** Nobody writes more white space than this between a name and its colon. */
const spaceMax = 1024

/**
 * Scans the bytes of a JSON document before it is parsed: how expensive it will be, and where long texts are, whose cost
 * depends on their length. The document is scanned in sections, so that other requests can have their turn in between. Invalid
 * JSON is scanned as well; the parser will report it.
 */
export class JsonSurvey {
  /** One for every value, but four for a text, a name, a list or an object, which is about what they cost. */
  units = 0
  /** The part of them inside `longTexts`. */
  longUnits = 0
  /** Texts of at least this many bytes, in order and without names; and long lists without texts, lists and objects. */
  readonly longTexts: LongText[] = []
  readonly #bytes: Uint8Array
  readonly #longBytesMin: number
  readonly #listBytesMin: number
  /** The beginning of a list that so far contains neither text nor list nor object; -1 outside of one. */
  #listStart = -1
  #unitsBefore = 0
  #at = 0
  /** The beginning of the text whose end has not been found yet; -1 between texts. */
  #textStart = -1
  /** The first backslash from the place where the search last began. */
  #backslash = -1

  /** `listBytesMin` is the minimum for lists; by default no list is long. */
  constructor(bytes: Uint8Array, longBytesMin: number, listBytesMin = Number.POSITIVE_INFINITY) {
    this.#bytes = bytes
    this.#longBytesMin = longBytesMin
    this.#listBytesMin = listBytesMin
  }

  /** Whether it has reached the end. */
  get isDone(): boolean {
    return this.#at >= this.#bytes.length
  }

  /** Scans about this many more bytes. */
  advance(length: number): void {
    const end = Math.min(this.#bytes.length, this.#at + length)
    while (this.#at < end) {
      if (this.#textStart < 0) this.#readBetween(end)
      else this.#readText(end)
    }
  }

  #readBetween(end: number): void {
    const bytes = this.#bytes
    let at = this.#at
    let units = 0
    for (; at < end; at += 1) {
      const byte = bytes[at]
      if (byte === comma) units += plainUnits
      else if (byte === openBracket || byte === openBrace) {
        units += dearUnits
        this.#listStart = byte === openBracket ? at + 1 : -1
        this.#unitsBefore = this.units + units
      } else if (byte === closeBracket) this.#endList(at, this.units + units)
      else if (byte === quote) {
        units += dearUnits
        this.#listStart = -1
        at += 1
        this.#textStart = at
        break
      }
    }
    this.units += units
    this.#at = at
  }

  #endList(end: number, units: number): void {
    const start = this.#listStart
    this.#listStart = -1
    if (start < 0 || end - start < this.#listBytesMin) return
    this.longTexts.push({ start, end, isList: true })
    this.longUnits += units - this.#unitsBefore
  }

  #readText(end: number): void {
    const bytes = this.#bytes
    const near = Math.min(end, this.#at + shortText)
    let at = this.#at
    while (at < near && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1
    if (at < near) this.#endText(at)
    else this.#at = this.#plainEnd(at)
  }

  /** The place of the next quote or backslash. */
  #plainEnd(at: number): number {
    if (this.#backslash < at) {
      const found = this.#bytes.indexOf(backslash, at)
      this.#backslash = found < 0 ? this.#bytes.length : found
    }
    const end = this.#bytes.subarray(at, this.#backslash).indexOf(quote)
    return end < 0 ? this.#backslash : at + end
  }

  #endText(end: number): void {
    const start = this.#textStart
    this.#textStart = -1
    this.#at = end + 1
    if (end - start >= this.#longBytesMin && !this.#isName())
      this.longTexts.push({ start, end, isList: false })
  }

  /** Whether the text that has just ended is a name. */
  #isName(): boolean {
    const max = this.#at + spaceMax
    let at = this.#at
    while (at < max && (this.#bytes[at] ?? colon) <= 32) at += 1
    return at === max || this.#bytes[at] === colon
  }
}
