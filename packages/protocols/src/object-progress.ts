import { isTooMuch } from './call-arguments.ts'

const quote = 34
const backslash = 92
const opening = 123
const closing = 125

/**
 * Follows a JSON object whose text arrives in pieces, usually the arguments of a call. Reads each piece once and parses the
 * text at most once: there may be a million pieces, and each may end like a complete object.
 */
export class ObjectProgress {
  #depth = 0
  #isQuoted = false
  #isEscaped = false
  #isClosed = false
  #isObject: boolean | undefined

  add(piece: string): void {
    for (let at = 0; at < piece.length; ) {
      if (this.#isClosed) return this.#follow(piece.slice(at))
      if (this.#isQuoted) at = this.#passText(piece, at)
      else this.#look(piece.charCodeAt(at++))
    }
  }

  /** Whether the object has begun and not ended. */
  get isOpen(): boolean {
    return !this.#isClosed && this.#depth > 0
  }

  /** Whether only white space can follow. `text` is the text of all pieces. */
  isWhole(text: string): boolean {
    if (!this.#isClosed) return false
    // For a text too long to parse, matching brackets are enough.
    this.#isObject ??= isTooMuch(text) || isJson(text)
    return this.#isObject
  }

  /** Skips past the next quote of a string, or to the end of the piece. A string may be megabytes long. */
  #passText(piece: string, from: number): number {
    const begin = this.#isEscaped ? from + 1 : from
    const found = piece.indexOf('"', begin)
    const end = found < 0 ? piece.length : found
    let before = end
    while (before > begin && piece.charCodeAt(before - 1) === backslash) before -= 1
    const isEscaped = (end - before) % 2 === 1
    this.#isEscaped = found < 0 && isEscaped
    this.#isQuoted = found < 0 || isEscaped
    return end + 1
  }

  #look(character: number): void {
    if (character === quote) this.#isQuoted = true
    else if (character === opening) this.#depth += 1
    else if (character === closing) {
      this.#depth -= 1
      this.#isClosed = this.#depth <= 0
    }
  }

  #follow(rest: string): void {
    if (rest.trim() !== '') this.#isObject = false
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
