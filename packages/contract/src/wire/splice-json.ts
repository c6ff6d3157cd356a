/**
 * Changes top-level fields of a JSON object in its bytes and leaves every other byte unchanged: key order, white space,
 * numbers beyond 2^53 and unknown fields are kept, and a 100 kB body costs a scan instead of a rewrite.
 */

interface Span {
  readonly start: number
  readonly end: number
}

const quote = 34
const backslash = 92
const comma = 44
const colon = 58
const openBrace = 123
const closeBrace = 125
const openBracket = 91
const closeBracket = 93

/** RFC 8259, 2. */
const spaces: ReadonlySet<number | undefined> = new Set([9, 10, 13, 32])

function skipSpace(bytes: Uint8Array, at: number): number {
  let index = at
  while (spaces.has(bytes[index])) index += 1
  return index
}

/** The index after the string that begins at `at`. */
function stringEnd(bytes: Uint8Array, at: number): number {
  for (let end = bytes.indexOf(quote, at + 1); end >= 0; end = bytes.indexOf(quote, end + 1)) {
    let slashes = end
    while (bytes[slashes - 1] === backslash) slashes -= 1
    if ((end - slashes) % 2 === 0) return end + 1
  }
  return bytes.length
}

/** The index after the value that begins at `at`. */
function valueEnd(bytes: Uint8Array, at: number): number {
  if (bytes[at] === quote) return stringEnd(bytes, at)
  let depth = 0
  let index = at
  while (index < bytes.length) {
    const byte = bytes[index]
    if (byte === quote) {
      index = stringEnd(bytes, index)
      continue
    }
    if (byte === openBrace || byte === openBracket) depth += 1
    else if (byte === closeBrace || byte === closeBracket) {
      if (depth === 0) return index
      depth -= 1
      if (depth === 0) return index + 1
    } else if (depth === 0 && (byte === comma || spaces.has(byte))) return index
    index += 1
  }
  return index
}

/** A field of the object, beginning with its name. */
interface Field {
  readonly name: string
  readonly start: number
  readonly value: Span
}

function* topLevelFields(bytes: Uint8Array): Generator<Field> {
  let at = skipSpace(bytes, 0) + 1
  while (at < bytes.length) {
    at = skipSpace(bytes, at)
    if (bytes[at] === comma) at = skipSpace(bytes, at + 1)
    if (bytes[at] !== quote) return
    const start = at
    const keyEnd = stringEnd(bytes, at)
    const raw = Buffer.from(bytes.buffer, bytes.byteOffset + at, keyEnd - at).toString('utf8')
    const name = raw.includes('\\') ? String(JSON.parse(raw)) : raw.slice(1, -1)
    at = skipSpace(bytes, keyEnd)
    if (bytes[at] === colon) at = skipSpace(bytes, at + 1)
    const end = valueEnd(bytes, at)
    yield { name, start, value: { start: at, end } }
    at = end
  }
}

/** The places of the values of the named top-level keys. Duplicates are in order, as JSON.parse takes the last one. */
function findValues(bytes: Uint8Array, names: ReadonlySet<string>): Map<string, Span[]> {
  const found = new Map<string, Span[]>()
  for (const { name, value } of topLevelFields(bytes)) {
    if (!names.has(name)) continue
    const spans = found.get(name) ?? []
    spans.push(value)
    found.set(name, spans)
  }
  return found
}

/** The JSON object without these top-level fields. Every other field keeps its bytes; white space between fields is removed. */
export function removeFields(bytes: Uint8Array, names: readonly string[]): Uint8Array {
  const kept: Uint8Array[] = []
  for (const { name, start, value } of topLevelFields(bytes))
    if (!names.includes(name))
      kept.push(Buffer.from(kept.length === 0 ? '{' : ','), bytes.subarray(start, value.end))
  return Buffer.concat(kept.length === 0 ? [Buffer.from('{}')] : [...kept, Buffer.from('}')])
}

