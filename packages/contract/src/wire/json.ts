import { GatewayError } from '../core/errors.ts'

/** The functions of the JSON object that keep source text (TC39 JSON.parse source text access; Node 21 and later). */
interface JsonWithSource {
  rawJSON(text: string): object
  isRawJSON(value: unknown): value is { readonly rawJSON: string }
}

// TypeScript's library does not declare these yet; the Node version that this project requires has them.
const json = JSON as unknown as JsonWithSource

/** A shorter sequence of digits is an integer that a double can hold. */
const longRun = 16
/** More than this are not identifiers; keeping one takes as long as parsing a hundred short ones. */
const longIntegersMax = 50_000
const integer = /^-?[1-9][0-9]*$/

const quote = 34
const minus = 45
const colon = 58
const backslash = 92

/**
 * As JSON.parse, but an integer that a double cannot hold becomes a raw JSON value, which `formatJson` and JSON.stringify
 * write back digit for digit. Otherwise identifiers in tool arguments would change unnoticed. Throws SyntaxError like
 * JSON.parse, and `too_large` for more than 50,000 such integers. Takes time in proportion to the text.
 */
export function parseJson(text: string): unknown {
  if (!hasLongRun(text)) return JSON.parse(text) as unknown
  const { pieces, integers } = withoutLongIntegers(text)
  return parsePieces(pieces, integers, JSON.parse)
}

/** The same, but undefined for what `parseJson` throws at. */
export function parsedJson(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

/** The cost of parsing and reading a number, true, false or null, and that of any other value. */
export const plainUnits = 1
export const dearUnits = 4

/** A document of at most this many bytes has fewer units, except for lists that contain only one more list. */
export function bytesOfUnits(units: number): number {
  // The most expensive contents are empty lists and texts, with three bytes including their comma.
  return Math.floor((units * 3) / (plainUnits + dearUnits))
}

/**
 * Parses a JSON text from which values were taken out: `values[i]` is the one between `pieces[i]` and `pieces[i + 1]`, and is
 * put back there unchanged. The pieces must be cut outside of texts. Takes time in proportion to the pieces.
 */
export function parsePieces(
  pieces: readonly string[],
  values: readonly unknown[],
  parse: (text: string) => unknown,
): unknown {
  if (values.length === 0) return parse(pieces.join(''))
  const mark = freeMark(pieces)
  const marked: string[] = []
  for (let index = 0; index < values.length; index += 1)
    marked.push(pieces[index] ?? '', `"${mark}${index}"`)
  marked.push(pieces.at(-1) ?? '')
  const root = { value: parse(marked.join('')) }
  const found = (text: string): unknown => values[Number(text.slice(mark.length))]
  const open: object[] = [root]
  const see = (fields: Record<string | number, unknown>, name: string | number): void => {
    const value = fields[name]
    if (typeof value === 'object' && value !== null) open.push(value)
    else if (typeof value === 'string' && value.startsWith(mark))
      setField(fields, name, found(value))
  }
  for (let node = open.pop(); node; node = open.pop()) {
    const fields = node as Record<string | number, unknown>
    if (Array.isArray(node)) for (let index = 0; index < node.length; index += 1) see(fields, index)
    else for (const name of Object.keys(node)) see(fields, name)
  }
  return root.value
}

/** Matches what begins like a mark, in any way that JSON can write these characters. No mark has more digits. */
const markLike = /"(?:#|\\u0023)((?:[0-9]|\\u003[0-9]){0,9})/g

/** A prefix with which no text of the pieces begins. */
function freeMark(pieces: readonly string[]): string {
  const taken = new Set<string>()
  for (const piece of pieces)
    for (const [, digits = ''] of piece.matchAll(markLike))
      taken.add(digits.replaceAll('\\u003', ''))
  let number = 0
  while (taken.has(String(number))) number += 1
  return `#${number}:`
}

/** Whether there is such a long sequence of digits. It would cover one of every `longRun` places, so only these are checked. */
function hasLongRun(text: string): boolean {
  for (let place = longRun - 1; place < text.length; place += longRun) {
    if (!isDigit(text.charCodeAt(place))) continue
    let first = place
    while (isDigit(text.charCodeAt(first - 1))) first -= 1
    let last = place
    while (isDigit(text.charCodeAt(last + 1))) last += 1
    if (last - first + 1 >= longRun) return true
  }
  return false
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57
}

interface WithoutIntegers {
  readonly pieces: readonly string[]
  readonly integers: readonly object[]
}

/**
 * Takes the integers beyond 2^53 out of a JSON text, except digits inside texts. Invalid JSON stays invalid: only a whole
 * number in a place where any value is allowed is taken out, and never the first error.
 */
function withoutLongIntegers(text: string): WithoutIntegers {
  const pieces: string[] = []
  const integers: object[] = []
  let taken = 0
  for (let at = 0; at < text.length; ) {
    const code = text.charCodeAt(at)
    if (code === quote) at = stringEnd(text, at)
    else if (code !== minus && !isDigit(code)) at += 1
    else {
      const end = numberEnd(text, at)
      if (end - at >= longRun && isLongInteger(text.slice(at, end)) && !isName(text, end)) {
        if (integers.length === longIntegersMax)
          throw new GatewayError(
            'too_large',
            `There are more than ${longIntegersMax} integers beyond 2^53`,
          )
        pieces.push(text.slice(taken, at))
        integers.push(json.rawJSON(text.slice(at, end)))
        taken = end
      }
      at = end
    }
  }
  pieces.push(text.slice(taken))
  return { pieces, integers }
}

/** Whether a colon follows, so that only a text would be allowed here. */
function isName(text: string, end: number): boolean {
  let at = end
  while (isSpace(text.charCodeAt(at))) at += 1
  return text.charCodeAt(at) === colon
}

function isSpace(code: number): boolean {
  return code === 32 || code === 10 || code === 13 || code === 9
}

function isLongInteger(source: string): boolean {
  return integer.test(source) && !Number.isSafeInteger(Number(source))
}

/** The place after the text that begins at `start`. */
function stringEnd(text: string, start: number): number {
  let at = start + 1
  for (; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === quote) return at + 1
    if (code === backslash) at += 1
  }
  return at
}

/** The place after the number that begins at `start`. */
function numberEnd(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && isInNumber(text.charCodeAt(at))) at += 1
  return at
}

/** A digit or one of `+-.eE`. */
function isInNumber(code: number): boolean {
  return isDigit(code) || code === 43 || code === 45 || code === 46 || code === 69 || code === 101
}

/** Sets an own field, even if the name is the one that would set the prototype. */
function setField(
  fields: Record<string | number, unknown>,
  name: string | number,
  value: unknown,
): void {
  if (name === '__proto__')
    Object.defineProperty(fields, name, {
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    })
  else fields[name] = value
}

/** The value as JSON text. Numbers that `parseJson` kept as text are written unchanged. */
export function formatJson(value: unknown): string {
  return JSON.stringify(value) ?? 'null'
}

/** Whether it is a number that `parseJson` kept as text. */
export function isRawNumber(value: unknown): value is { readonly rawJSON: string } {
  return json.isRawJSON(value)
}
