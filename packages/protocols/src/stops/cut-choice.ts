import { StopSearch } from './stop-search.ts'

/** A token of the text, with what is known of it. */
export interface TextToken<T> {
  readonly length: number
  readonly item: T
}

/** What is told of a choice so far. */
export interface ToldPart<T> {
  readonly text: string
  readonly items: readonly T[]
}

/** One choice of a response, cut at the first stop sequence. Tokens are told with the end of their text. */
export class CutChoice<T> {
  readonly #search: StopSearch
  #tokens: { readonly end: number; readonly item: T }[] = []
  #tokensEnd = 0

  constructor(words: readonly string[]) {
    this.#search = new StopSearch(words)
  }

  /** The sequence that has ended the text. */
  get matched(): string | undefined {
    return this.#search.matched
  }

  push(text: string, tokens: readonly TextToken<T>[]): ToldPart<T> {
    for (const { length, item } of tokens) {
      this.#tokensEnd += length
      this.#tokens.push({ end: this.#tokensEnd, item })
    }
    return this.#told(this.#search.push(text))
  }

  /** The text ends here, or goes on behind something else. */
  flush(): ToldPart<T> {
    const { text, items } = this.#told(this.#search.flush())
    if (this.matched !== undefined) return { text, items }
    const rest = this.#tokens.map(({ item }) => item)
    this.#tokens = []
    return { text, items: [...items, ...rest] }
  }

  #told(text: string): ToldPart<T> {
    const { told } = this.#search
    const next = this.#tokens.findIndex(({ end }) => end > told)
    const items = this.#tokens.splice(0, next < 0 ? this.#tokens.length : next)
    return { text, items: items.map(({ item }) => item) }
  }
}

/** The parts in order as one. */
export function joinedParts<T>(...parts: readonly ToldPart<T>[]): ToldPart<T> {
  return {
    text: parts.map(({ text }) => text).join(''),
    items: parts.flatMap(({ items }) => items),
  }
}

/** A choice of a stream that is being cut. */
export interface OpenChoice<T> {
  readonly cut: CutChoice<T>
  isOver: boolean
}

/** The choices of a stream by index. */
export class OpenChoices<T> {
  readonly #words: readonly string[]
  readonly #open = new Map<number, OpenChoice<T>>()

  constructor(words: readonly string[]) {
    this.#words = words
  }

  of(index: number): OpenChoice<T> {
    const known = this.#open.get(index)
    if (known !== undefined) return known
    const open = { cut: new CutChoice<T>(this.#words), isOver: false }
    this.#open.set(index, open)
    return open
  }

  [Symbol.iterator](): Iterator<[number, OpenChoice<T>]> {
    return this.#open[Symbol.iterator]()
  }
}
