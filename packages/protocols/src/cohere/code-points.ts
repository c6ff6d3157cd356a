import { countWhere } from '../said-text.ts'

/**
 * Positions in a text that arrives in pieces. Cohere counts Unicode characters; chat completions count UTF-16 units, as
 * JavaScript does.
 */
export class CodePoints {
  /** The positions, in characters, of the characters so far that take two units, in ascending order. */
  readonly #wide: number[] = []
  #units = 0

  add(text: string): void {
    for (const { index } of text.matchAll(/[\u{10000}-\u{10ffff}]/gu))
      this.#wide.push(this.#units + index - this.#wide.length)
    this.#units += text.length
  }

  /** The number of units before this character. */
  unitsBefore(character: number): number {
    return character + countWhere(this.#wide, (wide) => wide < character)
  }

  get units(): number {
    return this.#units
  }
}
