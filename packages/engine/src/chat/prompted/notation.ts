import { isRecord, type SchemaObject } from '../schema/json-schema.ts'

/** Named enumerations of a prompt: their values. */
export type Enumerations = ReadonlyMap<string, readonly string[]>

/** The names of types in several languages, by the type of JSON Schema that they stand for. */
const namesOfTypes = {
  string: 'string str text',
  integer: 'int integer long',
  number: 'number float double decimal',
  boolean: 'bool boolean',
  null: 'null none undefined',
  array: 'array list',
  object: 'object dict',
} as const

const types: ReadonlyMap<string, SchemaObject> = new Map<string, SchemaObject>([
  ...Object.entries(namesOfTypes).flatMap(([type, names]) =>
    names.split(' ').map((name) => [name, { type }] as const),
  ),
  ['date', { type: 'string', format: 'date' }],
  ['datetime', { type: 'string', format: 'date-time' }],
  ['any', {}],
])

/** The schema of a value that describes others: an example, or an object whose values are types. */
export function schemaOfNotation(value: unknown, named: Enumerations): SchemaObject {
  if (value instanceof TypeText) return typeOf(value.text, named) ?? { type: 'string' }
  if (value instanceof Ways) return { anyOf: value.all.map((way) => schemaOfNotation(way, named)) }
  if (typeof value === 'string') return describedType(value, named)
  if (typeof value === 'number') return { type: 'number' }
  if (typeof value === 'boolean') return { type: 'boolean' }
  if (Array.isArray(value))
    return value.length === 0
      ? { type: 'array' }
      : { type: 'array', items: schemaOfNotation(value[0], named) }
  if (!isRecord(value)) return {}
  const properties = Object.entries(value).map(
    ([name, inner]) => [name, schemaOfNotation(inner, named)] as const,
  )
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    required: Object.keys(value),
    additionalProperties: false,
  }
}

/** Whether a value contains a type, so that it can only be a description of other values. */
export function describesTypes(value: unknown, named: Enumerations): boolean {
  if (value instanceof TypeText) return typeOf(value.text, named) !== undefined
  if (typeof value === 'string') return typeOf(value, new Map()) !== undefined
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.values(value).some((inner) => describesTypes(inner, named))
  )
}

/** A text in place of a value: `"string"`, `"positive | negative"`, `"{score}  # must be a single float value"`. */
function describedType(text: string, named: Enumerations): SchemaObject {
  const [, said] = /\bmust be (?:a|an) (?:single |valid )?(\w+)/i.exec(text) ?? []
  if (said !== undefined) return typeOf(said, named) ?? { type: 'string' }
  if (/\bmust be True or False\b/i.test(text)) return { type: 'boolean' }
  const choices = text.split('|').map((choice) => choice.trim())
  const areNames = choices.length > 1 && choices.every((choice) => /^[\w -]{1,40}$/.test(choice))
  const type = typeOf(text, named)
  return type ?? (areNames ? { type: 'string', enum: choices } : { type: 'string' })
}

