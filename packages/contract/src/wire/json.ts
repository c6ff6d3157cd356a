/** The parts of the JSON object that keep source text (TC39 JSON.parse source text access; Node 21 and later). */
interface JsonWithSource {
  rawJSON(text: string): object
  isRawJSON(value: unknown): value is { readonly rawJSON: string }
}

// TypeScript's library does not declare these yet; the engine this project pins has them.
const json = JSON as unknown as JsonWithSource

/** A shorter run of digits is an integer that a double holds. */
const longRun = 16
const longNumber = /-?[0-9][0-9.eE+-]{15,}/g
const integer = /^-?[0-9]+$/

/**
 * JSON.parse, but an integer that a double cannot hold becomes a raw JSON value, which `formatJson` and
 * JSON.stringify write back digit for digit. Identifiers in tool arguments would otherwise change in silence.
 * Throws SyntaxError like JSON.parse. Takes the time of the text, however many integers it holds.
 */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text)
  if (!hasLongRun(text)) return value
  const numbers = findLongIntegers(text)
  return numbers.length === 0 ? value : withRawNumbers(text, numbers)
}

/** Whether so many digits stand in a row somewhere: a row of them covers one of every so many places. */
function hasLongRun(text: string): boolean {
  for (let place = longRun - 1; place < text.length; place += longRun) {
    if (!isDigit(text, place)) continue
    let first = place
    while (isDigit(text, first - 1)) first -= 1
    let last = place
    while (isDigit(text, last + 1)) last += 1
    if (last - first + 1 >= longRun) return true
  }
  return false
}

function isDigit(text: string, place: number): boolean {
  const code = text.charCodeAt(place)
  return code >= 48 && code <= 57
}

interface LongInteger {
  readonly start: number
  readonly source: string
}

/** The integers beyond 2^53 of a text that is JSON; digits inside strings are none. */
function findLongIntegers(text: string): readonly LongInteger[] {
  const found: LongInteger[] = []
  for (let start = 0; start < text.length; ) {
    const quote = text.indexOf('"', start)
    const end = quote < 0 ? text.length : quote
    for (const { 0: source, index } of text.slice(start, end).matchAll(longNumber))
      if (integer.test(source) && !Number.isSafeInteger(Number(source)))
        found.push({ start: start + index, source })
    if (quote < 0) break
    start = stringEnd(text, quote)
  }
  return found
}

/** The place behind the string that begins at `quote`. */
function stringEnd(text: string, quote: number): number {
  for (let end = text.indexOf('"', quote + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let slashes = end
    while (text[slashes - 1] === '\\') slashes -= 1
    if ((end - slashes) % 2 === 0) return end + 1
  }
  return text.length
}

/** Parses the text with a mark in the place of each long integer, and puts the integers where the marks came out. */
function withRawNumbers(text: string, numbers: readonly LongInteger[]): unknown {
  let mark = '#'
  while (text.includes(`"${mark}`)) mark += '#'
  const parts: string[] = []
  let at = 0
  for (const [index, { start, source }] of numbers.entries()) {
    parts.push(text.slice(at, start), `"${mark}${index}"`)
    at = start + source.length
  }
  parts.push(text.slice(at))
  const rawOf = (value: string): unknown => {
    const number = numbers[Number(value.slice(mark.length))]
    return number ? json.rawJSON(number.source) : value
  }
  const root = { value: JSON.parse(parts.join('')) as unknown }
  const open: object[] = [root]
  for (let node = open.pop(); node; node = open.pop()) {
    const fields = node as Record<string, unknown>
    for (const name in fields) {
      const value = fields[name]
      if (typeof value === 'object' && value !== null) open.push(value)
      else if (typeof value === 'string' && value.startsWith(mark))
        setField(fields, name, rawOf(value))
    }
  }
  return root.value
}

/** A field of its own even where the name is one that every object has. */
function setField(fields: object, name: string, value: unknown): void {
  Object.defineProperty(fields, name, {
    value,
    writable: true,
    enumerable: true,
    configurable: true,
  })
}

/** The value as JSON text; numbers that `parseJson` kept as text come out as they went in. */
export function formatJson(value: unknown): string {
  return JSON.stringify(value) ?? 'null'
}

/** True for a number that `parseJson` kept as text. */
export function isRawNumber(value: unknown): value is { readonly rawJSON: string } {
  return json.isRawJSON(value)
}
