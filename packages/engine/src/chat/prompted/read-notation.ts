/** A type that is written instead of a value, such as `string`, `int or null` or `"a" | "b"`. */
export class TypeText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
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
        return this.#suffixed(this.#object(depth))
      case '[':
        return this.#suffixed(this.#list(depth))
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
  #suffixed(value: unknown): unknown {
    let read = value
    for (let found = this.#match(suffix); found !== undefined; found = this.#match(suffix))
      if (found[0].endsWith('[]')) read = [read]
    return read
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
export function quotedIn(text: string): string | undefined {
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