const typeCharactersMax = 1_000
const listType = /^(?:array|list|sequence|set|vec)\s?(?:<|\[| of )\s?(.+?)[>\]]?$/i
const optionalType = /^(?:optional|nullable)\s?[<[](.+)[>\]]$/i
const mapType = /^(?:map|dict|record|object)\s?[<[]/i

/** The schema of a type in the notations of BAML, TypeScript, Python and Java; undefined if it is not a type. */
export function typeOf(written: string, named: Enumerations, depth = 0): SchemaObject | undefined {
  if (depth > 8 || written.length > typeCharactersMax) return undefined
  const text = bare(written)
  const plain = text.toLowerCase()
  const known = types.get(plain)
  if (known !== undefined) return known
  const values = named.get(text)
  if (values !== undefined) return { type: 'string', enum: values }
  const ways = text.split(/\s*\|\s*|\s+or\s+/).map((way) => way.trim())
  if (ways.length > 1) return unionOf(ways, named, depth)
  const inner = (type: string) => typeOf(type, named, depth + 1)
  if (text.endsWith('[]')) return { type: 'array', items: inner(text.slice(0, -2)) ?? {} }
  const item = listType.exec(text)?.[1]
  if (item !== undefined)
    return { type: 'array', items: inner(item) ?? inner(item.replace(/s$/i, '')) ?? {} }
  const literals = /^literal\s?\[(.+)\]$/i.exec(text)?.[1]
  if (literals !== undefined) return unionOf(literals.split(/\s*,\s*/), named, depth)
  const optional = optionalType.exec(text)?.[1]
  if (optional !== undefined) return { anyOf: [inner(optional) ?? {}, { type: 'null' }] }
  return mapType.test(text) ? { type: 'object' } : undefined
}

/** Without brackets around it, and without what a type says of itself: `(type: string)`, `<string>`. */
function bare(written: string): string {
  const text = written.trim()
  const [, inner] = /^[(<](?:type: ?)?([^()<>]*)[)>]$/.exec(text) ?? []
  return (inner ?? text).trim()
}

function unionOf(ways: string[], named: Enumerations, depth: number): SchemaObject | undefined {
  const values = ways.flatMap((way) => quotedIn(way) ?? [])
  const rest = ways.filter((way) => quotedIn(way) === undefined)
  const schemas = rest.map((way) => typeOf(way, named, depth + 1))
  if (schemas.includes(undefined)) return undefined
  const all = [
    ...(values.length > 0 ? [{ type: 'string', enum: values }] : []),
    ...schemas.filter((schema) => schema !== undefined),
  ]
  return all.length === 1 ? all[0] : { anyOf: all }
}

/** A type that is written instead of a value, such as `string`, `int or null` or `"a" | "b"`. */
class TypeText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** `{…} or {…}` */
class Ways {
  readonly all: unknown[] = []
}

/** Deeper notations are not read. */
const depthMax = 48

/**
 * Reads an object or a list as JSON, as Python and JavaScript print it, or with types instead of values, as prompts describe
 * objects: quotation marks around names are optional, and commas, semicolons or line breaks separate the members. Types become
 * `TypeText`. Undefined if it is none of these. Takes time in proportion to the length.
 */
export function readNotation(text: string): unknown {
  try {
    const reader = new NotationReader(text)
    const value = reader.value(0)
    return reader.isAtEnd() ? value : undefined
  } catch (thrown) {
    if (thrown instanceof Unreadable) return undefined
    throw thrown
  }
}

class Unreadable extends Error {}

const space = /(?:\s+|\/\/[^\n]*|#[^\n]*|\/\*[^*]*\*\/)*/y
const separators = /[\s,;]*/y
const nameBefore =
  /(?:"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)'|([\p{L}_$][\p{L}\p{N}_$-]*))\s*\??\s*:/uy
const quotation = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`[^`\n]*`/y
/** What ends a value that is not in quotation marks. */
const wordEnd = /[,;\n{}]|\/\/| #/y
const otherWay = /[ \t]*(?:\||or\b)\s*(?=[{[])/y
const suffix = /[ \t]*(?:\[\]|(?:\||or\b)[ \t]*(?:null|None|undefined)\b)/y

class NotationReader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  isAtEnd(): boolean {
    this.#skip(space)
    return this.#at === this.#text.length
  }

  value(depth: number): unknown {
    if (depth > depthMax) throw new Unreadable()
    this.#skip(space)
    switch (this.#text[this.#at]) {
      case '{':
        return this.#suffixed(this.#object(depth), depth)
      case '[':
        return this.#suffixed(this.#list(depth), depth)
      default:
        return this.#scalar()
    }
  }

  #object(depth: number): Record<string, unknown> {
    this.#at += 1
    const members: [string, unknown][] = []
    while (!this.#closes('}')) {
      const [whole, double, single, bare] = this.#match(nameBefore) ?? []
      if (whole === undefined) throw new Unreadable()
      members.push([double ?? single ?? bare ?? '', this.value(depth + 1)])
    }
    return Object.fromEntries(members)
  }

  #list(depth: number): unknown[] {
    this.#at += 1
    const items: unknown[] = []
    while (!this.#closes(']')) items.push(this.value(depth + 1))
    return items
  }

  /** Skips separators; true after the closing mark. */
  #closes(mark: string): boolean {
    for (let at = -1; at !== this.#at; ) {
      at = this.#at
      this.#skip(space)
      this.#skip(separators)
    }
    if (this.#at >= this.#text.length) throw new Unreadable()
    if (this.#text[this.#at] !== mark) return false
    this.#at += 1
    return true
  }

  /** `{…}[]` is a list of such objects, `{…} or null` one that may be absent. */
  #suffixed(value: unknown, depth: number): unknown {
    let read = value
    for (let found = this.#match(suffix); found !== undefined; found = this.#match(suffix))
      if (found[0].endsWith('[]')) read = [read]
    if (this.#match(otherWay) === undefined) return read
    return Object.assign(new Ways(), { all: [read, this.value(depth + 1)] })
  }

  #scalar(): unknown {
    const start = this.#at
    let depth = 0
    for (; this.#at < this.#text.length; ) {
      const mark = this.#text.charAt(this.#at)
      if (this.#match(quotation) !== undefined) continue
      if (mark === ']' && depth === 0) break
      if ('([<'.includes(mark)) depth += 1
      else if (')]>'.includes(mark)) depth -= 1
      else if (this.#endsWord(depth)) break
      this.#at += 1
    }
    const text = this.#text.slice(start, this.#at).trim()
    if (text === '') throw new Unreadable()
    return scalarOf(text)
  }

  /** A comma within brackets does not end a type. */
  #endsWord(depth: number): boolean {
    const end = this.#peek(wordEnd)
    return end !== undefined && (depth <= 0 || end !== ',')
  }

  #peek(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    return pattern.exec(this.#text)?.[0]
  }

  #match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)
    if (found === null) return undefined
    this.#at = pattern.lastIndex
    return found
  }

  #skip(pattern: RegExp): void {
    this.#match(pattern)
  }
}

const words: Readonly<Record<string, unknown>> = {
  true: true,
  True: true,
  false: false,
  False: false,
  null: null,
  None: null,
}

function scalarOf(text: string): unknown {
  if (Object.hasOwn(words, text)) return words[text]
  if (/^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text)) return Number(text)
  return quotedIn(text) ?? new TypeText(text)
}

/** The content of a text that is one quotation. */
function quotedIn(text: string): string | undefined {
  quotation.lastIndex = 0
  if (quotation.exec(text)?.[0] !== text) return undefined
  if (text.startsWith('"'))
    try {
      const value: unknown = JSON.parse(text)
      return typeof value === 'string' ? value : undefined
    } catch {
      // Not escaped as in JSON.
    }
  return text.slice(1, -1).replace(/\\(.)/g, '$1')
}

/** A part of a text, from `start` to before `end`. */
export interface Range {
  readonly start: number
  readonly end: number
}

/**
 * The outermost pairs of braces in a text, in order. Braces without a counterpart, and those within quotation marks of a line,
 * do not count. Takes time in proportion to the length.
 */
export function outermostBraces(text: string): Range[] {
  const found: Range[] = []
  const open: number[] = []
  const marks = /[{}"]/g
  for (let match = marks.exec(text); match !== null; match = marks.exec(text)) {
    const at = match.index
    if (match[0] === '{') open.push(at)
    else if (match[0] === '"') {
      if (open.length > 0) marks.lastIndex = afterQuotation(text, at)
    } else {
      const start = open.pop()
      if (start === undefined) continue
      while ((found.at(-1)?.start ?? -1) > start) found.pop()
      const last = open.length === 0 ? found.at(-1) : undefined
      const isOther = last !== undefined && /^\s*(?:or|\|)\s*$/.test(text.slice(last.end, start))
      if (isOther) found.pop()
      found.push({ start: isOther ? last.start : start, end: at + 1 })
    }
  }
  return found
}

const closing = /(?:[^"\\\n]|\\.)*(["\n]|$)/y

/** The place after a quotation, or after its opening mark if it does not end on its line. */
function afterQuotation(text: string, at: number): number {
  closing.lastIndex = at + 1
  return closing.exec(text)?.[1] === '"' ? closing.lastIndex : at + 1
}
