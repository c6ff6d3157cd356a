/**
 * Searches a text for stop sequences while it arrives, in any pieces. The sequence that begins first ends the text, and of
 * several at one place the shortest. What may be the beginning of a sequence is held back: always less than the longest one.
 * Each character is looked at once per sequence (the algorithm of Knuth, Morris and Pratt).
 */
export class StopSearch {
  readonly #words: readonly Word[]
  /** The end of the text, from `#start` on, that is not told yet. */
  #held = ''
  #start = 0
  /** The number of characters so far. */
  #length = 0
  #found: { readonly start: number; readonly word: string } | undefined
  #matched: string | undefined

  /** Empty sequences are ignored. */
  constructor(words: readonly string[]) {
    this.#words = words.filter((word) => word !== '').map((text) => new Word(text))
  }

  /** The sequence that has ended the text. */
  get matched(): string | undefined {
    return this.#matched
  }

  /** The characters that were told. */
  get told(): number {
    return this.#start
  }

  /** Adds a piece and returns what can be told of the text. Nothing is told after a match. */
  push(piece: string): string {
    if (this.#matched !== undefined) return ''
    this.#held += piece
    for (let index = 0; index < piece.length; index += 1) {
      this.#length += 1
      if (this.#sees(piece.charCodeAt(index))) return this.#cut()
    }
    return this.#tellUpTo(this.#pending())
  }

  /** The rest of the text, which has ended here. What follows is another text. */
  flush(): string {
    if (this.#matched !== undefined) return ''
    if (this.#found !== undefined) return this.#cut()
    for (const word of this.#words) word.seen = 0
    return this.#tellUpTo(this.#length)
  }

  /** Whether the end of the text is certain. */
  #sees(character: number): boolean {
    for (const word of this.#words) {
      if (!word.sees(character)) continue
      const start = this.#length - word.text.length
      const { start: known = Number.POSITIVE_INFINITY, word: other = word.text } = this.#found ?? {}
      if (start < known || (start === known && word.text.length < other.length))
        this.#found = { start, word: word.text }
    }
    return this.#found !== undefined && this.#earliestStart() >= this.#found.start
  }

  /** Where the first sequence that may still come begins. */
  #earliestStart(): number {
    let first = this.#length
    for (const { seen } of this.#words) first = Math.min(first, this.#length - seen)
    return first
  }

  #pending(): number {
    return Math.min(this.#earliestStart(), this.#found?.start ?? Number.POSITIVE_INFINITY)
  }

  #cut(): string {
    this.#matched = this.#found?.word
    return this.#tellUpTo(this.#found?.start ?? this.#length)
  }

  #tellUpTo(end: number): string {
    const text = this.#held.slice(0, end - this.#start)
    this.#held = this.#held.slice(end - this.#start)
    this.#start = end
    return text
  }
}

class Word {
  readonly text: string
  /** The number of characters at the end of the text so far that are the beginning of the word. */
  seen = 0
  /** For each length of a beginning, the length of the longest shorter beginning that it ends in. */
  readonly #shorter: readonly number[]

  constructor(text: string) {
    this.text = text
    const shorter = [0, 0]
    for (let length = 1, known = 0; length < text.length; length += 1) {
      while (known > 0 && text[length] !== text[known]) known = shorter[known] ?? 0
      if (text[length] === text[known]) known += 1
      shorter.push(known)
    }
    this.#shorter = shorter
  }

  /** Whether the word ends with this character. */
  sees(character: number): boolean {
    while (this.seen > 0 && this.text.charCodeAt(this.seen) !== character)
      this.seen = this.#shorter[this.seen] ?? 0
    if (this.text.charCodeAt(this.seen) !== character) return false
    this.seen += 1
    if (this.seen < this.text.length) return false
    this.seen = this.#shorter[this.seen] ?? 0
    return true
  }
}
