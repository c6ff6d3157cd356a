import { countWhere } from '../ordered.ts'

/** Places in a text that comes in pieces: Cohere counts Unicode characters, chat, like JavaScript, units of UTF-16. */
export class CodePoints {
  /** Which characters so far take two units, in their order. */
  readonly #wide: number[] = []
  #units = 0

  add(text: string): void {
    for (const { index } of text.matchAll(/[\u{10000}-\u{10ffff}]/gu))
      this.#wide.push(this.#units + index - this.#wide.length)
    this.#units += text.length
  }

  /** The units before this character. */
  unitsBefore(character: number): number {
    return character + countWhere(this.#wide, (wide) => wide < character)
  }

  get units(): number {
    return this.#units
  }
}