/** The result of parsing a document. */
export interface Parsed {
  readonly fields: Readonly<Record<string, unknown>>
  /** The places of long texts that are not names (see JsonSurvey), as far as they are known. */
  readonly longTexts?: readonly Span[]
}

/** The place of a text outside of long texts; -1 if there is none. Searching the long texts could take a second. */
function findBetween(bytes: Buffer, text: string, longTexts: readonly Span[], from = 0): number {
  let at = from
  for (const { start, end } of longTexts) {
    if (start <= at) continue
    const found = bytes.subarray(at, start).indexOf(text)
    if (found >= 0) return at + found
    at = end
  }
  return bytes.indexOf(text, at)
}

/**
 * The same as `findValues` without reading the rest of the document, if the result is certain: a name that occurs once,
 * unescaped, and is known to be a field must be the name of that field. Undefined if it is not certain.
 */
function findKnown(
  bytes: Buffer,
  names: readonly string[],
  { fields, longTexts = [] }: Parsed,
): Map<string, Span[]> | undefined {
  // The only other way to write a letter of a name.
  if (findBetween(bytes, '\\u00', longTexts) >= 0) return undefined
  const found = new Map<string, Span[]>()
  for (const name of names) {
    if (!Object.hasOwn(fields, name)) continue
    const text = `"${name}"`
    const at = findBetween(bytes, text, longTexts)
    if (at < 0 || findBetween(bytes, text, longTexts, at + 1) >= 0) return undefined
    const start = skipSpace(bytes, skipSpace(bytes, at + text.length) + 1)
    found.set(name, [{ start, end: valueEnd(bytes, start) }])
  }
  return found
}

/**
 * Sets top-level fields of a JSON object. The names must consist of letters and underscores; the values are JSON values. An
 * existing field is replaced at its place; a new one is put first. `bytes` must be a valid JSON object that the caller has
 * parsed before. With `parsed`, the result of that, the document usually need not be scanned again.
 */
export function spliceFields(
  bytes: Uint8Array,
  fields: Readonly<Record<string, unknown>>,
  parsed?: Parsed,
): Uint8Array {
  const names = Object.keys(fields)
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const found = (parsed && findKnown(buffer, names, parsed)) ?? findValues(bytes, new Set(names))
  const changes: Replaced[] = []
  let added = ''
  for (const name of names) {
    const text = JSON.stringify(fields[name])
    const spans = found.get(name)
    if (spans === undefined) added += `"${name}":${text},`
    else for (const { start, end } of spans) changes.push({ start, end, text })
  }
  if (added !== '') {
    const start = skipSpace(bytes, 0) + 1
    const isEmpty = bytes[skipSpace(bytes, start)] === closeBrace
    changes.push({ start, end: start, text: isEmpty ? added.slice(0, -1) : added })
  }
  changes.sort((left, right) => left.start - right.start)
  return replaced(buffer, changes)
}

/** A part of a document and the text in its place. */
interface Replaced extends Span {
  readonly text: string
}

/** A copy in which these parts, in their order, are replaced. */
function replaced(bytes: Buffer, changes: readonly Replaced[]): Buffer {
  let size = bytes.length
  for (const { start, end, text } of changes) size += Buffer.byteLength(text) - (end - start)
  const copy = Buffer.allocUnsafe(size)
  let from = 0
  let to = 0
  for (const { start, end, text } of changes) {
    to += bytes.copy(copy, to, from, start)
    to += copy.write(text, to)
    from = end
  }
  bytes.copy(copy, to, from)
  return copy
}

/** A document, and the places of its long texts. */
interface Spliced {
  readonly bytes: Buffer
  readonly longTexts: readonly Span[]
}

/**
 * As spliceFields, but for at most one field and within the bytes themselves: afterwards only the returned part of them is a
 * document. Undefined if that is not possible, because the new value is longer or the place of the field is not certain; the
 * bytes are then unchanged.
 */
