import { invalidRequest } from '@sluice/contract'

/**
 * The engine's own tokens: a word with the space before it, a piece of a long word, up to three digits, one
 * character of a script without spaces, one mark of punctuation, or a run of blanks. Every string is a sequence of
 * tokens, and the tokens joined are the string again.
 */
const wordCharactersMax = 8
const pieceCharactersMax = 6
const digitsMax = 3
const runMax = 16

const classes = { letter: 1, digit: 2, ideograph: 3, blank: 4, newline: 5, mark: 6 } as const
type CharacterClass = (typeof classes)[keyof typeof classes]

/** Classes of the characters of the basic plane, filled as they are first met; 0 is not yet known. */
const known = new Uint8Array(0x10000)

function classOf(codePoint: number): CharacterClass {
  if (codePoint > 0xffff) return classify(codePoint)
  const found = known[codePoint]
  if (found) return found as CharacterClass
  const made = classify(codePoint)
  known[codePoint] = made
  return made
}

function classify(codePoint: number): CharacterClass {
  if (codePoint === 10 || codePoint === 13) return classes.newline
  const character = String.fromCodePoint(codePoint)
  if (/\s/u.test(character)) return classes.blank
  if (/\p{Nd}/u.test(character)) return classes.digit
  if (isIdeograph(codePoint)) return classes.ideograph
  if (/[\p{L}\p{M}_]/u.test(character)) return classes.letter
  return classes.mark
}

function isIdeograph(codePoint: number): boolean {
  return (
    (codePoint >= 0x2e80 && codePoint <= 0x9fff) ||
    (codePoint >= 0xac00 && codePoint <= 0xd7af) ||
    (codePoint >= 0xf900 && codePoint <= 0xfaff) ||
    (codePoint >= 0x20000 && codePoint <= 0x3ffff)
  )
}

function codePointAt(text: string, index: number): number {
  return text.codePointAt(index) ?? 0
}

function width(codePoint: number): number {
  return codePoint > 0xffff ? 2 : 1
}

/** The end of the token that begins at `start`, which must be below the length of the text. */
function tokenEnd(text: string, start: number): number {
  let index = start
  let first = codePointAt(text, index)
  if (first === 32 && index + 1 < text.length) {
    const next = codePointAt(text, index + 1)
    const kind = classOf(next)
    if (kind !== classes.blank && kind !== classes.newline) {
      index += 1
      first = next
    }
  }
  switch (classOf(first)) {
    case classes.letter:
      return wordEnd(text, index)
    case classes.digit:
      return runEnd(text, index, classes.digit, digitsMax)
    case classes.newline:
      return runEnd(text, index, classes.newline, runMax)
    case classes.blank:
      return blankEnd(text, index)
    case classes.mark:
      return sameEnd(text, index)
    case classes.ideograph:
      return index + width(first)
  }
}

/** Past as many characters of one class as there are, at most `max`. */
function runEnd(text: string, start: number, kind: CharacterClass, max: number): number {
  let index = start
  for (let count = 0; count < max && index < text.length; count++) {
    const unit = text.charCodeAt(index)
    if (unit < 0xd800 || unit > 0xdfff) {
      if (classOf(unit) !== kind) break
      index += 1
    } else {
      const point = codePointAt(text, index)
      if (classOf(point) !== kind) break
      index += width(point)
    }
  }
  return index
}

function wordEnd(text: string, start: number): number {
  const piece = runEnd(text, start, classes.letter, pieceCharactersMax)
  const longest = runEnd(text, piece, classes.letter, wordCharactersMax - pieceCharactersMax)
  if (longest >= text.length) return longest
  return classOf(codePointAt(text, longest)) === classes.letter && longest > piece ? piece : longest
}

/** Leaves the last blank to the word after it. */
function blankEnd(text: string, start: number): number {
  const end = runEnd(text, start, classes.blank, runMax)
  const followed = end < text.length && classOf(codePointAt(text, end)) !== classes.newline
  return followed && end - start > 1 && text.charCodeAt(end - 1) === 32 ? end - 1 : end
}

/** `...` and `----` are one token. */
function sameEnd(text: string, start: number): number {
  const first = codePointAt(text, start)
  let index = start + width(first)
  for (let count = 1; count < 4 && index < text.length; count++) {
    if (codePointAt(text, index) !== first) break
    index += width(first)
  }
  return index
}

/** The tokens of a text, in order; joined they are the text. Linear in its length. */
export function encode(text: string): string[] {
  const tokens: string[] = []
  for (let start = 0; start < text.length; ) {
    const end = tokenEnd(text, start)
    tokens.push(text.slice(start, end))
    start = end
  }
  return tokens
}

/** How many tokens `encode` would give. */
export function countTokens(text: string): number {
  let count = 0
  for (let start = 0; start < text.length; count++) start = tokenEnd(text, start)
  return count
}

/** Token ids as the clients' own tokenizers number them (cl100k_base). */
const idMax = 100_276

async function vocabulary(): Promise<(ids: number[]) => string> {
  const { decode } = await import('gpt-tokenizer/encoding/cl100k_base')
  return decode
}

/**
 * The text of a prompt that was given as cl100k token ids.
 * Throws invalid_request with `param` where an id is not in that vocabulary.
 */
export async function decodeTokenIds(ids: readonly number[], param = 'prompt'): Promise<string> {
  if (ids.length === 0) return ''
  const decode = await vocabulary()
  const wrong = ids.findIndex((id) => !Number.isInteger(id) || id < 0 || id > idMax)
  if (wrong >= 0) throw invalidRequest(`${ids[wrong]} is not a token id`, `${param}[${wrong}]`)
  try {
    return decode([...ids])
  } catch {
    throw invalidRequest('These token ids stand for no text', param)
  }
}

/** The text of one token id, or undefined where the id stands for none: what logit_bias names. */
export async function decodeTokenId(id: number): Promise<string | undefined> {
  if (!Number.isInteger(id) || id < 0 || id > idMax) return undefined
  const decode = await vocabulary()
  try {
    return decode([id])
  } catch {
    return undefined
  }
}
