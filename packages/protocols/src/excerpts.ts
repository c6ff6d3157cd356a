import type { TextRange } from './citations.ts'
import type { SaidText } from './said-text.ts'

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