export function spliceInPlace(
  bytes: Buffer,
  fields: Readonly<Record<string, unknown>>,
  parsed: Parsed,
): Spliced | undefined {
  const { longTexts = [] } = parsed
  const [field, ...others] = Object.entries(fields)
  if (!field) return { bytes, longTexts }
  const [name, value] = field
  const [span, ...more] = findKnown(bytes, [name], parsed)?.get(name) ?? []
  if (!span || more.length > 0 || others.length > 0) return undefined
  const text = Buffer.from(JSON.stringify(value))
  const spare = span.end - span.start - text.length
  if (spare < 0) return undefined
  const moved = longTextsAround(span, longTexts, spare)
  // Moves the shorter side.
  if (span.start <= bytes.length - span.end) {
    bytes.copyWithin(spare, 0, span.start)
    text.copy(bytes, span.start + spare)
    return { bytes: bytes.subarray(spare), longTexts: moved }
  }
  text.copy(bytes, span.start)
  bytes.copyWithin(span.start + text.length, span.end)
  return { bytes: bytes.subarray(0, bytes.length - spare), longTexts: moved }
}

/** The long texts before and after a value that became shorter by `spare` bytes; those inside it are gone. */
function longTextsAround(value: Span, longTexts: readonly Span[], spare: number): readonly Span[] {
  return longTexts.flatMap(({ start, end }) => {
    if (end <= value.start) return [{ start, end }]
    return start >= value.end ? [{ start: start - spare, end: end - spare }] : []
  })
}

/**
 * As spliceFields, in every object of the array in a top-level field. The items keep their other bytes, too. Items that are
 * not objects are unchanged, and so is a field that is not an array.
 */
export function spliceItems(
  bytes: Uint8Array,
  name: string,
  fields: Readonly<Record<string, unknown>>,
): Uint8Array {
  const parts: Uint8Array[] = []
  let copied = 0
  for (const span of findValues(bytes, new Set([name])).get(name) ?? [])
    for (const item of findItems(bytes, span)) {
      if (bytes[item.start] !== openBrace) continue
      parts.push(bytes.subarray(copied, item.start))
      parts.push(spliceFields(bytes.subarray(item.start, item.end), fields))
      copied = item.end
    }
  parts.push(bytes.subarray(copied))
  return Buffer.concat(parts)
}

/**
 * Changes the object in a top-level field: `change` gets its bytes and returns others. A field that is absent or is not an
 * object is unchanged. Every other field keeps its bytes.
 */
export function changeWithin(
  bytes: Uint8Array,
  name: string,
  change: (object: Uint8Array) => Uint8Array,
): Uint8Array {
  return changeValue(bytes, name, (value) => (value[0] === openBrace ? change(value) : value))
}

/** Changes the value of a top-level field: `change` gets its bytes and returns others. Every other field keeps its bytes. */
export function changeValue(
  bytes: Uint8Array,
  name: string,
  change: (value: Uint8Array) => Uint8Array,
): Uint8Array {
  const parts: Uint8Array[] = []
  let copied = 0
  for (const { start, end } of findValues(bytes, new Set([name])).get(name) ?? []) {
    parts.push(bytes.subarray(copied, start), change(bytes.subarray(start, end)))
    copied = end
  }
  parts.push(bytes.subarray(copied))
  return Buffer.concat(parts)
}

function findItems(bytes: Uint8Array, { start, end }: Span): readonly Span[] {
  const items: Span[] = []
  if (bytes[start] !== openBracket) return items
  let at = skipSpace(bytes, start + 1)
  while (at < end - 1) {
    const itemEnd = valueEnd(bytes, at)
    items.push({ start: at, end: itemEnd })
    at = skipSpace(bytes, itemEnd)
    if (bytes[at] === comma) at = skipSpace(bytes, at + 1)
  }
  return items
}
