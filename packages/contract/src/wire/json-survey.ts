/** Where a text or a list of numbers lies inside a JSON document, without its quotes or brackets. */
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

/** What a number, true, false or null costs to parse and to walk through, and what anything else does. */
const plainUnits = 1
const dearUnits = 4

/** A document of at most so many bytes holds fewer units, but for lists that hold nothing but one more list. */
export function bytesOfUnits(units: number): number {
  // The dearest there is are empty lists and texts, three bytes with their comma.
  return Math.floor((units * 3) / (plainUnits + dearUnits))
}

/** A text that goes on for longer is searched for its end and not read byte by byte. */
const shortText = 256

/** White space between a name and its colon that is longer than this is none that anybody writes. */
const spaceMax = 1024

/**
 * Looks through the bytes of a JSON document before anybody parses them: how much that will cost, and where long texts
 * lie, which cost by their length and not by their number. Takes the document in stretches, so that others can have
 * their turn in between. What is no JSON is surveyed all the same: who parses it will tell.
 */
export class JsonSurvey {
  /** One for every value, but four for a text, a name, a list or an object: about what they cost. */
  units = 0
  /** Of these, those inside of `longTexts`. */
  longUnits = 0
  /** Texts of at least so many bytes, in order, none of them a name; and lists without texts, lists and objects. */
  readonly longTexts: LongText[] = []
  readonly #bytes: Uint8Array
  readonly #longBytesMin: number
  readonly #listBytesMin: number
  /** Where the list begins that holds neither text nor list nor object so far; -1 outside of such. */
  #listStart = -1
  #unitsBefore = 0
  #at = 0
  /** Where the text begins whose end has not been seen yet; -1 between texts. */
  #textStart = -1
  /** The first backslash from where it was last looked for. */
  #backslash = -1

  /** `listBytesMin` is that of lists; default: none is long. */
  constructor(bytes: Uint8Array, longBytesMin: number, listBytesMin = Number.POSITIVE_INFINITY) {
    this.#bytes = bytes
    this.#longBytesMin = longBytesMin
    this.#listBytesMin = listBytesMin
  }

  /** Whether it has come to the end. */
  get isDone(): boolean {
    return this.#at >= this.#bytes.length
  }

  /** Looks through about so many more bytes. */
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
