import type { TextRange } from './citations.ts'

/** A text that arrives in pieces and of which parts are read again. As a string, it would be assembled for each reading. */
export class SaidText {
  readonly #pieces: { readonly start: number; readonly text: string }[] = []
  #length = 0

  get length(): number {
    return this.#length
  }

  add(text: string): void {
    this.#pieces.push({ start: this.#length, text })
    this.#length += text.length
  }

  /** As String.slice, but only for whole numbers that are not negative. */
  slice(start: number, end: number): string {
    let text = ''
    let at = countWhere(this.#pieces, (piece) => piece.start <= start) - 1
    for (; at < this.#pieces.length; at += 1) {
      const piece = this.#pieces[at]
      if (piece === undefined || piece.start >= end) break
      text += piece.text.slice(Math.max(0, start - piece.start), end - piece.start)
    }
    return text
  }
}

/** The number of items at the beginning of the list that meet the condition. No item after one that does not may meet it. */
export function countWhere<T>(list: readonly T[], isSo: (item: T) => boolean): number {
  let [low, high] = [0, list.length]
  while (low < high) {
    const middle = (low + high) >> 1
    const item = list[middle]
    if (item !== undefined && isSo(item)) low = middle + 1
    else high = middle
  }
  return low
}

/** A text, possibly received in pieces. */
export type Sliced = Pick<SaidText, 'length' | 'slice'>

/** Total length that is always allowed. */
const anyLengthMax = 64 * 1024
/** The total length beyond it, as a multiple of the text's: sentences with several sources are quoted several times. */
const timesMax = 8

/**
 * Quotes parts of a response for its citations, with a limit on their total length, beyond which quotes are empty: thousands of
 * citations of one long part would turn megabytes into gigabytes.
 */
export class Excerpts {
  #length = 0

  of(text: Sliced, { start, end }: TextRange): string {
    this.#length += Math.max(0, Math.min(end, text.length) - start)
    return this.#length > anyLengthMax + timesMax * text.length ? '' : text.slice(start, end)
  }
}
